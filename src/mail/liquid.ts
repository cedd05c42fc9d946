import {
  type Context,
  type FilterImplOptions,
  Liquid,
  type LiquidOptions,
  type Template,
  toValue,
} from 'liquidjs'
import { Capture, captured } from './capture.ts'

/**
 * Longest source and longest rendering of one part, in characters. Mail clients cut off far
 * earlier.
 */
export const MAX_PART_LENGTH = 1_000_000
/** Longest time one part of one mail may take, milliseconds. A large template takes one. */
const RENDER_LIMIT_MS = 200
/** Characters and array elements that one part of one mail may make on its way. */
const MEMORY_LIMIT = 4_000_000

/** They read files. */
const REFUSED_TAGS = ['include', 'render', 'layout', 'block']
/**
 * Filters whose result changes with each call (a batch's mail is rendered again to be looked at),
 * or that evaluate their argument as Liquid, which a contact's data could be.
 */
const REFUSED_FILTERS = /^(?:sample|shuffle)$|_exp$/

const OPTIONS: LiquidOptions = {
  root: [],
  strictFilters: true,
  ownPropertyOnly: true,
  // Not the worker's own: the same mail must come out the same on every machine.
  timezoneOffset: 'UTC',
  locale: 'en',
  parseLimit: MAX_PART_LENGTH,
  renderLimit: RENDER_LIMIT_MS,
  memoryLimit: MEMORY_LIMIT,
}

/**
 * Why an expression cannot be printed. LiquidJS wraps it in an error of its own that knows where.
 */
export class Unprintable extends Error {}

type Escape = (context: Context, text: string) => string

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** As a value of the HTML part is escaped: what is an entity already stays one, see `engines`. */
export const escapeHtml = (text: string): string =>
  text.replace(/&(?!(?:amp|lt|gt|quot|#34|#39);)|[<>"']/g, (found) => ENTITIES[found] ?? '')

/**
 * `plain` for subject, preview text and text part; `html` for the HTML part.
 *
 * `html` escapes every value, through `| raw` too: values are other people's. Entities are left as
 * they are, so that `| escape` and a captured text behind a filter are not escaped twice.
 */
export const engines = {
  plain: build((_, text) => text),
  html: build((context, text) => (captured(context).has(text) ? text : escapeHtml(text))),
} as const
export type Syntax = keyof typeof engines

/**
 * Checks and parses one part. Throws a LiquidError, or a RangeError when tags are nested too deep.
 */
export const parse = (syntax: Syntax, source: string): Template[] => engines[syntax].parse(source)

function build(escape: Escape): Liquid {
  const engine = new Liquid({
    ...OPTIONS,
    outputEscape(this: { context: Context } | void, value: unknown): string {
      if (this === undefined) throw new TypeError('LiquidJS calls this as a filter')
      const text = print(value)
      this.context.memoryLimit.use(text.length)
      return escape(this.context, text)
    },
  })
  for (const tag of REFUSED_TAGS) delete engine.tags[tag]
  engine.registerTag('capture', Capture)
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (REFUSED_FILTERS.test(name)) engine.unregisterFilter(name)
    else if (name !== 'default') engine.registerFilter(name, careful(filter))
  }
  // The one that has a way to say that there is nothing.
  for (const name of ['json', 'jsonify']) engine.registerFilter(name, toJson)
  return engine
}

/**
 * A filter that makes nothing of nothing: `{{ contact.firstName | upcase }}` without a first name
 * is as much without a value as it is without the filter, and a `default` after it is still asked.
 * LiquidJS' own strictVariables gives up before any `default` but the first filter.
 */
function careful(filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler
  return function (value, ...args) {
    const missing = isMissing(value) || args.some(isMissing)
    return missing ? undefined : handler.call(this, value, ...args)
  }
}

function toJson(value: unknown, space?: number): string {
  return JSON.stringify(value ?? null, null, space)
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

function print(value: unknown): string {
  const bare: unknown = toValue(value)
  if (typeof bare === 'string') return bare
  if (typeof bare === 'number' || typeof bare === 'boolean') return String(bare)
  if (Array.isArray(bare)) return bare.map((each) => (isMissing(each) ? '' : print(each))).join('')
  throw new Unprintable(isMissing(bare) ? 'has no value and no default' : 'is an object, not text')
}
