import { problemsOfPart } from './content.ts'
import { evaluate } from './liquid.ts'
import { piecesOf } from './pieces.ts'
import { explained, RenderError, renderText } from './render.ts'
import { rootsOf } from './variables.ts'

/*
 * Values outside of mails that are Liquid: those of update_contact, and of filters of waits.
 */

const KNOWN = ['contact', 'trigger', 'event']
/** Characters of a value as JSON: the limit of all properties of a contact. */
const LONGEST_VALUE = 32_768

/** Returns the problems of a text that is to become a value. Empty: it can be rendered. */
export function problemsOfValue(source: string): string[] {
  const problems = problemsOfPart(source)
  if (problems.length > 0) return problems
  return [...rootsOf('plain', source)]
    .filter((root) => !KNOWN.includes(root))
    .map((root) => `Unknown variable "${root}": a value may use ${KNOWN.join(', ')}`)
}

/**
 * Renders a text into a value. A single output keeps its type, so that a number stays a number and
 * a list a list. Everything else becomes a text. Throws a RenderError, also if an output has no
 * value and no default.
 */
export function renderValue(source: string, scope: object): unknown {
  const text = source.trim()
  const [only, ...otherPieces] = piecesOf(text)
  const isAlone = otherPieces.length === 0 && only?.text.startsWith('{{') === true
  return isAlone ? valueOf(text, scope) : limited(renderText(source, scope))
}

function valueOf(output: string, scope: object): unknown {
  const value = explained(() => evaluate(output, { ...scope }))
  const expression = output.replace(/^\{\{-?\s*|\s*-?\}\}$/g, '')
  if (value === undefined || value === null) {
    throw new RenderError('missing_value', `"${expression}" has no value and no default`)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RenderError('render_failed', `"${expression}" is not a finite number`)
  }
  return limited(value)
}

/** Characters that Postgres cannot store: NUL, and half a character, which `slice` may leave. */
const NOT_STORED = /\0|\p{Cs}/gu

function limited(value: unknown): unknown {
  const json = JSON.stringify(value)
  if (json.length > LONGEST_VALUE) {
    throw new RenderError('too_large', `Longer than ${LONGEST_VALUE} characters`)
  }
  return JSON.parse(json, (_, each: unknown) =>
    typeof each === 'string' ? each.replace(NOT_STORED, '') : each,
  )
}
