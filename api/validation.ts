import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { AppError, type ErrorDetail } from '../src/domain/errors.ts'
import { isAddress } from '../src/domain/text.ts'
import { isUuid } from '../src/ids.ts'
import { strict } from '../src/schemas/common.ts'
import { checkText, UNSTORABLE } from './bodies.ts'
import { meant } from './union-errors.ts'

/** More details than this help nobody. */
const MOST_DETAILS = 100

/**
 * Bodies are taken as they are: nothing is coerced, removed or filled in, and every error is
 * reported. Path and query values arrive as text and get their types and defaults.
 */
const bodies = compiler({ useDefaults: false })
const values = compiler({ useDefaults: true })

function compiler(options: { useDefaults: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, ...options })
  addFormats.default(ajv, ['date', 'date-time'])
  ajv.addFormat('uuid', isUuid)
  ajv.addFormat('email', isAddress)
  return ajv
}

/**
 * Checks path, then query, then body. Fastify checks the body before the query, so path and query
 * are checked by a hook that runs before its own validation, which is left with the body.
 */
export function validateRequests(app: FastifyInstance): void {
  app.setValidatorCompiler(compileBody)
  app.addHook('onRoute', (route) => {
    const { params, querystring, body } = route.schema ?? {}
    const checkParams = params ? values.compile(params) : undefined
    // Only public pages ignore what they do not know: a mistyped filter must not return everything.
    const ignores = route.config?.public === true
    const wantsNoBody = body === undefined && !ignores
    const known = querystring ?? (ignores ? undefined : strict({}))
    const checkQuery = known === undefined ? undefined : values.compile(known)
    const numeric = numericNames(querystring)
    const before = route.preValidation
    route.preValidation = [
      (request, _reply, done) => {
        check(request.params, 'path', checkParams)
        if (checkQuery) toNumbers(request.query, numeric)
        check(request.query, 'query', checkQuery)
        checkText(request)
        if (wantsNoBody) checkNoBody(request.body)
        done()
      },
      ...(before === undefined ? [] : Array.isArray(before) ? before : [before]),
    ]
  })
}

const isEmptyObject = bodies.compile(strict({}))

/** Where no body is known its fields are unknown ones. No body, and `null`, have none. */
function checkNoBody(body: unknown): void {
  if (body === undefined || body === null || isEmptyObject(body)) return
  throw badBody(body, isEmptyObject)
}

const compileBody: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return () => true
  const validate = bodies.compile(schema)
  return (body: unknown) => (validate(body) ? { value: body } : { error: badBody(body, validate) })
}

/** What is wrong with a value by a schema, for what comes in another way than as a JSON body. */
export function inputChecker(schema: object): (value: unknown) => ErrorDetail[] {
  const validate = bodies.compile(schema)
  return (value) => (validate(value) ? [] : toDetails(validate.errors ?? []))
}

function badBody(body: unknown, { errors }: ValidateFunction): AppError {
  if (body === null) {
    return new AppError('VALIDATION_FAILED', 'A JSON body is needed', {
      details: [{ path: '', message: 'must be a JSON object' }],
    })
  }
  const details = toDetails(errors ?? [])
  const [first] = details
  const where = first === undefined || first.path === '' ? 'The body' : first.path
  return new AppError('VALIDATION_FAILED', `${where} ${first?.message ?? 'is not valid'}`, {
    details,
  })
}

function check(given: unknown, part: 'path' | 'query', validate: ValidateFunction | undefined) {
  const isValid = validate === undefined || validate(given)
  if (isValid && !Object.values(given ?? {}).some(isUnstorable)) return
  const details = isValid ? unstorable(given) : toDetails(validate.errors ?? [])
  const [first] = details
  if (first === undefined) return
  throw new AppError('BAD_REQUEST', `The ${part} parameter ${first.path} ${first.message}`, {
    details,
  })
}

const isUnstorable = (value: unknown): boolean =>
  typeof value === 'string' && UNSTORABLE.test(value)

const unstorable = (given: unknown): ErrorDetail[] =>
  Object.entries(given ?? {})
    .filter(([, value]) => isUnstorable(value))
    .map(([path]) => ({
      path,
      message: 'must not contain NUL characters or halves of characters',
    }))

/** Only plain decimal notation is a number: `0x10`, `1e3` and blanks are typing errors. */
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

/** What each branch of an `anyOf` wants says more than that none of them fits. */
const toDetails = (errors: readonly ErrorObject[]): ErrorDetail[] =>
  meant(errors)
    .filter(({ keyword }) => keyword !== 'anyOf')
    .slice(0, MOST_DETAILS)
    .map(toDetail)

function toDetail({ instancePath, keyword, params, message }: ErrorObject): ErrorDetail {
  const path = instancePath
    .slice(1)
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  const within = (name: unknown) => (path === '' ? String(name) : `${path}.${String(name)}`)
  switch (keyword) {
    case 'required':
      return { path: within(params['missingProperty']), message: 'is required' }
    case 'additionalProperties':
      return { path: within(params['additionalProperty']), message: 'is not known here' }
    case 'enum': {
      const words: unknown = params['allowedValues']
      const list = Array.isArray(words) ? words.join(', ') : ''
      return { path, message: `must be one of: ${list}` }
    }
    default:
      return { path, message: message ?? 'is not valid' }
  }
}

/**
 * The body of the request that fits its schema but not a rule of ours, as the schema would say it.
 */
export const invalidBody = (path: string, message: string): AppError =>
  new AppError('VALIDATION_FAILED', `${path} ${message}`, { details: [{ path, message }] })
