import { afterAll, beforeAll, expect, test } from 'vitest'
import { newApiKey } from '../../src/keys/tokens.ts'
import { type Api, type Client, inject, startApi } from '../support/api.ts'
import { AUDITED } from '../support/audited.ts'
import {
  ID_KINDS,
  type IdKind,
  idOf,
  type Place,
  PLACES,
  rightCredential,
  sentAs,
} from '../support/matrix.ts'
import { isFull, partOf } from '../support/size.ts'
import { guarantee } from '../support/guarantee.ts'

/**
 * Every operation of the document × {own, other's, unknown, malformed} id × each credential. What
 * is refused before an id is looked at is asked for one id of each operation, another one each
 * time; `npm run test:slow` asks for all of them.
 */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
interface Operation {
  name: string
  method: Method
  path: string
}

let api: Api
let operations: Operation[]

const KEY_SCOPES = ['read', 'contacts', 'events', 'send', 'full'] as const

beforeAll(async () => {
  api = await startApi()
  const { body: document } = await inject(api.app, { method: 'GET', url: '/openapi.json' })
  operations = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        name: operationId,
        method: method.toUpperCase() as Method,
        path,
      })),
  )
})
afterAll(() => api.close())

const placeOf = ({ name }: Operation): Place => {
  const place = PLACES[name]
  if (!place) throw new Error(`${name} has no place in test/support/matrix.ts`)
  return place
}

interface Cell {
  operation: Operation
  /** Whose body is sent; the body is always one that fits. */
  client: Client
  id: IdKind
  authorization: string | undefined
}

const statusOf = async ({ authorization, ...cell }: Cell) =>
  answerTo(authorization, await requestOf(cell))

/** A request as it is before somebody's credential is in it, with things made for it. */
async function requestOf({ operation, client, id }: Omit<Cell, 'authorization'>) {
  const place = placeOf(operation)
  const wanted = place.id === undefined ? '' : await idOf(api, place.id, id)
  const path = operation.path.replace(/\{[^}]+\}/, encodeURIComponent(wanted))
  const url = place.query === undefined ? path : `${path}?${place.query}`
  const headers = await place.headers?.(api, client)
  return { method: operation.method, url, ...sentAs(await place.body?.(api, client), headers) }
}

const answerTo = (
  authorization: string | undefined,
  { headers, ...request }: Awaited<ReturnType<typeof requestOf>>,
) =>
  inject(api.app, {
    ...request,
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
  })

/** What the contract says that the right credential is answered. */
function expected({ own, foreign = 403, unknown = 404, malformed = 404 }: Place, id: IdKind) {
  return { own, other: foreign, unknown, malformed }[id]
}

const idsOf = (place: Place): readonly IdKind[] => (place.id === undefined ? ['own'] : ID_KINDS)
/** What is nobody's is the same from both sides. */
const fromOutside = (place: Place) =>
  isFull ? idsOf(place) : idsOf(place).filter((id) => id === 'own' || id === 'other')
/** One in turn, all of them in `npm run test:slow`. */
const someIdsOf = (place: Place, turn: number): readonly IdKind[] =>
  place.id === undefined ? ['own'] : partOf(ID_KINDS, turn, ID_KINDS.length)

test('every operation of the document has a place in the matrix, and no place is left over', () => {
  const names = operations.map(({ name }) => name)
  expect(Object.keys(PLACES).sort()).toEqual([...new Set(names)].sort())
})

test('without credentials, with malformed, unknown, revoked or expired ones: 401 for every id', async () => {
  const revoked = await api.client(api.alice.organizationId, ['full'])
  await api.sql`update api_keys set revoked_at = now() where id = ${revoked.keyId}`
  const expired = await api.client(api.alice.organizationId, ['full'], '2020-01-01T00:00:00.000Z')
  const credentials = {
    none: undefined,
    malformed: 'Bearer loom_nonsense',
    basic: `Basic ${Buffer.from('alice:secret').toString('base64')}`,
    unknown: `Bearer ${newApiKey().key}`,
    revoked: `Bearer ${revoked.key}`,
    expired: `Bearer ${expired.key}`,
  }
  const wrong: unknown[] = []
  for (const [n, operation] of operations.entries()) {
    const place = placeOf(operation)
    for (const id of someIdsOf(place, n)) {
      const cell = { operation, client: api.alice, id }
      // What is refused changes nothing: all of these can name the same thing.
      const refused = await requestOf(cell)
      for (const [name, authorization] of Object.entries(credentials)) {
        const request = place.scopes === undefined ? await requestOf(cell) : refused
        const { status, headers } = await answerTo(authorization, request)
        const right = place.scopes === undefined ? expected(place, id) : 401
        const isTold = place.scopes === undefined || headers['www-authenticate'] === 'Bearer'
        if (status !== right || !isTold) wrong.push([operation.name, id, name, status, right])
      }
    }
  }
  guarantee(() => expect(wrong).toEqual([]))
})

test('the right credential: own, other’s, unknown and malformed ids are told apart as the contract says', async () => {
  const wrong: unknown[] = []
  for (const operation of operations) {
    const place = placeOf(operation)
    for (const id of idsOf(place)) {
      const authorization = await rightCredential(api, api.alice, place)
      const cell = { operation, client: api.alice, id, authorization }
      const { status, text } = await statusOf(cell)
      if (status !== expected(place, id)) wrong.push([operation.name, id, status, text])
    }
  }
  guarantee(() => expect(wrong).toEqual([]))
})

test('each operation records the audit events of the table', async () => {
  const noted: Record<string, string[]> = {}
  for (const operation of operations) {
    const place = placeOf(operation)
    if (place.scopes === undefined) continue
    const authorization = await rightCredential(api, api.alice, place)
    const { status, headers } = await statusOf({
      operation,
      client: api.alice,
      id: 'own',
      authorization,
    })
    expect([operation.name, status]).toEqual([operation.name, place.own])
    const events = await api.sql<{ action: string }[]>`
      select action
      from audit_events
      where organization_id = ${api.alice.organizationId}
        and request_id = ${String(headers['x-request-id'])}
      order by id`
    const isDecided = operation.method !== 'GET' || events.length > 0
    if (isDecided) noted[operation.name] = events.map(({ action }) => action)
  }
  expect(noted).toEqual(AUDITED)
})

test('another organization’s credential sees the same table from the other side', async () => {
  const mirrored: Record<IdKind, IdKind> = {
    own: 'other',
    other: 'own',
    unknown: 'unknown',
    malformed: 'malformed',
  }
  const wrong: unknown[] = []
  for (const operation of operations) {
    const place = placeOf(operation)
    for (const id of fromOutside(place)) {
      const authorization = await rightCredential(api, api.charlie, place)
      const cell = { operation, client: api.charlie, id, authorization }
      const { status, text } = await statusOf(cell)
      const right = expected(place, place.id === undefined ? 'own' : mirrored[id])
      if (status !== right) wrong.push([operation.name, id, status, right, text])
    }
  }
  guarantee(() => expect(wrong).toEqual([]))
})

test('each scope of a key opens what the contract says and nothing else', async () => {
  const keys = await Promise.all(
    KEY_SCOPES.map(async (scope) => ({
      scope,
      client: await api.client(api.alice.organizationId, [scope]),
    })),
  )
  const wrong: unknown[] = []
  for (const [n, operation] of operations.entries()) {
    const place = placeOf(operation)
    if (place.scopes === undefined) continue
    for (const [turn, { scope, client }] of keys.entries()) {
      const isAllowed = place.scopes.includes(scope)
      // A caller without the scope learns nothing of what is there.
      for (const id of isAllowed ? (['own'] as const) : someIdsOf(place, n + turn)) {
        const authorization = `Bearer ${client.key}`
        const answer = await statusOf({ operation, client: api.alice, id, authorization })
        const told = answer.headers['www-authenticate'] as string | undefined
        const isRight = isAllowed
          ? answer.status === place.own
          : answer.status === 403 &&
            (place.scopes.length === 0
              ? answer.body.reason === 'session_required' &&
                told === 'Bearer error="insufficient_scope"'
              : answer.body.reason === 'insufficient_scope' &&
                told?.startsWith('Bearer error="insufficient_scope", scope="') === true)
        if (!isRight) wrong.push([operation.name, scope, id, answer.status, answer.text])
      }
    }
  }
  guarantee(() => expect(wrong).toEqual([]))
})
