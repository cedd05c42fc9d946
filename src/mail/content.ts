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

export interface Content {
  subject: string | null
  previewText: string | null
  html: string
  text: string
  hash: string
  links: string[]
  slots: string[]
  /** The rules of `<style>` were written into their elements. False: not possible. */
  isInlined: boolean
  checks: MailCheck[]
}

export interface ContentSource {
  subject?: string | null
  previewText?: string | null
  html: string
  sourceType?: 'html' | 'mjml'
  /** `html` is compiled already, and its styles are not moved. */
  isCompiled?: boolean
  text?: string | null
  variables?: readonly Variable[]
  variableNames?: readonly string[]
}

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

/** Limit of tags and outputs of one part, since parsing takes the square of their number. */
const MAX_PIECES = 2_000
const MAX_LIQUID_LENGTH = 60_000
const UNUSABLE = 'The content cannot be used'
const TOO_DEEP = 'Nested too deep'
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/
const CONTROL = /[\p{Cc}\u2028\u2029]/u

/**
 * Checks a mail's parts and compiles them: MJML to HTML, styles into their elements, a text part
 * from the HTML, the preview text into the HTML, and fallbacks into each part that needs one.
 * Throws BAD_REQUEST with every problem of every part, with line and column: syntax errors, unknown
 * tags, filters and variables.
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
  // Checked again with the added texts.
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

export const problemsOfPart = (source: string): string[] =>
  checkPart('plain', source, new Set(), '').problems.map(({ message }) => message)

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
 * Makes the text part from the HTML. If the result is not a valid template, the author has to write
 * one.
 */
function madeText(html: string, names: ReadonlySet<string>, paths: ContentPaths): string {
  try {
    const text = textOf(html)
    if (neededBy('plain', text, names).unknown.length === 0) return text
  } catch (error) {
    explain(error)
  }
  throw badRequest(UNUSABLE, [
    problem(paths.text, 'No text part can be generated from this HTML. Send one'),
  ])
}

function explain(error: unknown): string {
  // Stack overflow, because of thousands of nested tags or elements.
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

/** A Liquid literal. Every character with a meaning in Liquid is escaped. */
const literal = (value: string | number | boolean): string =>
  typeof value === 'string'
    ? `"${value.replace(/[^A-Za-z0-9 ]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
    : String(value)
