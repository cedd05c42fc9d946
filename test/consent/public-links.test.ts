import { randomFillSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { addressHash, type Link, type LinkKind, readLink, signLink } from '../../src/keys/tokens.ts'
import { type Api, createContact, inject, startApi } from '../support/api.ts'
import { seedTopic } from '../support/seed.ts'
import { sized } from '../support/size.ts'

const TOKENS = sized(100_000, 1_000_000)
const KINDS: readonly LinkKind[] = ['unsubscribe', 'preferences', 'confirm']

let api: Api
let link: Link
beforeAll(async () => {
  api = await startApi()
  const { organizationId } = api.alice
  const email = 'ada@example.com'
  const { id: contactId } = await createContact(api.alice, { email })
  link = {
    organizationId,
    contactId,
    addressHash: addressHash(organizationId, email),
    topicId: await seedTopic(api.sql, organizationId, [contactId]),
  }
})
afterAll(() => api.close())

/** What every table holds, but for the counts of the rate limits. */
async function dump(): Promise<Record<string, string>> {
  const tables = await api.sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition and relname !~ '^rate_'
    order by relname`
  const held: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await api.admin<{ held: string }[]>`
      select md5(coalesce(string_agg(row::text, '' order by row::text), '')) || count(*) as held
      from ${api.sql(name)} as row`
    held[name] = row?.held ?? ''
  }
  return held
}

test('GET on any public link changes nothing, with any client and any query', async () => {
  const expiresAt = Date.now() + 3_600_000
  const { topicId: _topicId, ...global } = link
  const paths = [
    `/unsubscribe/${signLink(api.deps.keyring, 'unsubscribe', link)}`,
    `/unsubscribe/${signLink(api.deps.keyring, 'unsubscribe', global)}`,
    `/preferences/${signLink(api.deps.keyring, 'preferences', { ...global, expiresAt })}`,
    `/confirm/${signLink(api.deps.keyring, 'confirm', { ...link, expiresAt, generation: 1 })}`,
  ]
  const before = await dump()
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['contacts', 'suppressions', 'outbox']),
  )
  for (const path of paths) {
    for (const method of ['GET', 'HEAD', 'OPTIONS'] as const) {
      for (const accept of ['text/html', '*/*', 'application/json']) {
        for (const query of ['', '?scope=all', '?List-Unsubscribe=One-Click']) {
          await api.app.inject({ method, url: path + query, headers: { accept } })
        }
      }
    }
  }
  expect(await dump()).toEqual(before)
  // The dump would have shown it.
  await inject(api.app, { method: 'POST', url: paths[0]! })
  expect(await dump()).not.toEqual(before)
})

test(`of ${TOKENS} random and bit-flipped tokens none is accepted as any kind`, () => {
  const { keyring } = api.deps
  const genuine = KINDS.map((kind) =>
    Buffer.from(
      signLink(keyring, kind, { ...link, batchId: uuidv7(), generation: 1 }),
      'base64url',
    ),
  )
  const accepted: string[] = []
  for (let n = 0; n < TOKENS; n++) {
    const kind = KINDS[n % KINDS.length]!
    const token = (n % 2 === 0 ? flipped(genuine[n % KINDS.length]!) : madeUp(kind)).toString(
      'base64url',
    )
    if (readLink(keyring, kind, token, 0)) accepted.push(token)
  }
  expect(accepted).toEqual([])
  expect(readLink(keyring, 'confirm', genuine[2]!.toString('base64url'), 0)).toBeDefined()
})

test('forged tokens over HTTP are 400 on every public page and method, and change nothing', async () => {
  const genuine = KINDS.map((kind) =>
    Buffer.from(signLink(api.deps.keyring, kind, link), 'base64url'),
  )
  const before = await dump()
  for (let n = 0; n < 150; n++) {
    const token = flipped(genuine[n % KINDS.length]!).toString('base64url')
    for (const path of [`/unsubscribe/${token}`, `/preferences/${token}`]) {
      const payload = path.startsWith('/preferences') ? { payload: { scope: 'all' } } : {}
      const answers = await Promise.all([
        inject(api.app, { url: path }),
        inject(api.app, { method: 'POST', url: path, ...payload }),
      ])
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [400, 'BAD_REQUEST'],
        [400, 'BAD_REQUEST'],
      ])
    }
  }
  expect(await dump()).toEqual(before)
})

const below = (limit: number): number => Math.floor(Math.random() * limit)

/** One or two bits of it turned. */
function flipped(genuine: Buffer): Buffer {
  const forged = Buffer.from(genuine)
  const first = below(forged.length * 8)
  for (const bit of [first, (first + 1 + below(100)) % (forged.length * 8)].slice(
    0,
    1 + below(2),
  )) {
    forged[bit >> 3]! ^= 1 << (bit & 7)
  }
  return forged
}

/** Like one of ours as far as anyone can tell without the key. */
function madeUp(kind: LinkKind): Buffer {
  const bytes = randomFillSync(Buffer.allocUnsafe(81 + 16 * below(3)))
  bytes.writeUInt8(1, 0)
  bytes.writeUInt8(KINDS.indexOf(kind) + 1, 1)
  bytes.write(`${api.deps.keyring.signing.id}\0\0\0\0\0\0\0\0`.slice(0, 8), 3, 'latin1')
  return bytes
}
