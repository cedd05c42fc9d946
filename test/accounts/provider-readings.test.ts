import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as readings from '../../src/store/accounts/provider-readings.ts'
import { tally } from '../support/api.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
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

const begin = (given: Partial<Parameters<typeof readings.begin>[1]> = {}) =>
  readings.begin(database.sql, {
    ...key,
    subject: null,
    leaseMs: 10_000,
    mostAsking: 5,
    ...given,
  })
const addPage = (version: string, page: number, body: string) =>
  readings.addPage(database.sql, key, { version, page, body })
const pagesOf = async () => (await readings.find<string>(database.sql, key))?.pages
const storedPages = async () => {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*) as count from provider_reading_pages where connection_id = ${key.connectionId}`
  return row?.count
}

describe('the look-up of senders', () => {
  const listed = (identity: string, sendingEnabled: boolean | null, status: string | null) => ({
    identity,
    identityType: 'DOMAIN',
    sendingEnabled,
    verificationStatus: status,
  })
  const maySend = async (...names: string[]) =>
    (await readings.findSender(database.sql, key, names))?.maySend

  test.each([
    [true, 'SUCCESS', true],
    [true, 'TEMPORARY_FAILURE', true],
    [true, null, true],
    [true, 'PENDING', false],
    [true, 'FAILED', false],
    [true, 'NOT_STARTED', false],
    [false, 'SUCCESS', false],
    [null, 'SUCCESS', false],
  ])('sending enabled %s, verification %s: %s', async (sendingEnabled, status, expected) => {
    await begin()
    const version = uuidv7()
    for (const [page, identity] of ['one.example', 'Two.example'].entries()) {
      const body = [listed(`other${page}.example`, true, 'SUCCESS')]
      body.push(listed(identity, sendingEnabled, status))
      await readings.addPage(database.sql, key, { version, page, body })
    }
    expect(await maySend('two.example')).toBe(false)
    await readings.answer(database.sql, key, { outcome: 'read', version })
    expect(await maySend('ann@two.example', 'two.example')).toBe(expected)
    expect(await maySend('three.example')).toBe(false)
    const stranger = { ...key, organizationId: uuidv7() }
    expect(await readings.findSender(database.sql, stranger, ['two.example'])).toBeUndefined()
  })
})

test('one of many concurrent callers with the same question asks', async () => {
  const begun = await Promise.all(Array.from({ length: 30 }, () => begin()))
  expect(tally(begun)).toEqual({ asking: 1, joined: 29 })
})

test('different concurrent questions are asked up to the limit', async () => {
  const begun = await Promise.all(
    Array.from({ length: 30 }, (_, n) => begin({ what: `identity/${n}`, subject: `${n}` })),
  )
  expect(tally(begun)).toEqual({ asking: 5, full: 25 })
  // The sixth has its place once another is answered, or was never asked.
  const [first, second] = await database.sql<readings.Key[]>`
    select organization_id, connection_id, what from provider_readings
    where connection_id = ${key.connectionId}`
  await readings.answer(database.sql, first!, { outcome: 'missing', version: uuidv7() })
  await readings.giveUp(database.sql, second!)
  const next = await Promise.all(['a', 'b', 'c'].map((what) => begin({ what })))
  expect(tally(next)).toEqual({ asking: 2, full: 1 })
})

test('a caller just after the answer does not ask again, and does not remove the answer', async () => {
  await begin()
  const version = uuidv7()
  await readings.take(database.sql, key)
  await addPage(version, 0, 'page')
  await readings.answer(database.sql, key, { outcome: 'read', version })
  expect(await begin()).toBe('joined')
  expect(await readings.find(database.sql, key)).toMatchObject({
    outcome: 'read',
    isAsking: false,
    pages: ['page'],
  })
})

test('a question that is being answered keeps its place when somebody gives up', async () => {
  await begin()
  await readings.take(database.sql, key)
  await readings.giveUp(database.sql, key)
  expect(await readings.find(database.sql, key)).toMatchObject({ isAsking: true, isBegun: true })
})

test('pages of two answers never mix, and those of a lost worker are deleted', async () => {
  await begin()
  const [lost, first, second] = [uuidv7(), uuidv7(), uuidv7()] as [string, string, string]
  await addPage(lost, 0, 'lost')
  expect(await pagesOf()).toEqual([])
  await addPage(first, 1, 'one')
  await addPage(first, 0, 'zero')
  await readings.answer(database.sql, key, { outcome: 'read', version: first })
  expect([await pagesOf(), await storedPages()]).toEqual([['zero', 'one'], 2])
  await addPage(second, 0, 'new')
  expect(await pagesOf()).toEqual(['zero', 'one'])
  await readings.answer(database.sql, key, { outcome: 'read', version: second })
  expect([await pagesOf(), await storedPages()]).toEqual([['new'], 1])
})

test('an answer that failed leaves the reading before it, and no page of its own', async () => {
  await begin()
  const [good, bad] = [uuidv7(), uuidv7()] as [string, string]
  await addPage(good, 0, 'good')
  await readings.answer(database.sql, key, { outcome: 'read', version: good })
  await addPage(bad, 0, 'half')
  await readings.answer(database.sql, key, { outcome: 'throttled', version: bad })
  const reading = await readings.find<string>(database.sql, key)
  expect(reading).toMatchObject({ outcome: 'throttled', pages: ['good'] })
  expect(reading?.readAgoMs).toBeLessThan(5_000)
  expect(await storedPages()).toBe(1)
})

test('a reading that nobody asked for in a minute is deleted with its pages; an open question is not', async () => {
  await begin()
  const version = uuidv7()
  await addPage(version, 0, 'old')
  await readings.answer(database.sql, key, { outcome: 'read', version })
  await begin({ what: 'identity/open', subject: 'open' })
  await begin({ what: 'identity/young', subject: 'young' })
  await database.sql`
    update provider_readings set touched_at = now() - interval '61 seconds'
    where connection_id = ${key.connectionId} and what <> 'identity/young'`
  expect(await readings.deleteOld(database.sql)).toBe(1)
  const left = await database.sql<{ what: string }[]>`
    select what from provider_readings where connection_id = ${key.connectionId} order by what`
  expect(left.map(({ what }) => what)).toEqual(['identity/open', 'identity/young'])
  expect(await storedPages()).toBe(0)
})

test('nobody finds what another organization, or another connection, has read', async () => {
  await begin()
  const version = uuidv7()
  await addPage(version, 0, 'ours')
  await readings.answer(database.sql, key, { outcome: 'read', version })
  const { organizationId, connectionId } = await seedOrganization(database.sql)
  for (const other of [
    { ...key, organizationId },
    { ...key, connectionId },
    { ...key, what: 'identity/x' },
  ]) {
    expect(await readings.find(database.sql, other)).toBeUndefined()
    expect(await readings.take(database.sql, other)).toBeUndefined()
  }
})
