import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createIdentityActivities } from '../../activities/accounts/identities.ts'
import type { Identities, ProviderAnswer } from '../../activities/provider.ts'
import type { Identity, ListedIdentity } from '../../src/domain/accounts/identity.ts'
import * as readings from '../../src/store/accounts/provider-readings.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { emptyDns } from '../support/provider.ts'
import { seedOrganization } from '../support/seed.ts'

let database: TestDatabase
let key: readings.Key
beforeAll(async () => {
  database = await createDatabase()
})
beforeEach(async () => {
  const { organizationId, connectionId } = await seedOrganization(database.sql)
  key = { organizationId, connectionId, what: 'identities' }
})
afterAll(() => database.drop())

const page = (...names: string[]): ProviderAnswer<ListedIdentity[]> => ({
  kind: 'told',
  value: names.map((identity) => ({
    identity,
    identityType: 'DOMAIN',
    sendingEnabled: true,
    verificationStatus: 'SUCCESS',
  })),
})

/** Reads with a provider that answers these pages, or describes an identity so. */
async function read(
  pages: ProviderAnswer<ListedIdentity[]>[],
  {
    subject = null,
    found,
  }: { subject?: string | null; found?: ProviderAnswer<Identity | undefined> } = {},
) {
  const asked: string[] = []
  const identities: Identities = {
    async *list({ connectionId }) {
      asked.push(connectionId)
      yield* pages
    },
    find: async (_, identity) => {
      asked.push(identity)
      return found ?? { kind: 'failed' }
    },
  }
  const { sql } = database
  await readings.begin(sql, { ...key, subject, leaseMs: 10_000, mostAsking: 9 })
  const { readIdentities } = createIdentityActivities({ sql, identities, resolver: emptyDns })
  const result = await readIdentities(key)
  return { asked, result, reading: await readings.find<ListedIdentity[]>(sql, key) }
}

const namesIn = (pages: ListedIdentity[][] | undefined) =>
  pages?.map((each) => each.map(({ identity }) => identity))

test('keeps every page in its order and answers a version only', async () => {
  const { result, reading } = await read([page('a.example', 'b.example'), page('c.example')])
  expect(namesIn(reading?.pages)).toEqual([['a.example', 'b.example'], ['c.example']])
  expect(reading?.outcome).toBe('read')
  expect(Object.keys(result)).toEqual(['version'])
})

test('a list that breaks off is no reading: not half of it is seen', async () => {
  const { reading } = await read([page('a.example'), { kind: 'throttled' }])
  expect([reading?.outcome, reading?.pages, reading?.isAsking]).toEqual(['throttled', [], false])
})

test('an empty account has been read', async () => {
  const { reading } = await read([page()])
  expect([reading?.outcome, reading?.pages]).toEqual(['read', [[]]])
})

test('an identity that is not there is missing; one that nobody can ask about has failed', async () => {
  const missing = await read([], {
    subject: 'x.example',
    found: { kind: 'told', value: undefined },
  })
  expect([missing.asked, missing.reading?.outcome]).toEqual([['x.example'], 'missing'])
  const { organizationId, connectionId } = await seedOrganization(database.sql)
  key = { ...key, organizationId, connectionId }
  const failed = await read([], { subject: 'x.example' })
  expect(failed.reading?.outcome).toBe('failed')
})

test('a disconnected account is not asked', async () => {
  await database.sql`
    update connections set disconnected_at = now() where id = ${key.connectionId}`
  const { asked, reading } = await read([page('a.example')])
  expect([asked, reading?.outcome, reading?.pages]).toEqual([[], 'denied', []])
})

test('a question that was deleted meanwhile is not asked', async () => {
  const { sql } = database
  let asked = 0
  const identities: Identities = {
    async *list() {
      asked++
      yield page()
    },
    find: async () => ({ kind: 'failed' }),
  }
  const { readIdentities } = createIdentityActivities({ sql, identities, resolver: emptyDns })
  await readIdentities({ ...key, what: 'identity/forgotten' })
  expect(asked).toBe(0)
})
