import { LiquidError } from 'liquidjs'
import { badRequest, type ErrorDetail } from '../domain/errors.ts'
import { MAX_PART_LENGTH, parse, type Syntax } from './liquid.ts'
import { piecesOf } from './pieces.ts'
import { withPreheader } from './preheader.ts'
import { textOf } from './text.ts'
import { ROOTS, rootsOf, unknownVariables } from './variables.ts'

/** A mail's parts, ready to be stored: each is a Liquid template that renders by itself. */
export interface Content {
  subject: string | null
  previewText: string | null
  html: string
  text: string
}

export interface ContentSource {
  subject?: string | null
  /** Shown by inboxes beside the subject; hidden in the mail. */
  previewText?: string | null
  html: string
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
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/
const CONTROL = /[\p{Cc}\u2028\u2029]/u

/**
 * Checks a mail's parts and compiles them: makes a text part of the HTML, puts the preview text
 * into the HTML, and fallbacks into each part that needs one. Throws BAD_REQUEST with every problem
 * of every part, with line and column: syntax errors, unknown tags, filters and variables.
 */
export function compileContent(source: ContentSource, paths: ContentPaths = PATHS): Content {
  const { html, variables = [], variableNames = [] } = source
  const subject = source.subject ?? null
  const previewText = source.previewText ?? null
  const names = new Set([...variables.map(({ name }) => name), ...variableNames])
  refuse([
    ...[...names].flatMap((name) => nameProblems(name, paths.variables)),
    ...(CONTROL.test(subject ?? '')
      ? [problem(paths.subject, 'Line breaks or control characters')]
      : []),
    ...partProblems('plain', subject ?? '', names, paths.subject),
    ...partProblems('plain', previewText ?? '', names, paths.previewText),
    ...partProblems('html', html, names, paths.html),
    ...partProblems('plain', source.text ?? '', names, paths.text),
  ])
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
  return content
}

function refuse(problems: ErrorDetail[]): void {
  if (problems.length > 0) throw badRequest('The content cannot be used', problems)
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

function partProblems(
  syntax: Syntax,
  source: string,
  names: ReadonlySet<string>,
  path: string,
): ErrorDetail[] {
  const tooLong = lengthProblems(source, path)
  if (tooLong.length > 0) return tooLong
  try {
    const liquid = piecesOf(source).filter((piece) => piece.liquid)
    const length = liquid.reduce((sum, { text }) => sum + text.length, 0)
    if (liquid.length > MAX_PIECES || length > MAX_LIQUID_LENGTH) {
      return [problem(path, `More than ${MAX_PIECES} tags and outputs, or too long ones`)]
    }
    parse(syntax, source)
    return unknownVariables(syntax, source, names).map((use) =>
      problem(path, `Unknown variable "${use.path}" (line ${use.line}, column ${use.column})`),
    )
  } catch (error) {
    return [problem(path, explain(error))]
  }
}

/**
 * Makes the text part of the HTML; where that does not give a valid template, the author has to
 * write one.
 */
function madeText(html: string, names: ReadonlySet<string>, paths: ContentPaths): string {
  try {
    const text = textOf(html)
    if (unknownVariables('plain', text, names).length === 0) return text
  } catch (error) {
    explain(error)
  }
  throw badRequest('The content cannot be used', [
    problem(paths.text, 'No text part can be made of this HTML: give one'),
  ])
}

/** Returns LiquidJS' message about a source, with the position in our notation. */
function explain(error: unknown): string {
  // Stack overflow: tags or elements nested by the thousand.
  if (error instanceof RangeError) return 'Nested too deep'
  if (!LiquidError.is(error)) throw error
  if (error.originalError instanceof RangeError) return 'Nested too deep'
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
