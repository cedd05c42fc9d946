import {
  type Context,
  defaultOperators,
  Liquid,
  type LiquidOptions,
  type Template,
  toValue,
} from 'liquidjs'
import { BoundedEmitter, bounded, contains, MEMORY_LIMIT, weightOf } from './bounds.ts'
import { breakLines, isBroken, LINE_BREAK } from './breaks.ts'
import { Capture, captured } from './capture.ts'
import { DATE_FILTERS, readingTimes } from './dates.ts'

/**
 * Limit of the source and the rendering of one part, in characters. Mail clients cut off far
 * earlier.
 */
export const MAX_PART_LENGTH = 1_000_000
const REFUSED_TAGS = ['include', 'render', 'layout', 'block']
/**
 * Filters whose result changes with each call (previews render a batch's mail again), or that
 * evaluate their argument as Liquid, which could be a contact's data.
 */
const REFUSED_FILTERS = /^(?:sample|shuffle)$|_exp$/

/**
 * This module sets no time limit: `renderer.ts` limits the thread that renders. LiquidJS reads the
 * clock only between two tags, which misses a filter that does not end, and counts the waiting time
 * on a busy machine.
 */
const OPTIONS: LiquidOptions = {
  root: [],
  strictFilters: true,
  ownPropertyOnly: true,
  // A fixed zone, since a mail must render the same on every machine.
  timezoneOffset: 'UTC',
  locale: 'en',
  parseLimit: MAX_PART_LENGTH,
  memoryLimit: MEMORY_LIMIT,
}

/** LiquidJS wraps it in an error that has the position. */
export class Unprintable extends Error {}

type Print = (context: Context, value: unknown) => string

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/&(?!(?:amp|lt|gt|quot|#34|#39);)|[<>"']/g, (character) => ENTITIES[character] ?? '')

/**
 * `plain` is for the subject, preview text and text part, `html` for the HTML part, `body` for
 * texts outside of mails, such as the body of a webhook.
 *
 * `html` escapes every value, also through `| raw`, since values come from other people. Entities
 * are left, so that `| escape` and captured texts behind a filter are not escaped twice. The tags
 * that `newline_to_br` writes stay tags; in `plain` they become line breaks.
 */
export const engines = {
  plain: build(
    (context, value) => {
      const text = print(value)
      return isBroken(context) ? text.replace(LINE_BREAK, '\n') : text
    },
    (text) => text,
  ),
  html: build((context, value) => {
    const text = print(value)
    if (captured(context).has(text)) return text
    if (!isBroken(context)) return escapeHtml(text)
    return text.split(LINE_BREAK).map(escapeHtml).join('<br />\n')
  }, escapeHtml),
  body: build((_, value) => print(value)),
} as const
export type Syntax = keyof typeof engines

/**
 * Checks and parses one part. Throws a LiquidError, or a RangeError if tags are nested too deep.
 */
export const parse = (syntax: Syntax, source: string): Template[] => engines[syntax].parse(source)

let evaluated: unknown
const evaluator = build((_, value) => {
  evaluated = toValue(value)
  return ''
})

/** Returns the value of a source's last output, whatever its type. Throws what rendering throws. */
export function evaluate(source: string, scope: object): unknown {
  evaluated = undefined
  evaluator.parseAndRenderSync(source, scope)
  return evaluated
}

/** `escapeLine` is how `newline_to_br` escapes. Without it, LiquidJS' own way is used. */
function build(printed: Print, escapeLine?: (text: string) => string): Liquid {
  const engine = new Liquid({
    ...OPTIONS,
    operators: { ...defaultOperators, contains },
    outputEscape(this: { context: Context } | void, value: unknown): string {
      if (this === undefined) throw new TypeError('LiquidJS calls this as a filter')
      // Checked before printing, since the text of nested lists is longer than their memory.
      this.context.memoryLimit.use(weightOf(value))
      return printed(this.context, value)
    },
  })
  const { renderer } = engine
  const renderTemplates = renderer.renderTemplates.bind(renderer)
  renderer.renderTemplates = (templates, context, emitter = new BoundedEmitter()) =>
    renderTemplates(templates, context, emitter)
  for (const tag of REFUSED_TAGS) delete engine.tags[tag]
  engine.registerTag('capture', Capture)
  if (escapeLine) engine.registerFilter('newline_to_br', breakLines(print, escapeLine))
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (REFUSED_FILTERS.test(name)) engine.unregisterFilter(name)
    else {
      const timed = DATE_FILTERS.has(name) ? readingTimes(filter) : filter
      engine.registerFilter(name, bounded(name, timed))
    }
  }
  // Not bounded, since JSON can express a missing value.
  for (const name of ['json', 'jsonify']) engine.registerFilter(name, toJson)
  return engine
}

function toJson(this: { context: Context }, value: unknown, space?: unknown): string {
  this.context.memoryLimit.use(weightOf(value))
  return JSON.stringify(value ?? null, null, typeof space === 'number' ? space : 0)
}

const isMissing = (value: unknown): boolean => value === undefined || value === null

function print(value: unknown): string {
  const bare: unknown = toValue(value)
  if (typeof bare === 'string') return bare
  if (typeof bare === 'number' || typeof bare === 'boolean') return String(bare)
  if (Array.isArray(bare)) return bare.map((each) => (isMissing(each) ? '' : print(each))).join('')
  throw new Unprintable(isMissing(bare) ? 'has no value and no default' : 'is an object, not text')
}
