import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { AppError, type ErrorDetail } from '../../src/domain/errors.ts'
import { cleanLine, cleanWord } from '../../src/domain/text.ts'
import { type Cleaned, CLEANED_KEYWORD, NOT_YET_KEYWORD, strict } from '../../src/schemas/common.ts'
import { bodyWithoutRows, rowListOf } from './row-schemas.ts'
import { checkText, UNSTORABLE, UNSTORABLE_WORDS } from './bodies.ts'
import { FORMATS } from './formats.ts'
import { pathOf } from './input-paths.ts'
import { isLonger, problemFinder } from './schema-problems.ts'

const NOTHING = strict({})

/**
 * Validates bodies unchanged: nothing is coerced, removed or filled in. Only names of contacts and
 * the like are trimmed before their length is checked. Path and query values arrive as text and get
 * their types and defaults. `problemFinder` lists the problems. Validation itself ends at the first
 * error, so that it costs no more than reading the input did.
 */
const bodies = compiler({ useDefaults: false })
const values = compiler({ useDefaults: true })

function compiler(options: { useDefaults: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, ...options })
  for (const [name, { holds }] of FORMATS) ajv.addFormat(name, holds)
  addLengths(ajv)
  ajv.addKeyword(NOT_YET_KEYWORD)
  ajv.addKeyword({
    keyword: CLEANED_KEYWORD,
    type: 'string',
    before: 'maxLength',
    modifying: true,
    errors: false,
    validate: (form: Cleaned, text: string, _schema?: unknown, place?: DataValidationCxt) => {
      const cleaned = CLEANERS[form](text)
      if (place) Reflect.set(place.parentData, place.parentDataProperty, cleaned)
      return true
    },
  })
  return ajv
}

const CLEANERS: Record<Cleaned, (text: string) => string> = {
  line: cleanLine,
  word: cleanWord,
  nfc: (text) => text.normalize('NFC'),
}

/** Replaces Ajv's own keywords, which count the characters of each text, even of megabytes. */
function addLengths(ajv: Ajv2020): void {
  const length = { type: 'string', schemaType: 'number', errors: false } as const
  ajv.removeKeyword('maxLength').addKeyword({
    ...length,
    keyword: 'maxLength',
    validate: (most: number, text: string) => !isLonger(text, most),
  })
  ajv.removeKeyword('minLength').addKeyword({
    ...length,
    keyword: 'minLength',
    validate: (least: number, text: string) => isLonger(text, least - 1),
  })
}

interface Checker<T = unknown> {
  isValid: (value: unknown) => value is T
  problems: (value: unknown) => ErrorDetail[]
}

function checker<T = unknown>(ajv: Ajv2020, schema: object, most?: number): Checker<T> {
  const validate: ValidateFunction<T> = ajv.compile<T>(schema)
  const find = problemFinder(schema, most)
  return {
    isValid: (value): value is T => validate(value),
    problems: (value) => {
      const details = find(value)
      return details.length > 0 ? details : [{ path: '', message: 'is not valid' }]
    },
  }
}

/**
 * Checks path, then query, then body. Fastify checks the body before the query, so path and query
 * are checked by a hook that runs before its own validation, which is left with the body.
 */
export function validateRequests(app: FastifyInstance): void {
  app.setValidatorCompiler(compileBody)
  app.addHook('onRoute', (route) => {
    const { params, querystring, body } = route.schema ?? {}
    const checkParams = params ? checker(values, params) : undefined
    // Only public pages ignore what they do not know: a mistyped filter must not return everything.
    const ignores = route.config?.public === true
    const rows = rowListOf(body)
    const wantsNoBody = body === undefined && !ignores
    const querySchema = querystring ?? (ignores ? undefined : NOTHING)
    const checkQuery = querySchema === undefined ? undefined : checker(values, querySchema)
    const numeric = numericNames(querystring)
    const before = route.preValidation
    route.preValidation = [
      (request, _reply, done) => {
        check(request.params, 'path', checkParams)
        if (checkQuery) toNumbers(request.query, numeric)
        check(request.query, 'query', checkQuery)
        checkText(request, rows)
        if (wantsNoBody) checkNoBody(request.body)
        done()
      },
      ...(before === undefined ? [] : Array.isArray(before) ? before : [before]),
    ]
  })
}

const emptyObject = checker(bodies, NOTHING)

/** Reports the fields of a body where none is expected. No body, and `null`, have none. */
function checkNoBody(body: unknown): void {
  if (body === undefined || body === null || emptyObject.isValid(body)) return
  throw badBody(body, emptyObject)
}

const compileBody: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return () => true
  const body = checker(bodies, bodyWithoutRows(schema))
  return (value: unknown) => (body.isValid(value) ? { value } : { error: badBody(value, body) })
}

export type CheckedInput<T> =
  | { value: T; details?: never }
  | { value?: never; details: ErrorDetail[] }

/** Returns a check for rows of a body or a file, with at most `most` details of each. */
export function inputChecker<T extends TSchema>(
  schema: T,
  most?: number,
): (value: unknown) => CheckedInput<Static<T>> {
  const { isValid, problems } = checker<Static<T>>(bodies, schema, most)
  return (value) => (isValid(value) ? { value } : { details: problems(value) })
}

function badBody(body: unknown, { problems }: Checker): AppError {
  if (body === null) {
    return new AppError('VALIDATION_FAILED', 'A JSON body is required', {
      details: [{ path: '', message: 'must be a JSON object' }],
    })
  }
  const details = problems(body)
  const [first] = details
  const where = first === undefined || first.path === '' ? 'The body' : first.path
  return new AppError('VALIDATION_FAILED', `${where} ${first?.message ?? 'is not valid'}`, {
    details,
  })
}

function check(value: unknown, part: 'path' | 'query', checker: Checker | undefined) {
  const isValid = checker === undefined || checker.isValid(value)
  if (isValid && !Object.values(value ?? {}).some(isUnstorable)) return
  const details = isValid ? unstorable(value) : checker.problems(value)
  const [first] = details
  if (first === undefined) return
  throw new AppError('BAD_REQUEST', `The ${part} parameter ${first.path} ${first.message}`, {
    details,
  })
}

const isUnstorable = (value: unknown): boolean =>
  typeof value === 'string' && UNSTORABLE.test(value)

const unstorable = (inputs: unknown): ErrorDetail[] =>
  Object.entries(inputs ?? {})
    .filter(([, value]) => isUnstorable(value))
    .map(([key]) => ({ path: pathOf({ within: undefined, key }), message: UNSTORABLE_WORDS }))

/** Only plain decimal notation is a number. `0x10`, `1e3` and blanks are typing errors. */
const DECIMAL = /^-?\d{1,15}$/

function toNumbers(query: unknown, names: readonly string[]): void {
  if (typeof query !== 'object' || query === null) return
  for (const name of names) {
    const text: unknown = Reflect.get(query, name)
    if (typeof text === 'string' && DECIMAL.test(text)) Reflect.set(query, name, Number(text))
  }
}

function numericNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return []
  return Object.entries(schema.properties ?? {})
    .filter(([, { type }]) => type === 'integer' || type === 'number')
    .map(([name]) => name)
}

/**
 * Returns the error for a body that fits its schema but breaks a rule of ours, in the form of
 * schema errors.
 */
export const invalidBody = (path: string, message: string): AppError =>
  new AppError('VALIDATION_FAILED', `${path} ${message}`, { details: [{ path, message }] })
