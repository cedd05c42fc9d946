import type { ErrorDetail } from '../../src/domain/errors.ts'
import { PATTERN_WORDS } from '../../src/schemas/patterns.ts'
import { FORMATS } from './formats.ts'
import { MOST_DETAILS, pathOf, type Place } from './input-paths.ts'
import { isObject, isOfType, type Schema, schemaOf, typesOf, TYPE_WORDS } from './schema.ts'

/**
 * Returns a function that lists the problems of a value in all its places, at most `MOST_DETAILS`.
 * Lengths come before members: a list that is too long has no further problems.
 *
 * Ajv decides what is valid, and stops at the first problem. This function lists the others, for
 * refused values only. Ajv's own `allErrors` has no limit: it checks each member of a list that is
 * too long, and stores an error for each problem with each branch of a union.
 */
export function problemFinder(
  schema: object,
  most = MOST_DETAILS,
): (value: unknown) => ErrorDetail[] {
  const read = schemaOf(schema)
  return (value) => {
    const findings: Findings = { details: [], most }
    look(read, value, undefined, findings)
    return findings.details
  }
}

interface Findings {
  details: ErrorDetail[]
  most: number
}

const isFull = ({ details, most }: Findings): boolean => details.length >= most

function tell(findings: Findings, place: Place | undefined, message: string): void {
  // A path takes longer to write than to find out that nobody will read it.
  if (!isFull(findings)) add(findings, { path: pathOf(place), message })
}

function add(findings: Findings, { path, message }: ErrorDetail): void {
  if (isFull(findings)) return
  if (findings.details.some((each) => each.path === path && each.message === message)) return
  findings.details.push({ path, message })
}

function look(schema: Schema, value: unknown, place: Place | undefined, findings: Findings) {
  if (isFull(findings)) return
  const report = (message: string): void => tell(findings, place, message)
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    report(`must be ${types.map((type) => TYPE_WORDS[type]).join(' or ')}`)
    return
  }
  const words = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  if (words !== undefined && !words.includes(value)) {
    report(oneOfWords(words))
    return
  }
  if (typeof value === 'string') lookAtText(schema, value, report)
  else if (typeof value === 'number') lookAtNumber(schema, value, report)
  else if (Array.isArray(value)) lookAtList(schema, value, place, findings)
  else if (isObject(value)) lookAtObject(schema, value, place, findings)
  if (schema.anyOf) lookAtUnion(schema.anyOf, value, place, findings)
}

type Report = (message: string) => void

const oneOfWords = (words: readonly unknown[]): string =>
  `must be ${words.length === 1 ? '' : 'one of: '}${words.map(wordOf).join(', ')}`

/** Quotes a word, since a comma or tab would be invisible among others. */
const wordOf = (word: unknown): string =>
  typeof word === 'string' && !/^\w/.test(word) ? JSON.stringify(word) : String(word)

const countText = (count: number, thing: 'character' | 'item' | 'property'): string =>
  `${count} ${count === 1 ? thing : THINGS[thing]}`

const THINGS = { character: 'characters', item: 'items', property: 'properties' } as const

function lookAtText(schema: Schema, text: string, report: Report): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema
  if (isLonger(text, maxLength))
    return report(`must not have more than ${countText(maxLength, 'character')}`)
  if (minLength > 0 && !isLonger(text, minLength - 1)) {
    return report(`must not have fewer than ${countText(minLength, 'character')}`)
  }
  if (pattern !== undefined && !regexOf(pattern).test(text)) {
    report(PATTERN_WORDS.get(pattern) ?? 'has an invalid format')
  }
  const { holds, words } = FORMATS.get(format ?? '') ?? {}
  if (holds?.(text) === false) report(words ?? 'has an invalid format')
}

/**
 * Compares lengths as JSON Schema counts: a character beyond 16 bits is two in JavaScript. Mostly
 * the length alone decides.
 */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || characters(text) > most)

function characters(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++
    count++
  }
  return count
}

const regexes = new Map<string, RegExp>()

function regexOf(pattern: string): RegExp {
  const cachedRegex = regexes.get(pattern)
  if (cachedRegex) return cachedRegex
  const regex = new RegExp(pattern, 'u')
  regexes.set(pattern, regex)
  return regex
}

function lookAtNumber({ minimum, maximum }: Schema, value: number, report: Report): void {
  if (minimum !== undefined && value < minimum) report(`must be at least ${minimum}`)
  if (maximum !== undefined && value > maximum) report(`must be at most ${maximum}`)
}

function lookAtList(
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems, items }: Schema,
  list: readonly unknown[],
  place: Place | undefined,
  findings: Findings,
): void {
  const report = (message: string): void => tell(findings, place, message)
  if (list.length > maxItems)
    return report(`must not have more than ${countText(maxItems, 'item')}`)
  if (list.length < minItems)
    return report(`must not have fewer than ${countText(minItems, 'item')}`)
  if (uniqueItems === true && new Set(list).size < list.length) {
    report('must not have repeated items')
  }
  if (items === undefined) return
  for (let key = 0; key < list.length && !isFull(findings); key++) {
    look(items, list[key], { within: place, key }, findings)
  }
}

function lookAtObject(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  place: Place | undefined,
  findings: Findings,
): void {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema
  const report = (message: string): void => tell(findings, place, message)
  const isBounded = maxProperties < Number.POSITIVE_INFINITY || minProperties > 0
  const count = isBounded ? Object.keys(value).length : 0
  if (count > maxProperties)
    return report(`must not have more than ${countText(maxProperties, 'property')}`)
  if (count < minProperties)
    report(`must not have fewer than ${countText(minProperties, 'property')}`)
  for (const key of required) {
    if (value[key] === undefined) tell(findings, { within: place, key }, REQUIRED)
  }
  const patternEntries = Object.entries(patternProperties ?? {})
  const isOpen = additionalProperties !== false
  if (isOpen && patternEntries.length === 0 && typeof additionalProperties !== 'object') {
    lookAtKnown()
    return
  }
  for (const key in value) {
    if (isFull(findings)) return
    if (Object.hasOwn(properties, key)) continue
    const at = { within: place, key }
    const fitting = patternEntries.filter(([pattern]) => regexOf(pattern).test(key))
    for (const [, each] of fitting) look(each, value[key], at, findings)
    if (fitting.length > 0) continue
    if (typeof additionalProperties === 'object')
      look(additionalProperties, value[key], at, findings)
    else if (!isOpen) tell(findings, at, 'is unknown')
  }
  lookAtKnown()

  function lookAtKnown(): void {
    for (const [key, each] of Object.entries(properties)) {
      if (value[key] !== undefined) look(each, value[key], { within: place, key }, findings)
    }
  }
}

/**
 * Checks a value of several possible kinds. Kinds with a `type` are told apart by it: only the
 * problems with the value's own kind are listed, or that it has none. Kinds without a `type` are
 * told apart by their fields: the problems are those of the kinds to which the fewest fields are
 * unknown.
 */
function lookAtUnion(
  branches: readonly Schema[],
  value: unknown,
  place: Place | undefined,
  findings: Findings,
): void {
  const kinds = branches.flatMap(({ properties }) => {
    const kind = properties?.[KIND]
    return kind !== undefined && 'const' in kind ? [kind.const] : []
  })
  if (kinds.length === branches.length && isObject(value)) {
    const at = { within: place, key: KIND }
    const branch = branches[kinds.indexOf(value[KIND])]
    if (branch) look(branch, value, place, findings)
    else if (value[KIND] === undefined) tell(findings, at, REQUIRED)
    else tell(findings, at, oneOfWords(kinds))
    return
  }
  const tried = branches.map((branch) => {
    const against: Findings = { details: [], most: findings.most }
    look(branch, value, place, against)
    return { against: against.details, unknown: isObject(value) ? countUnknown(branch, value) : 0 }
  })
  if (tried.some(({ against }) => against.length === 0)) return
  const least = Math.min(...tried.map(({ unknown }) => unknown))
  const nearest = tried.filter(({ unknown }) => unknown === least).map(({ against }) => against)
  for (const each of eitherOf(nearest) ?? nearest.flat()) add(findings, each)
}

/**
 * Merges details of branches into one if each branch has a single problem at the same place or
 * lacks a single field. The detail names what satisfies any of them.
 */
function eitherOf(branches: readonly ErrorDetail[][]): ErrorDetail[] | undefined {
  const details = branches.flat()
  const [first, ...otherDetails] = details
  if (first === undefined || branches.some(({ length }) => length !== 1)) return undefined
  if (otherDetails.every(({ path }) => path === first.path)) {
    const messages = new Set(details.map(({ message }) => message))
    return [{ path: first.path, message: [...messages].join(', or ') }]
  }
  if (details.some(({ message }) => message !== REQUIRED)) return undefined
  const names = otherDetails.map(({ path }) => path.replace(/^.*\./, ''))
  return [{ path: first.path, message: `or ${names.join(' or ')} ${REQUIRED}` }]
}

const REQUIRED = 'is required'

const KIND = 'type'

function countUnknown({ properties = {}, additionalProperties }: Schema, value: object): number {
  if (additionalProperties !== false) return 0
  let count = 0
  for (const key in value) if (!Object.hasOwn(properties, key)) count++
  return count
}
