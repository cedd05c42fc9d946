import { completeBatch } from '../../src/core/batches/complete-batch.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import { reconcileClaims } from '../../src/loops/claim-reconciler.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as claims from '../../src/store/delivery/claims.ts'
import { isBeingMailed } from '../../src/core/delivery/in-flight.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults, type Result } from '../../src/store/delivery/record-results.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase } from '../support/database.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
  seedTopic,
} from '../support/seed.ts'

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let seeded: Seeded
let run: batchRuns.Run
let bucket: string
let contactIds: string[]

const COUNT = 500
const log = { info: () => {}, warn: () => {}, error: () => {} }

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

beforeEach(async () => {
  seeded = await seedOrganization(sql)
  contactIds = await seedContacts(sql, seeded.organizationId, COUNT)
  const batchId = await seedBatch(sql, seeded)
  run = { organizationId: seeded.organizationId, batchId, attempt: 1 }
  await freezePage(sql, { ...run, pageSize: 10_000, chunkSize: 100 })
  bucket = (await batchRuns.context(sql, run.organizationId, batchId))?.bucket ?? ''
})

const claim = (limit: number, claimId = uuidv7()) =>
  claimRange(sql, {
    ...run,
    bucket,
    connectionId: seeded.connectionId,
    claimId,
    from: batchRowId(bucket, 0),
    to: batchRowId(bucket, COUNT),
    limit,
  })

const settle = (claimId: string, results: Result[]) =>
  recordResults(
    sql,
    { organizationId: run.organizationId, bucket, claimId, batchId: run.batchId },
    results,
  )

const sent = ({ id }: { id: string }): Result => ({
  id,
  outcome: 'sent',
  messageId: `m-${id}`,
  subject: 'News',
})

const ledger = () => batchRuns.ledger(sql, run.organizationId, bucket)

const age = async (table: 'claims', seconds: number) =>
  sql`update ${sql(table)} set claimed_at = claimed_at - ${seconds} * interval '1 second'`

describe('a frozen audience', () => {
  it('is dense, in order, once each, also when frozen in pages and by two at once', async () => {
    const batchId = await seedBatch(sql, seeded)
    const freeze = { ...run, batchId, pageSize: 120, chunkSize: 100 }
    const pages = await Promise.all(Array.from({ length: 8 }, () => freezePage(sql, freeze)))
    expect(pages.filter((page) => page?.complete).map((page) => page?.total)).toContain(COUNT)
    const context = await batchRuns.context(sql, run.organizationId, batchId)
    const rows = await sql<{ id: string; contactId: string }[]>`
      select id, contact_id from messages where bucket = ${context?.bucket ?? ''} order by id`
    expect(rows.map(({ id }) => id)).toEqual(
      Array.from({ length: COUNT }, (_, seq) => batchRowId(context?.bucket ?? '', seq)),
    )
    expect(rows.map(({ contactId }) => contactId)).toEqual(contactIds)
  })

  it('is not written for a batch that was cancelled meanwhile', async () => {
    const batchId = await seedBatch(sql, seeded)
    await sql`update batches set status = 'cancelled' where id = ${batchId}`
    expect(await freezePage(sql, { ...run, batchId, pageSize: 100, chunkSize: 10 })).toBeUndefined()
  })
})

describe('a batch of a topic', () => {
  const frozen = async (batchId: string, pageSize = 120) => {
    const freeze = { ...run, batchId, pageSize, chunkSize: 100 }
    for (;;) {
      const page = await freezePage(sql, freeze)
      if (!page || page.complete) break
    }
    const context = await batchRuns.context(sql, run.organizationId, batchId)
    const rows = await sql<{ contactId: string }[]>`
      select contact_id from messages where bucket = ${context?.bucket ?? ''} order by id`
    return { bucket: context?.bucket ?? '', ids: rows.map(({ contactId }) => contactId) }
  }

  it('freezes its subscribers who may be mailed, page by page, and nobody else', async () => {
    const { organizationId } = seeded
    const subscribed = contactIds.filter((_, index) => index % 2 === 0)
    const topicId = await seedTopic(sql, organizationId, subscribed)
    await seedTopic(sql, organizationId, contactIds)
    const [pending, gone, ...rest] = subscribed
    await sql`update subscriptions set status = 'pending' where topic_id = ${topicId} and contact_id = ${pending!}`
    await sql`update contacts set email_status = 'unsubscribed' where id = ${gone!}`
    expect((await frozen(await seedBatch(sql, seeded, { topicId }))).ids).toEqual(rest)
    const named = contactIds.slice(0, 6)
    const both = await frozen(await seedBatch(sql, seeded, { topicId, contactIds: named }))
    expect(both.ids).toEqual(named.filter((id) => rest.includes(id)))
  })

  it('is checked again by the claim: contacts who left the topic are skipped', async () => {
    const { organizationId, connectionId } = seeded
    const few = contactIds.slice(0, 4)
    const [left, away, deleted, stays] = few
    const topicId = await seedTopic(sql, organizationId, few)
    await seedTopic(sql, organizationId, few)
    const batchId = await seedBatch(sql, seeded, { topicId })
    const { bucket } = await frozen(batchId)
    await sql`
      update subscriptions set status = 'unsubscribed'
      where contact_id = ${left!} and topic_id = ${topicId}`
    await sql`update contacts set email_status = 'unsubscribed' where id = ${away!}`
    await sql`delete from subscriptions where contact_id = ${deleted!} and topic_id = ${topicId}`
    const { recipients, skipped } = await claimRange(sql, {
      ...run,
      batchId,
      bucket,
      connectionId,
      claimId: uuidv7(),
      from: batchRowId(bucket, 0),
      to: batchRowId(bucket, 10),
      limit: 10,
    })
    expect(recipients.map(({ contactId }) => contactId)).toEqual([stays])
    expect(skipped).toBe(3)
    const rows = await sql`
      select contact_id, state, status, reason from messages where bucket = ${bucket} order by id`
    expect(rows).toEqual([
      { contactId: left, state: 'skipped', status: 'opted_out', reason: 'topic_unsubscribed' },
      { contactId: away, state: 'skipped', status: 'opted_out', reason: 'unsubscribed' },
      { contactId: deleted, state: 'skipped', status: 'opted_out', reason: 'topic_unsubscribed' },
      { contactId: stays, state: 'claimed', status: 'pending', reason: null },
    ])
  })

  it('mails nobody once the topic is deleted', async () => {
    const topicId = await seedTopic(sql, seeded.organizationId, contactIds)
    const batchId = await seedBatch(sql, seeded, { topicId })
    await sql`delete from topics where id = ${topicId}`
    expect((await frozen(batchId)).ids).toEqual([])
  })
})

describe('claims', () => {
  it('never give one row to two workers', async () => {
    const claimed = await Promise.all(Array.from({ length: 12 }, () => claim(60)))
    const ids = claimed.flatMap(({ recipients }) => recipients.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBe(COUNT)
    expect(await ledger()).toMatchObject({ claimed: COUNT, queued: 0 })
  })

  it('take nothing of a batch that is not processing, or of another attempt', async () => {
    expect(
      (
        await claimRange(sql, {
          ...run,
          attempt: 2,
          bucket,
          connectionId: seeded.connectionId,
          claimId: uuidv7(),
          from: batchRowId(bucket, 0),
          to: batchRowId(bucket, COUNT),
          limit: 10,
        })
      ).live,
    ).toBe(false)
    await sql`update batches set status = 'cancelled' where id = ${run.batchId}`
    expect(await claim(10)).toMatchObject({ live: false, recipients: [] })
    expect(await ledger()).toMatchObject({ queued: COUNT, claimed: 0 })
  })

  it('take nothing once the connection is gone or no longer verified', async () => {
    await sql`update connections set disconnected_at = now() where id = ${seeded.connectionId}`
    expect((await claim(10)).live).toBe(false)
    await sql`update connections set disconnected_at = null, is_verified = false where id = ${seeded.connectionId}`
    expect((await claim(10)).live).toBe(false)
  })

  it('are settled once: the second write of the same results changes nothing', async () => {
    const claimId = uuidv7()
    const { recipients } = await claim(50, claimId)
    await Promise.all([
      settle(claimId, recipients.map(sent)),
      settle(claimId, recipients.map(sent)),
    ])
    expect(await batchRow(sql, run.batchId)).toMatchObject({ sent: 50, failed: 0, unknown: 0 })
    const [stats] = await sql`
      select sum(emails_sent) as mails from contact_stats where organization_id = ${run.organizationId}`
    expect(Number(stats?.['mails'])).toBe(50)
    expect(
      await sql`select from claims where organization_id = ${run.organizationId}`,
    ).toHaveLength(0)
  })

  it('written with a foreign claim id change nothing', async () => {
    const { recipients } = await claim(10)
    await settle(uuidv7(), recipients.map(sent))
    expect(await ledger()).toMatchObject({ claimed: 10, sent: 0 })
    expect(await batchRow(sql, run.batchId)).toMatchObject({ sent: 0 })
  })

  it('whose worker is lost become unknown, and results that come late still count', async () => {
    const claimId = uuidv7()
    const { recipients } = await claim(20, claimId)
    await age('claims', 10)
    await reconcileClaims({ sql, timings: SHORT_TIMINGS, log })
    expect(await batchRow(sql, run.batchId)).toMatchObject({ unknown: 20, sent: 0 })
    await settle(claimId, recipients.slice(0, 20).map(sent))
    expect(await batchRow(sql, run.batchId)).toMatchObject({ unknown: 0, sent: 20 })
    expect(await sql`select from claims where id = ${claimId}`).toHaveLength(0)
  })

  it.each([
    ['is sent again', 'processing', { queued: 15, failed: 0 }],
    ['has failed when the batch is completed', 'completed', { queued: 0, failed: 15 }],
  ])('that no call was made for after their lease: each %s', async (_, status, expected) => {
    const claimId = uuidv7()
    const { recipients } = await claim(20, claimId)
    const others = uuidv7()
    await settle(others, (await claim(COUNT - 20, others)).recipients.map(sent))
    await age('claims', 10)
    await reconcileClaims({ sql, timings: SHORT_TIMINGS, log })
    await sql`update batches set status = ${status} where id = ${run.batchId}`
    await settle(claimId, [
      ...recipients.slice(0, 5).map(sent),
      ...recipients.slice(5).map(({ id }) => ({ id, outcome: 'queued' as const })),
    ])
    expect(await ledger()).toMatchObject({ ...expected, sent: COUNT - 15, unknown: 0 })
    const { failed } = expected
    expect(await batchRow(sql, run.batchId)).toMatchObject({ unknown: 0, failed, sent: COUNT - 15 })
    const reasons = await sql`
      select distinct reason from messages where bucket = ${bucket} and state = 'failed'`
    expect(reasons).toEqual(failed === 0 ? [] : [{ reason: 'not_accepted' }])
  })

  it('lost once are kept in doubt, however many reconcilers find them at the same time', async () => {
    await claim(20)
    await age('claims', 10)
    const expired = await claims.expired(sql, 5_000, 100)
    const mine = expired.filter(({ organizationId }) => organizationId === run.organizationId)
    expect(mine).toHaveLength(1)
    await Promise.all(
      [1, 2, 3, 4].flatMap(() => mine.map((found) => claims.doubt(sql, found).then())),
    )
    expect(await batchRow(sql, run.batchId)).toMatchObject({ unknown: 20 })
    const kept = await sql`select state from claims where organization_id = ${run.organizationId}`
    expect(kept).toEqual([{ state: 'doubt' }])
  })

  it('younger than the doubt are left alone', async () => {
    await claim(5)
    await age('claims', 7)
    await reconcileClaims({ sql, timings: SHORT_TIMINGS, log })
    await reconcileClaims({ sql, timings: SHORT_TIMINGS, log })
    expect(await batchRow(sql, run.batchId)).toMatchObject({ unknown: 5 })
  })
})

describe('completing a batch', () => {
  it('is refused while a row is open or a counter differs from the rows', async () => {
    const claimId = uuidv7()
    const { recipients } = await claim(COUNT, claimId)
    expect((await completeBatch(sql, run)).completed).toBe(false)
    await settle(claimId, recipients.map(sent))
    await sql`update batches set sent = sent - 1 where id = ${run.batchId}`
    expect((await completeBatch(sql, run)).completed).toBe(false)
    await sql`update batches set sent = sent + 1 where id = ${run.batchId}`
    expect((await completeBatch(sql, run)).completed).toBe(true)
    expect(await batchRow(sql, run.batchId)).toMatchObject({ status: 'completed', sent: COUNT })
  })
})

it('mails that a batch has claimed just before it failed may still leave', async () => {
  const { recipients } = await claim(1)
  const contactId = recipients[0]?.contactId ?? ''
  await batchRuns.fail(sql, run, 'stopped_by_operator')
  expect(await isBeingMailed(sql, run.organizationId, [contactId])).toBe(true)
  expect(await isBeingMailed(sql, run.organizationId, [uuidv7()])).toBe(false)
  await sql`
    update batches
    set completed_at = completed_at - interval '11 seconds'
    where id = ${run.batchId}`
  expect(await isBeingMailed(sql, run.organizationId, [contactId])).toBe(false)
})
