import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../src/domain/errors.ts'
import { answerError } from '../http/errors.ts'

const PLACE = /^((?:workflows\[\d+\]\.)?)steps\[(\d+)\](?:\.|$)/

/**
 * Returns an error handler for bodies with steps. It adds the name of the step to problems that the
 * schema finds, as all other problems with steps have it.
 */
export function namingSteps(
  error: FastifyError | AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') {
    return answerError(error, request, reply)
  }
  const details = error.details?.map(({ path, message }) => {
    const [place = '', list = '', index = ''] = PLACE.exec(path) ?? []
    const rest = path.slice(place.length)
    const name = nameAt(request.body, `${list}steps[${index}]`)
    return name === undefined ? { path, message } : { path, message: `${name}: ${rest} ${message}` }
  })
  const [first] = details ?? []
  const isNamed = first !== undefined && first.message !== error.details?.[0]?.message
  const namedError = new AppError(error.code, isNamed ? first.message : error.message, {
    ...(details === undefined ? {} : { details }),
    ...(error.reason === undefined ? {} : { reason: error.reason }),
  })
  return answerError(namedError, request, reply)
}

/** Returns the name of the step at `path` of the body. Undefined: it has no id. */
function nameAt(body: unknown, path: string): string | undefined {
  let value = body
  for (const key of path.split(/[.[\]]+/).filter((each) => each !== '')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, key)
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { id, name }: { id?: unknown; name?: unknown } = value
  if (typeof id !== 'string' || id.length > 100) return undefined
  return typeof name === 'string' && name.length <= 200 ? `Step "${name}" (${id})` : `Step (${id})`
}
