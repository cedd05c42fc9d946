import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { storeQueued } from '../../src/core/delivery/receive-queued.ts'
import { UNAPPLIED_EVENTS_A_DAY } from '../../src/domain/delivery/unapplied-events.ts'
import { dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { takeRoom } from '../../src/store/delivery/unapplied-events.ts'
import {
  type Api,
  connectAccount,
  inject,
  insertMail,
  startApi,
  tally,
  wasVerified,
} from '../support/api.ts'

const region = 'eu-central-1'
const MEBIBYTE = 1024 * 1024

let api: Api
let worker: Sql
let accounts = 100_000_000_000
let accountId: string
let connectionId: Uuid
let secret: string

beforeAll(async () => {
  api = await startApi()
  worker = connect(api.databaseUrl, { name: 'applier', role: 'letterloom_worker' })
})
beforeEach(async () => {
  accountId = String(accounts++)
  const connection = await connectAccount(api.alice, { accountId, region })
  connectionId = connection.connectionId
  secret = connection.webhookSecret
})
afterAll(async () => {
  await worker.end()
  await api.close()
})

const event = (changes: object = {}, mail: object = {}) => ({
  id: uuidv7(),
  source: 'aws.ses',
  account: accountId,
  region,
  time: new Date().toISOString(),
  detail: {
    eventType: 'Delivery',
    mail: {
      messageId: uuidv7(),
      timestamp: new Date().toISOString(),
      destination: ['ada@example.com'],
      ...mail,
    },
  },
  ...changes,
})
const post = (payload: object | string) =>
  inject(api.app, {
    method: 'POST',
    url: `/webhooks/ses/${accountId}`,
    headers: { 'x-webhook-secret': secret, 'content-type': 'application/json' },
    payload,
  })
const stored = async () => {
  const [sum] = await api.sql<{ rows: number; bytes: number }[]>`
    select count(*)::int as rows, coalesce(sum(octet_length(body::text)), 0)::int as bytes
    from inbound_events
    where connection_id = ${connectionId}`
  return sum
}
const counted = async () => {
  const [row] = await api.sql<
    { keptRows: number; keptBytes: number; dropped: Record<string, number> }[]
  >`
    select kept_rows, kept_bytes::int as kept_bytes, dropped
    from unapplied_events
    where connection_id = ${connectionId}`
  return row
}
/** Sets the counts of events that were kept today. */
const fill = (rows: number, bytes = 0) => api.sql`
  insert into unapplied_events (organization_id, connection_id, day, kept_rows, kept_bytes)
  values (${api.alice.organizationId}, ${connectionId}, current_date, ${rows}, ${bytes})`
const metric = async (reason: string): Promise<number> => {
  const { values } = await api.deps.metrics.eventsNotApplied.get()
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0
}

describe('an event of a connection that is not applied', () => {
  test('is stored up to 5 MiB a day, and beyond only counted; the answer is the same', async () => {
    await wasVerified(api.sql, connectionId)
    const before = await metric('other_account')
    const large = () => event({ account: '999999999999', padding: 'x'.repeat(MEBIBYTE - 1_000) })
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(large())))
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([200, { status: 'ignored', reason: 'other_account' }])
    }
    expect(await stored()).toMatchObject({ rows: 5 })
    const { keptRows, keptBytes, dropped } = (await counted()) ?? {}
    expect([keptRows, dropped]).toEqual([5, { other_account: 7 }])
    expect(keptBytes).toBeLessThanOrEqual(UNAPPLIED_EVENTS_A_DAY.bytes)
    expect(await metric('other_account')).toBe(before + 12)
  })

  test('is stored up to 10,000 rows a day, whatever the reasons are', async () => {
    await wasVerified(api.sql, connectionId)
    await fill(UNAPPLIED_EVENTS_A_DAY.rows - 1)
    await post(event({ region: 'us-east-1' }))
    expect((await post('no JSON')).body).toEqual({ status: 'ignored', reason: 'invalid_json' })
    const tags = { 'letterloom-message': [`${uuidv7()}_${uuidv7()}`] }
    const unknown = await post(event({}, { tags }))
    expect(unknown.body).toEqual({ status: 'ignored', reason: 'unknown_mail' })
    expect(await stored()).toMatchObject({ rows: 1 })
    expect((await counted())?.dropped).toEqual({ invalid_json: 1, unknown_mail: 1 })
  })

  test('counts for its own connection and day only', async () => {
    await wasVerified(api.sql, connectionId)
    const other = await connectAccount(api.charlie, { accountId, region })
    await api.sql`
      insert into unapplied_events (organization_id, connection_id, day, kept_rows)
      values (${api.alice.organizationId}, ${connectionId}, current_date - 1, 10000),
        (${api.charlie.organizationId}, ${other.connectionId}, current_date, 10000)`
    await post(event({ region: 'us-east-1' }))
    expect(await stored()).toMatchObject({ rows: 1 })
  })

  test('from many processes at once finds exactly the room that there is', async () => {
    const { organizationId } = api.alice
    await fill(UNAPPLIED_EVENTS_A_DAY.rows - 100)
    const one = { organizationId, connectionId, reason: 'r', rows: 1, bytes: 1 }
    const set = Array.from({ length: 7 }, () => ({ ...one, isUnread: false, isStored: false }))
    const sets = await Promise.all(Array.from({ length: 30 }, () => takeRoom(worker, set)))
    expect(sets.flat().filter(Boolean)).toHaveLength(100)
    expect(await counted()).toMatchObject({ keptRows: 10_000, dropped: { r: 110 } })
  })

  test('is limited when it comes by a queue, and the messages may be deleted', async () => {
    await fill(UNAPPLIED_EVENTS_A_DAY.rows)
    const { organizationId } = api.alice
    const source = { organizationId, connectionId, accountId, region, externalId: '' }
    const bodies = ['no JSON', JSON.stringify(event())]
    const messages = bodies.map((body) => ({ receipt: 'r', body }))
    const kept = await storeQueued(worker, { ...source, eventQueueUrl: '' }, messages)
    expect(kept).toEqual({
      isHeard: true,
      notApplied: [{ reason: 'invalid_json', isKept: false }],
      refused: [],
    })
    expect(await stored()).toMatchObject({ rows: 1 })
  })

  test('because it could not be read keeps silence from proving anything, counted or stored', async () => {
    await wasVerified(api.sql, connectionId)
    await fill(UNAPPLIED_EVENTS_A_DAY.rows)
    await post(event({ region: 'us-east-1' }))
    const unreadAt = async () => {
      const [row] = await api.sql<{ at: string | null }[]>`
        select unread_dropped_at as at
        from unapplied_events
        where connection_id = ${connectionId}`
      return row?.at
    }
    expect(await unreadAt()).toBeNull()
    await post('no JSON')
    expect(await unreadAt()).not.toBeNull()
  })
})

describe('events about mail of ours are never limited', () => {
  test('with a tag, or with a message id that is known', async () => {
    await wasVerified(api.sql, connectionId)
    await fill(UNAPPLIED_EVENTS_A_DAY.rows, UNAPPLIED_EVENTS_A_DAY.bytes)
    const { organizationId } = api.alice
    const id = uuidv7()
    const mail = { id, bucket: dayBucket(id) }
    await insertMail(api.sql, { organizationId, connectionId, ...mail })
    const tags = {
      'letterloom-message': [`${mail.bucket}_${mail.id}`],
      'letterloom-organization': [organizationId],
    }
    const timestamp = new Date().toISOString()
    expect((await post(event({}, { tags, timestamp }))).body).toEqual({ status: 'processed' })
    await applyEvents(worker, api.deps.keyring)
    const [row] = await api.sql`select status, message_id from messages where id = ${mail.id}`
    expect(row).toMatchObject({ status: 'delivered' })
    const messageId: string = row?.['messageId']
    expect((await post(event({}, { messageId }))).body).toEqual({ status: 'processed' })
    await applyEvents(worker, api.deps.keyring)
    expect(
      await api.sql`
      select from inbound_events
      where connection_id = ${connectionId} and applied_at is not null and ignored is null`,
    ).toHaveLength(2)
  })

  test('events about other programs’ mail are limited, and those beyond the limit leave no row', async () => {
    await wasVerified(api.sql, connectionId)
    await fill(UNAPPLIED_EVENTS_A_DAY.rows - 1)
    const external = async () => {
      const rows = await api.sql`
        select from messages where connection_id = ${connectionId} and source = 'external'`
      return rows.length
    }
    await post(event())
    await applyEvents(worker, api.deps.keyring)
    expect([await external(), await counted()]).toMatchObject([1, { keptRows: 10_000 }])
    for (let time = 0; time < 3; time++) await post(event())
    await applyEvents(worker, api.deps.keyring)
    expect([await external(), await stored()]).toMatchObject([1, { rows: 1 }])
    expect((await counted())?.dropped).toEqual({ external: 3 })
  })
})

describe('a connection that was never verified', () => {
  test('has ten requests a minute; the secret of a verified one has no limit', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => post(event())))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 10, 429: 4 })
    await wasVerified(api.sql, connectionId)
    const more = await Promise.all(Array.from({ length: 14 }, () => post(event())))
    expect(tally(more.map(({ status }) => status))).toEqual({ 200: 14 })
  })
})
