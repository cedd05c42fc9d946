import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  rememberAccounts,
  requireSender,
  resolveSender,
  type SenderNames,
} from '../../src/core/accounts/resolve-sender.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { newAccountId, seedOrganization } from '../support/seed.ts'

const FROM = 'News <news@example.com>'
let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** Connects one more account to an organization, in another region. */
async function connect(organizationId: string, accountId = newAccountId()) {
  const other = await seedOrganization(database.sql, { accountId })
  await database.sql`
    update connections set organization_id = ${organizationId}, region = 'us-east-1'
    where id = ${other.connectionId}`
  return { ...other, organizationId }
}

const resolve = (organizationId: string, names: Omit<SenderNames, 'from'>) =>
  resolveSender(database.sql, organizationId, { from: FROM, ...names })

const problemOf = async (organizationId: string, names: Omit<SenderNames, 'from'> = {}) => {
  const found = await resolve(organizationId, names)
  return 'problem' in found ? `${found.path} ${found.message}` : found.connectionId
}

it('the account is the one that is named, or the only one that is connected', async () => {
  const { organizationId, connectionId, accountId } = await seedOrganization(database.sql)
  expect(await problemOf(organizationId)).toBe(connectionId)
  expect(await problemOf(organizationId, { cloudAccountId: null })).toBe(connectionId)
  const second = await connect(organizationId)
  expect(await problemOf(organizationId)).toBe(
    'cloudAccountId is required, since several accounts are connected',
  )
  expect(await problemOf(organizationId, { cloudAccountId: connectionId })).toBe(connectionId)
  const awsAccountId = second.accountId
  expect(await problemOf(organizationId, { awsAccountId })).toBe(second.connectionId)
  expect(await problemOf(organizationId, { cloudAccountId: accountId, awsAccountId })).toBe(
    'awsAccountId differs from cloudAccountId',
  )
  await connect(organizationId, accountId)
  expect(await problemOf(organizationId, { cloudAccountId: accountId })).toBe(
    'cloudAccountId is the number of an account with several connections. Send the id of one',
  )
})

it('an account that is disconnected, unknown or of another organization sends nothing', async () => {
  const { organizationId, connectionId, accountId } = await seedOrganization(database.sql)
  const stranger = await seedOrganization(database.sql)
  await database.sql`
    update connections set is_verified = false, disconnected_at = now() where id = ${connectionId}`
  expect(await problemOf(organizationId)).toBe(
    'cloudAccountId is required, but no account is connected',
  )
  for (const [cloudAccountId, message] of [
    [connectionId, 'is a disconnected account'],
    [accountId, 'is not the number of a connected account'],
    [stranger.accountId, 'is not the number of a connected account'],
    [stranger.connectionId, 'is not an account of this organization'],
    [uuidv7(), 'is not an account of this organization'],
    ['account', 'is not an account of this organization'],
  ] as const) {
    expect(await problemOf(organizationId, { cloudAccountId })).toBe(`cloudAccountId ${message}`)
  }
  const names = { from: FROM, cloudAccountId: stranger.connectionId }
  const required = transact(database.sql, (tx) => requireSender(tx, organizationId, names))
  await expect(required).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

it('the mailbox is of `from`, `fromName` and `replyTo`', async () => {
  const { organizationId, connectionId } = await seedOrganization(database.sql)
  expect(await resolve(organizationId, { replyTo: ' answers@example.com ' })).toEqual({
    connectionId,
    receivesEvents: true,
    address: 'news@example.com',
    name: 'News',
    replyTo: 'answers@example.com',
  })
  expect(await problemOf(organizationId, { fromName: 'Other' })).toBe(
    'fromName differs from the name in from',
  )
  expect(await resolveSender(database.sql, organizationId, { from: null })).toMatchObject({
    problem: 'no_from',
  })
})

it('one of many equal names of an account is looked up', async () => {
  const { organizationId, connectionId } = await seedOrganization(database.sql)
  const accountOf = rememberAccounts()
  const find = (cloudAccountId?: string) =>
    accountOf(database.sql, organizationId, { cloudAccountId })
  expect(find()).toBe(find())
  expect(find(connectionId)).not.toBe(find())
  expect(await find(connectionId)).toMatchObject({ id: connectionId })
})
