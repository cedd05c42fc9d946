import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { answered } from '../support/answered.ts'
import { tally } from '../support/api.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { sized } from '../support/size.ts'

/** All in all; of each kind there is one for each operation then. */
const LEAST_BODIES = sized(0, 10_000)
/** Of a quick run: one in so many, each kind for some operations and each operation of some. */
const STRIDE = sized(7, 1)
const CONNECTIONS = sized(8, 32)
/** More than one, so that no organization's rate limit answers before its body is looked at. */
const ORGANIZATIONS = 8
const MOST_GROWTH = 20 * 1024 * 1024
const ACCOUNT = '123456789012'
const DEPTH = 10_000

let database: TestDatabase
let api: ApiProcess
let keys: string[]
let webhookSecret: string
let targets: { method: 'POST' | 'PUT' | 'PATCH'; path: string; fields: string[] }[]

beforeAll(async () => {
  database = await createDatabase()
  api = await startApiProcess(database.url)
  const owner = { name: 'Alice Ltd', ownerName: 'Alice' }
  const made = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, (_, n) =>
      createOrganization(database.sql, { ...owner, ownerEmail: `alice-${n}@example.com` }),
    ),
  )
  await database.sql`update organizations set plan = 'enterprise'`
  keys = made.map(({ key }) => key)
  const registered = await answered(() =>
    fetch(`${api.url}/v1/connections`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ accountId: ACCOUNT, region: 'eu-west-1' }),
    }),
  )
  const account = (await registered.json()) as { webhookSecret: string }
  webhookSecret = account.webhookSecret
  targets = await writingOperations()
})
afterAll(async () => {
  await api.stop()
  await database.drop()
})

/** All that take a body, with the names of its fields. */
async function writingOperations() {
  const answer = await answered(() => fetch(`${api.url}/openapi.json`))
  const document = (await answer.json()) as {
    paths: Record<string, Record<string, { requestBody?: unknown }>>
    components: { schemas: Record<string, { properties?: object }> }
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([name, { requestBody }]) => {
      const method = (['POST', 'PUT', 'PATCH'] as const).find((each) => each === name.toUpperCase())
      if (method === undefined) return []
      const title = /schemas\/(\w+)/.exec(JSON.stringify(requestBody) ?? '')?.[1] ?? ''
      const fields = Object.keys(document.components.schemas[title]?.properties ?? {})
      const filled = path.replace('{accountNumber}', ACCOUNT).replace(/\{\w+\}/g, 'nobody')
      return [{ method, path: filled, fields }]
    }),
  )
}

const JSON_TYPE = 'application/json'

interface Malformed {
  bytes: Buffer | string
  type?: string
}

/** Each takes a number, so that no two bodies need be the same. */
const KINDS: Record<string, (n: number, fields: string[]) => Malformed> = {
  'bad UTF-8': (n) => ({ bytes: Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0xff, n % 256, 0x22, 0x7d]) }),
  'bad UTF-8 in a string': (n) => ({
    bytes: Buffer.concat([Buffer.from('{"zz":"'), Buffer.from([0xc3, n % 256]), Buffer.from('"}')]),
  }),
  NUL: (n) => ({ bytes: `{"zz${n}":"\\u0000"}` }),
  'a raw NUL': (n) => ({ bytes: `{"zz${n}":"\0"}` }),
  'half a character': (n) => ({ bytes: `{"zz${n}":"\\ud83${n % 10}"}` }),
  'half a character in a key': () => ({ bytes: '{"\\udc00":1}' }),
  'no such number': (n) => ({ bytes: `{"zz${n}":1e400}` }),
  'a long number': (n) => ({ bytes: `{"zz":${'9'.repeat(1 + (n % 5_000))}}` }),
  'no end of arrays': () => ({ bytes: `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}` }),
  'no end of objects': () => ({
    bytes: `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`,
  }),
  'no end of objects in a field': (_n, [field = 'zz']) => ({
    bytes: `{"zz":1,"${field}":${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}}`,
  }),
  __proto__: (n) => ({ bytes: `{"__proto__":{"a":${n}}}` }),
  constructor: () => ({ bytes: '{"constructor":{"prototype":{"a":1}}}' }),
  'keys twice': (n) => ({ bytes: `{"zz":${n},"zz":${n + 1},"__proto__x":1}` }),
  'UTF-16': () => ({
    bytes: Buffer.from('{"zz":1}', 'utf16le'),
    type: `${JSON_TYPE}; charset=utf-16`,
  }),
  'another charset': () => ({
    bytes: Buffer.from('{"zz":"\xe4"}', 'latin1'),
    type: `${JSON_TYPE}; charset=iso-8859-1`,
  }),
  'a media type that is none': () => ({ bytes: '{}', type: 'application/json/json' }),
  'cut off': (n, fields) => ({ bytes: example(fields).slice(0, 1 + (n % 40)) }),
  'gzip without saying so': () => ({ bytes: gzipSync('{"zz":1}') }),
  'a byte order mark': (n) => ({ bytes: `\ufeff{"zz":${n}}` }),
  'two byte order marks': () => ({ bytes: '\ufeff\ufeff{}' }),
  'wrong types everywhere': (n, fields) => ({
    bytes: JSON.stringify(
      Object.fromEntries(['zz', ...fields].map((name, i) => [name, wrong(n + i)])),
    ),
  }),
  'no object': (n) => ({ bytes: JSON.stringify(wrong(n)) }),
  'a word': () => ({ bytes: 'undefined' }),
  'many keys': (n) => ({
    bytes: JSON.stringify(
      Object.fromEntries(Array.from({ length: n % 2_000 || 1 }, (_, i) => [`zz${i}`, i])),
    ),
  }),
}

const example = (fields: string[]): string =>
  JSON.stringify(Object.fromEntries(['zz', ...fields].map((name) => [name, 'text of some length'])))

const wrong = (n: number): unknown =>
  [[[{}]], [null], -1, 0.5, false, [[]], 1e300, [[['a']]], ['', 1]][n % 9]

interface Seen {
  kind: string
  target: string
  status: number
  isApiError: boolean
  isIgnoredEvent: boolean
  text: string
}

test('thousands of malformed bodies are refused as ApiErrors, and cost the server no memory', async () => {
  const kinds = Object.entries(KINDS)
  const pairs = Math.ceil((kinds.length * targets.length) / STRIDE)
  const bodies = Math.max(LEAST_BODIES, pairs)
  const pool = new Pool(api.url, { connections: CONNECTIONS, pipelining: 1 })
  let next = 0
  const seen: Seen[] = []
  const sendAll = async (until: number): Promise<void> => {
    while (next < until) seen.push(await sendOne(pool, next++, kinds))
  }
  const inParallel = (until: number) =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => sendAll(until)))
  await inParallel(bodies / 10)
  const before = await api.memory()
  await inParallel(bodies)
  const growth = (await api.memory()) - before
  await pool.close()
  const odd = seen.filter(
    ({ status, isApiError, isIgnoredEvent }) =>
      !isIgnoredEvent && (status < 400 || status > 499 || !isApiError),
  )
  expect(
    odd.slice(0, 5),
    JSON.stringify(tally(odd.map(({ kind, target, status }) => `${kind} ${target} ${status}`))),
  ).toEqual([])
  expect(seen.length).toBe(bodies)
  expect(new Set(seen.map(({ kind }) => kind)).size).toBe(kinds.length)
  expect(growth).toBeLessThan(MOST_GROWTH)
  // Not `/health`: what was sent without a proof has used up what this address may ask.
  const after = await answered(() => fetch(`${api.url}/openapi.json`))
  expect(after.ok).toBe(true)
})

async function sendOne(
  pool: Pool,
  n: number,
  kinds: [string, (typeof KINDS)[string]][],
): Promise<Seen> {
  const pair = n * STRIDE
  const [kind, make] = kinds[pair % kinds.length]!
  const { method, path, fields } = targets[Math.floor(pair / kinds.length) % targets.length]!
  const { bytes, type = JSON_TYPE } = make(n, fields)
  const { status, headers, text } = await answered(async () => {
    const answer = await pool.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${keys[n % keys.length]}`,
        'x-webhook-secret': webhookSecret,
        'content-type': type,
      },
      body: bytes,
    })
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  })
  return {
    kind,
    target: `${method} ${path}`,
    status,
    isApiError: isApiError(headers, text),
    // With a right secret the event bus is never refused: it would lose the event.
    isIgnoredEvent:
      path.startsWith('/webhooks/') && status === 200 && text.startsWith('{"status":"ignored"'),
    text,
  }
}

function isApiError(headers: Record<string, unknown>, text: string): boolean {
  try {
    const { error, code, requestId } = JSON.parse(text) as Record<string, unknown>
    return (
      typeof error === 'string' && typeof code === 'string' && requestId === headers['x-request-id']
    )
  } catch {
    return false
  }
}
