import type { Variable } from 'liquidjs'
import { MERGE_FIELDS } from '../domain/contacts/contact-fields.ts'
import { engines, parse, type Syntax } from './liquid.ts'
import { mapPieces, piecesOf } from './pieces.ts'

/** Names with a meaning in every mail. Variables cannot have them. */
export const ROOTS: readonly string[] = [
  'contact',
  'organization',
  'unsubscribeUrl',
  'preferencesUrl',
]

/** An unknown variable: its path as written, line and column from 1. */
interface UnknownVariable {
  path: string
  line: number
  column: number
}

const MAX_REPORTED = 20

interface Needed {
  slots: string[]
  unknown: UnknownVariable[]
}

/**
 * Returns the variables that a part uses, with the first uses of unknown ones. Known are the
 * contact's fields, the fixed names, `names`, those of flows (`trigger.data.<path>`, `event.name`,
 * `event.properties.<path>`) and those that the part sets itself. Throws what parsing throws.
 */
export function neededBy(syntax: Syntax, source: string, names: ReadonlySet<string>): Needed {
  const needed = globals(syntax, source)
  const unknown = needed
    .filter((variable) => !isKnown(variable, names))
    .slice(0, MAX_REPORTED)
    .map((variable) => ({ path: variable.toString(), ...placeOf(variable, source) }))
  return { slots: [...new Set(needed.map(String))], unknown }
}

export const rootsOf = (syntax: Syntax, source: string): Set<string> =>
  new Set(globals(syntax, source).map((variable) => String(variable.segments[0])))

/** Analyzes the Liquid alone, since LiquidJS counts each line and column from the beginning. */
const globals = (syntax: Syntax, source: string): Variable[] =>
  Object.values(
    engines[syntax].analyzeSync(parse(syntax, bare(source)), { partials: false }).globals,
  ).flat()

const bare = (source: string): string => mapPieces(source, () => '')

/** The position in the source of a variable that was found in the Liquid alone. */
function placeOf(variable: Variable, source: string): { line: number; column: number } {
  const { row, col } = variable.location
  const before = bare(source)
    .split('\n')
    .slice(0, row - 1)
  let remainingLength = before.reduce((length, line) => length + line.length + 1, col - 1)
  let at = 0
  for (const { text, liquid } of piecesOf(source)) {
    if (liquid && remainingLength < text.length) break
    if (liquid) remainingLength -= text.length
    at += text.length
  }
  const lines = source.slice(0, at + remainingLength).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

function isKnown(
  { segments: [root, field, ...rest] }: Variable,
  names: ReadonlySet<string>,
): boolean {
  switch (root) {
    case 'contact':
      return field === 'id' || MERGE_FIELDS.some((each) => each === field)
    case 'organization':
      return (field === 'name' || field === 'postalAddress') && rest.length === 0
    case 'unsubscribeUrl':
    case 'preferencesUrl':
      return field === undefined
    // Variables of executions, which have no value elsewhere. A declared variable may have these
    // names.
    case 'trigger':
      return field === 'data' || names.has(root)
    case 'event':
      return field === 'name' || field === 'properties' || names.has(root)
    default:
      return typeof root === 'string' && names.has(root)
  }
}
