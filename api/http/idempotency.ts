import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, badRequest } from '../../src/domain/errors.ts'
import { anotherRequest, stillRunning } from '../../src/domain/idempotency.ts'
import { hashedId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { IDEMPOTENCY_KEY } from '../../src/schemas/patterns.ts'
import * as idempotencyKeys from '../../src/store/platform/idempotency-keys.ts'
import { type Transaction, transact } from '../../src/store/db/sql.ts'
import { collectRequests, type RequestOfSet, type RequestSets } from './request-sets.ts'
import { isOfCallers } from './route-config.ts'

const HEADER = 'idempotency-key'
const REPLAYED_HEADER = 'idempotency-replayed'
const KEY = new RegExp(IDEMPOTENCY_KEY)
const JSON_TYPE = 'application/json'

declare module 'fastify' {
  interface FastifyContextConfig {
    secrets?: readonly string[]
    leased?: true
    /** Concurrent requests of an organization are done in one transaction. */
    sets?: RequestSets
  }
  interface FastifyRequest {
    readonly tx: Transaction
    [TRANSACTION]: Transaction | undefined
    /** Id of the row that a `leased` route makes. */
    workId: Uuid
    bodyHash: Buffer | undefined
  }
}

type StoredResponse = NonNullable<idempotencyKeys.KeptAnswer['answered']>

const TRANSACTION = Symbol('transaction')

/**
 * Every POST of callers (`isOfCallers`) does its work in one transaction of their organization,
 * once per Idempotency-Key: its handler uses `request.tx` and returns its answer. What it answered
 * is kept by the same transaction, so that a crash leaves both or neither. Only work that succeeds
 * is kept: a refusal is decided afresh.
 *
 * The same key and request: the first answer again. Another request: 422. Still running: 409.
 */
export function takeIdempotencyKeys(app: FastifyInstance): void {
  app.decorateRequest('bodyHash', undefined)
  app.decorateRequest('workId', '')
  app.decorateRequest(TRANSACTION, undefined)
  app.decorateRequest('tx', {
    getter() {
      const tx = this[TRANSACTION]
      if (!tx) throw new Error('only a POST of callers has a transaction of its own')
      return tx
    },
  })
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().includes('POST') || !isOfCallers(route.url)) return
    const { handler, config } = route
    const alone = ({ request, reply }: RequestOfSet) =>
      once(request, reply, async (tx) => {
        request[TRANSACTION] = tx
        return handler.call(app, request, reply)
      })
    if (config?.sets) {
      const { wordsOf, work } = config.sets
      const collect = collectRequests({
        wordsOf: (request) => [keyOf(request) ?? [], ...wordsOf(request)].flat(),
        alone,
        together: (set) => onceTogether(set, work),
      })
      route.handler = async (request, reply) => {
        // Refuses a key that is not valid before the request is one of a set.
        keyOf(request)
        return collect({ request, reply })
      }
      return
    }
    route.handler = function (this: FastifyInstance, request, reply) {
      if (config?.leased) {
        return onceLeased(request, reply, async () => handler.call(this, request, reply))
      }
      return alone({ request, reply })
    }
  })
}

async function once(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<unknown> {
  const { sql, organizationId } = request.caller
  const key = keyOf(request)
  if (key === undefined) return transact(sql, work)

  const fingerprint = fingerprintOf(request)
  const { storedAnswer, value } = await transact(sql, async (tx) => {
    const storedKey = await take(tx, { organizationId, key, fingerprint })
    if (storedKey?.answered) return { storedAnswer: storedKey.answered, value: undefined }
    const value = await work(tx)
    const response = answerOf(value, request, reply)
    await idempotencyKeys.keep(tx, { organizationId, key, fingerprint, ...response })
    return { kept: undefined, value }
  })
  return storedAnswer ? replay(storedAnswer, reply) : value
}

/**
 * Does the work of several requests in one transaction, with the key of each that has one. Returns
 * their answers; of a request that is to be done alone none. Undefined: that is so of all, and
 * nothing is changed.
 */
async function onceTogether(
  set: readonly RequestOfSet[],
  work: RequestSets['work'],
): Promise<readonly (Promise<unknown> | undefined)[] | undefined> {
  const [first] = set
  if (!first) return []
  const { sql, organizationId } = first.request.caller
  const keyed = set.map((one) => ({ ...one, key: keyOf(one.request) }))
  try {
    const answers = await transact(sql, async (tx) => {
      const keys = keyed.flatMap(({ key }) => key ?? [])
      const taken = keys.length > 0 && (await idempotencyKeys.takeAll(tx, organizationId, keys))
      if (taken && taken.isBusy) throw stillRunning()
      const isKnown = (key = ''): boolean => taken && taken.keptByKey.has(key)
      const fresh = keyed.filter(({ key }) => !isKnown(key))
      const values = await work(
        tx,
        fresh.map(({ request }) => request),
      )
      const answerByRequest = new Map(fresh.map(({ request }, at) => [request, values[at]]))
      const kept = keptAnswers(fresh, values)
      if (kept.length > 0) await idempotencyKeys.keepAll(tx, organizationId, kept)
      return set.map(({ request }) => answerByRequest.get(request))
    })
    return answers.map((answer) => answer && settled(answer))
  } catch (error) {
    first.request.log.debug({ err: error, requests: set.length }, 'requests are done one by one')
    return undefined
  }
}

const settled = (answer: object): Promise<unknown> =>
  answer instanceof AppError ? Promise.reject(answer) : Promise.resolve(answer)

/** The answers to keep under their keys. Refusals are decided afresh. */
const keptAnswers = (
  keyed: readonly (RequestOfSet & { key: string | undefined })[],
  values: readonly (object | undefined)[],
) =>
  keyed.flatMap(({ key, request, reply }, at) => {
    const value = values[at]
    if (key === undefined || value === undefined || value instanceof AppError) return []
    return [{ key, fingerprint: fingerprintOf(request), ...answerOf(value, request, reply) }]
  })

/**
 * Runs work of several transactions. The key is leased to one caller at a time for 60 seconds. A
 * retry after a crash has the same `workId`, after which the created rows are named.
 */
async function onceLeased(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const { sql, organizationId } = request.caller
  const key = keyOf(request)
  if (key === undefined) {
    request.workId = uuidv7()
    return work()
  }
  const fingerprint = fingerprintOf(request)
  const lease = await transact(sql, async (tx) => {
    const storedKey = await take(tx, { organizationId, key, fingerprint })
    if (storedKey?.answered) return storedKey.answered
    if (storedKey && !storedKey.isAbandoned) throw stillRunning()
    const lease = await idempotencyKeys.lease(tx, { organizationId, key, fingerprint })
    return { ...lease, isTakenOver: storedKey !== undefined }
  })
  if ('status' in lease) return replay(lease, reply)

  request.workId = hashedId(organizationId, key, lease.startedAt)
  let value: unknown
  try {
    value = await work()
  } catch (error) {
    // Work that another request began may still be under way, and work that failed for no reason
    // of ours may be done: who asks again gets the same `workId`.
    const isDecided = !lease.isTakenOver && error instanceof AppError
    const giveUp = isDecided ? idempotencyKeys.release : idempotencyKeys.endLease
    await giveUp(sql, organizationId, key, lease).catch(() => {})
    throw error
  }
  // The work is done: whatever happens now, who asks again gets the same `workId`.
  const response = answerOf(value, request, reply)
  await idempotencyKeys.keep(sql, { organizationId, key, fingerprint, ...response })
  return value
}

async function take(
  tx: Transaction,
  request: { organizationId: Uuid; key: string; fingerprint: Buffer },
): Promise<idempotencyKeys.KeptAnswer | undefined> {
  const { busy, storedKey } = await idempotencyKeys.take(tx, request.organizationId, request.key)
  if (busy) throw stillRunning()
  if (storedKey && !storedKey.fingerprint.equals(request.fingerprint)) throw anotherRequest()
  return storedKey
}

/** Sends the stored text, since the schema's serializer knows no null for a secret. */
function replay({ status, body }: StoredResponse, reply: FastifyReply): unknown {
  void reply
    .code(status)
    .header(REPLAYED_HEADER, 'true')
    .type('application/json; charset=utf-8')
    .serializer(() => body)
  return {}
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const header = headers[HEADER]
  if (header === undefined) return undefined
  if (typeof header === 'string' && KEY.test(header)) return header
  throw badRequest('The header Idempotency-Key is not valid', [
    { path: HEADER, message: 'must be 1 to 255 printable ASCII characters' },
  ])
}

function fingerprintOf({ method, raw, bodyHash }: FastifyRequest): Buffer {
  const hash = createHash('sha256').update(`${method}\n${raw.url ?? ''}\n`)
  if (bodyHash) hash.update(bodyHash)
  return hash.digest()
}

function answerOf(
  value: unknown,
  { routeOptions }: FastifyRequest,
  reply: FastifyReply,
): StoredResponse {
  if (typeof value !== 'object' || value === null || value === reply) {
    throw new Error('a POST of callers returns its answer')
  }
  const status = reply.statusCode
  // Where a page may be answered instead, the schema is that of the media type.
  const name = String(status)
  const media = reply.getSerializationFunction(name, JSON_TYPE) ? [JSON_TYPE] : []
  const body = String(reply.serializeInput({ ...value }, name, ...media))
  const { secrets = [] } = routeOptions.config
  if (secrets.length === 0) return { status, body }
  const storedBody: object = JSON.parse(body)
  const hidden = Object.fromEntries(secrets.map((name) => [name, null]))
  return { status, body: JSON.stringify({ ...storedBody, ...hidden }) }
}
