import {
  type Context,
  defaultOperators,
  type Emitter,
  type FilterImplOptions,
  toValue,
} from 'liquidjs'

/**
 * Keeps each operation of a template linear in the size of its values, and those within the memory
 * limit. Other operations could run for minutes inside V8, where a thread cannot be ended, or
 * allocate more at once than a thread may have, which ends the whole process.
 */

/** LiquidJS wraps it in an error that has the position. */
export class TooLarge extends Error {}

/** Limit of the characters and array elements that rendering one part of one mail may produce. */
export const MEMORY_LIMIT = 4_000_000
const MOST_COMPARED = 20_000_000
const SEARCHES = /^(?:split|remove|remove_first|remove_last|replace|replace_first|replace_last)$/
/** Filters that may return their input. */
const PASSES_ON = /^(?:default|raw)$/

type Filter = Extract<FilterImplOptions, (...args: never[]) => unknown>

export function bounded(name: string, filter: FilterImplOptions): Filter {
  const handler = typeof filter === 'function' ? filter : filter.handler
  if (name === 'default') return handler
  const isSearch = SEARCHES.test(name)
  const isNew = !PASSES_ON.test(name)
  return function (value, ...args) {
    if (isMissing(value) || args.some(isMissing)) return undefined
    if (isSearch) checkSearch(value, args[0])
    const result: unknown = handler.call(this, value, ...args)
    if (!isNew) return result
    if (isGenerator(result)) return counted(this.context, result)
    this.context.memoryLimit.use(weightOf(result))
    return result
  }
}

function* counted(
  context: Context,
  making: Generator<unknown, unknown, unknown>,
): Generator<unknown, unknown, unknown> {
  const result = yield making
  context.memoryLimit.use(weightOf(result))
  return result
}

export function contains(value: unknown, part: unknown, context: Context) {
  if (typeof value === 'string') checkSearch(value, part)
  return defaultOperators['contains']?.(value, part, context) ?? false
}

function checkSearch(text: unknown, part: unknown): void {
  if (weightOf(text) * weightOf(part) > MOST_COMPARED) {
    throw new TooLarge('the text and what is searched in it are too long')
  }
}

/** Counts characters, elements and fields at any depth, and stops above the limit. */
export function weightOf(value: unknown): number {
  let weight = 0
  const pending = [value]
  while (pending.length > 0 && weight <= MEMORY_LIMIT) {
    const each = pending.pop()
    if (typeof each === 'string') weight += each.length
    if (typeof each !== 'object' || each === null) continue
    const children: unknown[] = Array.isArray(each) ? each : Object.values(each)
    weight += children.length
    // One at a time, since `push(...children)` would put all of them on the stack.
    for (const one of children) pending.push(one)
  }
  return weight
}

export class BoundedEmitter implements Emitter {
  buffer = ''

  write(text: unknown): void {
    this.buffer += typeof text === 'string' ? text : String(toValue(text) ?? '')
    if (this.buffer.length > MEMORY_LIMIT) {
      throw new TooLarge(`longer than ${MEMORY_LIMIT} characters`)
    }
  }
}

const isGenerator = (value: unknown): value is Generator<unknown, unknown, unknown> =>
  typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value

const isMissing = (value: unknown): boolean => value === undefined || value === null
