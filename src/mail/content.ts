import { createHash } from 'node:crypto'
import { LiquidError } from 'liquidjs'
import { badRequest, type ErrorDetail } from '../domain/errors.ts'
import type { MailCheck } from '../domain/content/mail-check.ts'
import { linksOf } from './links.ts'
import { MAX_PART_LENGTH, parse, type Syntax } from './liquid.ts'
import { checkMail } from './mail-checks.ts'
import { compileMjml } from './mjml.ts'
import { isTag, mark } from './marks.ts'
import { mapPieces, piecesOf } from './pieces.ts'
import { withPreheader } from './preheader.ts'
import { inlineStyles } from './styles.ts'
import { textOf } from './text.ts'
import { neededBy, ROOTS, rootsOf } from './variables.ts'

/** A mail's parts, ready to be stored: each is a Liquid template that renders by itself. */
export interface Content {
  subject: string | null
  previewText: string | null
  html: string
  text: string
  /** SHA-256 of the parts, base64url. */
  hash: string
  /** Addresses of the HTML part's links, each once, as they are written. */
  links: string[]
  /** What the parts need from outside, as paths: `contact.firstName`. */
  slots: string[]
  /** Rules of `<style>` stand in the elements that they are for; false: that cannot be done. */
  isInlined: boolean
  /** What its author should look at before it is sent. */
  checks: MailCheck[]
}

export interface ContentSource {
  subject?: string | null
  /** Shown by inboxes beside the subject; hidden in the mail. */
  previewText?: string | null
  html: string
  /** Of `html`; HTML when absent. */
  sourceType?: 'html' | 'mjml'
  /** `html` came compiled: its styles stay where they are. */
  isCompiled?: boolean
  /** Made from `html` when absent. */
  text?: string | null
  /**
   * Names a mail may use besides the fixed ones; a fallback stands in where a mail has no value.
   */
  variables?: readonly Variable[]
  /** More such names, those a batch maps. */
  variableNames?: readonly string[]
}

/** The path of each part in the request, for errors. */
export interface ContentPaths {
  subject: string
  previewText: string
  html: string
  text: string
  variables: string
}

const PATHS: ContentPaths = {
  subject: 'subject',
  previewText: 'previewText',
  html: 'htmlContent',
  text: 'textContent',
  variables: 'variables',
}

/**
 * Tags and outputs of one part, and their length in all: parsing and checking take the square of
 * that.
 */
const MAX_PIECES = 2_000
const MAX_LIQUID_LENGTH = 60_000
const UNUSABLE = 'The content cannot be used'
const TOO_DEEP = 'Nested too deep'
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/
const CONTROL = /[\p{Cc}\u2028\u2029]/u

/**
 * Checks a mail's parts and compiles them: MJML to HTML, styles into the elements that they are
 * for, a text part of the HTML, the preview text into the HTML, and fallbacks into each part that
 * needs one. Throws BAD_REQUEST with every problem of every part, with line and column: syntax
 * errors, unknown tags, filters and variables.
 */
export function compileContent(source: ContentSource, paths: ContentPaths = PATHS): Content {
  const { variables = [], variableNames = [] } = source
  const subject = source.subject ?? null
  const previewText = source.previewText ?? null
  const names = new Set([...variables.map(({ name }) => name), ...variableNames])
  const parts = [
    checkPart('plain', subject ?? '', names, paths.subject),
    checkPart('plain', previewText ?? '', names, paths.previewText),
    checkPart('html', source.html, names, paths.html),
    checkPart('plain', source.text ?? '', names, paths.text),
  ]
  refuse([
    ...[...names].flatMap((name) => nameProblems(name, paths.variables)),
    ...(CONTROL.test(subject ?? '')
      ? [problem(paths.subject, 'Line breaks or control characters')]
      : []),
    ...parts.flatMap(({ problems }) => problems),
  ])
  const { html, isInlined } = htmlOf(source, paths.html)
  const content = {
    subject: subject === null ? null : withFallbacks('plain', subject, variables),
    previewText,
    html: withFallbacks(
      'html',
      previewText === null ? html : withPreheader(html, previewText),
      variables,
    ),
    text: withFallbacks('plain', source.text ?? madeText(html, names, paths), variables),
  }
  // Again, with what was added to them.
  refuse([...lengthProblems(content.html, paths.html), ...lengthProblems(content.text, paths.text)])
  const slots = [...new Set(parts.flatMap((part) => part.slots))]
  return {
    ...content,
    hash: hashOf(Object.values(content)),
    links: linksOf(html),
    slots,
    isInlined,
    checks: checkMail({
      ...content,
      html: mark(content.html).marked,
      text: mapPieces(content.text, String, (piece) => (isTag(piece) ? '' : piece)),
      bytes: Buffer.byteLength(content.html),
    }),
  }
}

/** The HTML part: compiled, and with its styles where every mail program reads them. */
function htmlOf({ html, sourceType, isCompiled }: ContentSource, path: string) {
  try {
    const compiled = sourceType === 'mjml' ? compileMjml(html, path) : html
    if (isCompiled) return { html: compiled, isInlined: true }
    const inlined = inlineStyles(compiled)
    return { html: inlined ?? compiled, isInlined: inlined !== undefined }
  } catch (error) {
    if (error instanceof RangeError) throw badRequest(UNUSABLE, [problem(path, TOO_DEEP)])
    throw error
  }
}

const hashOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

function refuse(problems: ErrorDetail[]): void {
  if (problems.length > 0) throw badRequest(UNUSABLE, problems)
}

const problem = (path: string, message: string): ErrorDetail => ({ path, message })

const lengthProblems = (source: string, path: string): ErrorDetail[] =>
  source.length > MAX_PART_LENGTH
    ? [problem(path, `Longer than ${MAX_PART_LENGTH} characters`)]
    : []

function nameProblems(name: string, path: string): ErrorDetail[] {
  if (!NAME.test(name)) return [problem(path, `"${name}" is not a valid variable name`)]
  return ROOTS.includes(name) ? [problem(path, `"${name}" is a reserved name`)] : []
}

/** What is wrong with a text that is rendered by itself, outside of a mail. */
export const problemsOfPart = (source: string): string[] =>
  checkPart('plain', source, new Set(), '').problems.map(({ message }) => message)

/** What is wrong with one part, and what it needs from outside. */
function checkPart(
  syntax: Syntax,
  source: string,
  names: ReadonlySet<string>,
  path: string,
): { problems: ErrorDetail[]; slots: string[] } {
  const tooLong = lengthProblems(source, path)
  if (tooLong.length > 0) return { problems: tooLong, slots: [] }
  try {
    const liquid = piecesOf(source).filter((piece) => piece.liquid)
    const length = liquid.reduce((sum, { text }) => sum + text.length, 0)
    if (liquid.length > MAX_PIECES || length > MAX_LIQUID_LENGTH) {
      const message = `More than ${MAX_PIECES} tags and outputs, or too long ones`
      return { problems: [problem(path, message)], slots: [] }
    }
    parse(syntax, source)
    const { slots, unknown } = neededBy(syntax, source, names)
    const problems = unknown.map((use) =>
      problem(path, `Unknown variable "${use.path}" (line ${use.line}, column ${use.column})`),
    )
    return { problems, slots }
  } catch (error) {
    return { problems: [problem(path, explain(error))], slots: [] }
  }
}

/**
 * Makes the text part of the HTML; where that does not give a valid template, the author has to
 * write one.
 */
function madeText(html: string, names: ReadonlySet<string>, paths: ContentPaths): string {
  try {
    const text = textOf(html)
    if (neededBy('plain', text, names).unknown.length === 0) return text
  } catch (error) {
    explain(error)
  }
  throw badRequest(UNUSABLE, [
    problem(paths.text, 'No text part can be made of this HTML: give one'),
  ])
}

/** Returns LiquidJS' message about a source, with the position in our notation. */
function explain(error: unknown): string {
  // Stack overflow: tags or elements nested by the thousand.
  if (error instanceof RangeError) return TOO_DEEP
  if (!LiquidError.is(error)) throw error
  if (error.originalError instanceof RangeError) return TOO_DEEP
  const [line, column] = error.token.getPosition()
  const message = error.message.replace(/, line:\d+, col:\d+$/, '')
  return `${message} (line ${line}, column ${column})`
}

interface Variable {
  name: string
  fallback?: string | number | boolean | null
}

/**
 * Prepends assignments for the variables that a part uses and that have a fallback.
 */
function withFallbacks(syntax: Syntax, part: string, variables: readonly Variable[]): string {
  if (variables.length === 0) return part
  const used = rootsOf(syntax, part)
  const assigns = variables.flatMap(({ name, fallback = null }) =>
    fallback === null || !used.has(name)
      ? []
      : [`{% assign ${name} = ${name} | default: ${literal(fallback)} %}`],
  )
  return assigns.join('') + part
}

/** A Liquid literal. Every character that could have a meaning in Liquid is escaped. */
const literal = (value: string | number | boolean): string =>
  typeof value === 'string'
    ? `"${value.replace(/[^A-Za-z0-9 ]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
    : String(value)
