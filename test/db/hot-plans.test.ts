import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import * as batchParts from '../../src/store/batches/batch-parts.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as claims from '../../src/store/delivery/claims.ts'
import { isBeingMailed } from '../../src/core/delivery/in-flight.ts'
import * as mailFacts from '../../src/store/delivery/mail-facts.ts'
import { type ClaimedRange, claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults, type Result } from '../../src/store/delivery/record-results.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import { claimMails, listToLookUp } from '../../src/store/mails/claim-mails.ts'
import { findWaitingDays } from '../../src/store/delivery/waiting-days.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { type LedgerDays, openLedgerDays } from '../support/ledger-days.ts'
import {
  seedBatch,
  seedContacts,
  type Seeded,
  seedOrganization,
  seedTopic,
} from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const PARTITIONS = 90

let database: LedgerDays['database']
let sql: LedgerDays['sql']
let asked: LedgerDays['asked']
let close: LedgerDays['close']

beforeAll(async () => {
  ;({ database, sql, asked, close } = await openLedgerDays('hot-plans'))
})
afterAll(() => close())

const LEDGER = 'messages|message_bodies|delivery_events'

/**
 * Runs `act` and answers how many days' partitions of the ledger, or of other tables, the widest of
 * its statements reads.
 */
async function widest(act: () => PromiseLike<unknown>, tables = LEDGER): Promise<number> {
  asked.length = 0
  await act()
  const statements = asked.filter(({ query }) => new RegExp(`\\b(${tables})\\b`).test(query))
  expect(statements.length).toBeGreaterThan(0)
  let most = 0
  for (const { query, parameters } of statements) {
    const plan = await database.sql.unsafe(`explain ${query}`, parameters as never[])
    const text = plan.map((line) => String(line['queryPlan'] ?? line['QUERY PLAN'])).join('\n')
    const partitions = new Set(text.match(new RegExp(`\\b(${tables})_\\d{8}\\b`, 'g')))
    const days = new Set([...partitions].map((name) => name.slice(-8)))
    most = Math.max(most, days.size)
  }
  return most
}

/** Rows that the statements of `act` read of the ledger and its neighbours, by their plans. */
async function rowsRead(act: () => PromiseLike<unknown>): Promise<number> {
  asked.length = 0
  await act()
  const statements = asked.filter(({ query }) => /\bmessages\b/.test(query))
  // The plan is read by running it once more, and a claim's id is taken by then.
  await database.sql`delete from claims`
  let most = 0
  for (const { query, parameters } of statements) {
    await database.sql
      .begin(async (tx) => {
        const plan = await tx.unsafe(
          `explain (analyze, timing off) ${query}`,
          parameters as never[],
        )
        for (const line of plan) {
          const text = String(line['queryPlan'] ?? line['QUERY PLAN'])
          const [, rows, loops] = /actual rows=([\d.]+) loops=(\d+)/.exec(text) ?? []
          const removed = /Rows Removed by \w+ ?\w*: (\d+)/.exec(text)?.[1]
          most = Math.max(most, Number(rows ?? 0) * Number(loops ?? 1), Number(removed ?? 0))
        }
        throw new RollBack()
      })
      .catch((error: unknown) => {
        if (!(error instanceof RollBack)) throw error
      })
  }
  return most
}
class RollBack extends Error {}

it('no statement of a claim reads a batch whole, though nobody has analyzed its partition', async () => {
  const rows = 20_000
  const seeded = await seedOrganization(database.sql)
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  await database.admin.unsafe(`alter table messages_${today} set (autovacuum_enabled = off)`)
  await seedContacts(database.sql, seeded.organizationId, rows)
  const batchId = await seedBatch(database.sql, seeded)
  const { organizationId, connectionId } = seeded
  const run = { organizationId, batchId, attempt: 1 }
  await freezePage(database.sql, { ...run, pageSize: 100_000, chunkSize: 1_000 })
  const bucket = (await batchRuns.context(database.sql, organizationId, batchId))?.bucket ?? ''
  const from = batchRowId(bucket, 10_000)
  const to = batchRowId(bucket, 11_000)
  const range = { ...run, bucket, connectionId, from, to, limit: 100 }
  const place = { organizationId, bucket, batchId }
  // A hundred rows of a chunk of a thousand, compared with each other at worst.
  const bound = 100_000 / 2

  const claimId = uuidv7()
  expect(await rowsRead(() => batchParts.countOpen(sql, range))).toBeLessThanOrEqual(1_000)
  const claimed: ClaimedRange[] = []
  const claim = async (id: string) => claimed.push(await claimRange(sql, { ...range, claimId: id }))
  expect(await rowsRead(() => claim(uuidv7()))).toBeLessThanOrEqual(100_000)
  await claim(claimId)
  const ids = (claimed.at(-1)?.recipients ?? []).map(({ id }) => id)
  expect(ids).toHaveLength(100)
  const told = ids.map((id) => ({ bucket, id }))
  const known = () => mailFacts.listKnown(sql, organizationId, told)
  expect(await rowsRead(known)).toBeLessThanOrEqual(100)
  expect(await widest(known)).toBe(1)
  const unknown: Result[] = ids.map((id) => ({
    id,
    outcome: 'unknown',
    error: 'x',
    subject: 'News',
  }))
  expect(await rowsRead(() => recordResults(sql, { ...place, claimId }, unknown))).toBeLessThan(
    bound,
  )
  const lost = { ...place, id: claimId, connectionId, messageIds: ids }
  expect(await rowsRead(() => claims.decide(sql, lost, 'not_accepted'))).toBeLessThan(bound)
})

it('a topic’s batch reads its subscribers in their order, and a claim of it one row each', async () => {
  const rows = 20_000
  const seeded = await seedOrganization(database.sql)
  const { organizationId, connectionId } = seeded
  const contactIds = await seedContacts(database.sql, organizationId, rows)
  const topicId = await seedTopic(database.sql, organizationId, contactIds)
  const few = await seedTopic(database.sql, organizationId, contactIds.slice(-100))
  await database.admin`analyze contacts, subscriptions`
  const batchId = await seedBatch(database.sql, seeded, { topicId: few })
  const run = { organizationId, batchId, attempt: 1 }
  const freeze = async (id: string, pageSize: number) => {
    const page = await freezePage(sql, {
      ...run,
      batchId: id,
      pageSize,
      chunkSize: 100,
    })
    return page?.bucket ?? ''
  }
  /** So that the plan can be read by freezing the same rows once more. */
  const freezeAgain = async (id: string, pageSize: number, seq: number) => {
    const bucket = await freeze(id, pageSize)
    await database.sql`
      delete from messages where bucket = ${bucket} and id >= ${batchRowId(bucket, seq)}`
  }
  // A small topic of a large organization: its subscribers are read, not all contacts.
  expect(await rowsRead(() => freezeAgain(batchId, 1_000, 0))).toBeLessThanOrEqual(1_000)
  // A page of a large one begins where the last one ended.
  const large = await seedBatch(database.sql, seeded, { topicId })
  await freeze(large, 15_000)
  expect(await rowsRead(() => freezeAgain(large, 1_000, 15_000))).toBeLessThanOrEqual(10_000)

  const bucket = (await batchRuns.context(database.sql, organizationId, large))?.bucket ?? ''
  const claim = () =>
    claimRange(sql, {
      ...run,
      batchId: large,
      bucket,
      connectionId,
      claimId: uuidv7(),
      from: batchRowId(bucket, 0),
      to: batchRowId(bucket, 1_000),
      limit: 100,
    })
  await database.sql`update batches set status = 'processing' where id = ${large}`
  expect((await claim()).recipients).toHaveLength(100)
  expect(await rowsRead(claim)).toBeLessThanOrEqual(20_000)
})

it('every hot statement on the ledger reads the one partition it names, of ninety', async () => {
  const [count] = await database.sql<{ partitions: number }[]>`
    select count(*) as partitions
    from pg_inherits
    where inhparent = 'messages'::regclass`
  expect(count?.partitions).toBeGreaterThanOrEqual(PARTITIONS)

  const seeded = await seedOrganization(database.sql)
  const contactIds = await seedContacts(database.sql, seeded.organizationId, 100)
  const batchId = await seedBatch(database.sql, seeded)
  const run = { organizationId: seeded.organizationId, batchId, attempt: 1 }
  await freezePage(database.sql, { ...run, pageSize: 1_000, chunkSize: 100 })
  const { organizationId, connectionId } = seeded
  const bucket = (await batchRuns.context(database.sql, organizationId, batchId))?.bucket ?? ''
  const range = { organizationId, bucket, from: batchRowId(bucket, 0), to: batchRowId(bucket, 100) }
  const place = { organizationId, bucket, batchId }
  const claim = (claimId: string) =>
    claimRange(sql, { ...run, ...range, connectionId, claimId, limit: 10 })

  const first = uuidv7()
  expect(await widest(() => claim(first))).toBe(1)
  const ids = (
    await database.sql<{ id: string }[]>`select id from messages where claim_id = ${first}`
  ).map(({ id }) => id)
  const results: Result[] = ids.map((id) => ({
    id,
    outcome: 'unknown',
    error: 'x',
    subject: 'News',
  }))
  expect(await widest(() => recordResults(sql, { ...place, claimId: first }, results))).toBe(1)
  expect(await widest(() => batchParts.countOpen(sql, range))).toBe(1)
  expect(await widest(() => batchRuns.ledger(sql, organizationId, bucket))).toBe(1)

  const lost = { ...place, id: first, connectionId, messageIds: ids }
  expect(await widest(() => claims.doubt(sql, lost))).toBe(1)
  expect(await widest(() => claims.decide(sql, lost, 'not_accepted'))).toBe(1)

  const mailId = uuidv7()
  await enqueue(database.sql, {
    organizationId,
    id: mailId,
    source: 'transactional',
    connectionId,
    recipient: 'somebody@example.com',
    from: 'shop@example.com',
    subject: 'Receipt',
    text: 'Thanks',
  })
  const [waiting] = await mailQueue.waiting(database.sql, connectionId, 1)
  const strangers = { organizationId, bucket: waiting?.bucket ?? '', ids: [mailId] }
  expect(await widest(() => listToLookUp(sql, strangers))).toBe(1)
  const [reader = ''] = contactIds
  expect(await widest(() => isBeingMailed(sql, organizationId, [reader]))).toBe(1)
  expect(
    await widest(() =>
      claimMails(sql, {
        organizationId,
        connectionId,
        bucket: waiting?.bucket ?? '',
        claimId: uuidv7(),
        ids: [mailId],
      }),
    ),
  ).toBe(1)

  const body = {
    detail: {
      eventType: 'Send',
      mail: {
        timestamp: new Date().toISOString(),
        messageId: 'm-1',
        tags: { 'letterloom-message': [`${bucket}_${ids[0]}`] },
      },
    },
  }
  await database.sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    values (${organizationId}, ${connectionId}, 'e-1', ${database.sql.json(body)})`
  expect(await widest(() => applyEvents(sql, parseKeyring(newKeyringText())))).toBe(1)
})

describe('stored delivery events', () => {
  /** Yesterday, today and tomorrow: see `findWaitingDays`. */
  const FEW = 3
  const keyring = parseKeyring(newKeyringText())
  const timings = { neighbourMs: 1, applyMs: 0, receivingGapMs: 1, giveUpMs: 1, limit: 10 }

  const store = (seeded: Seeded, id: string, days = 0) => database.sql`
    insert into inbound_events (received_on, received_at, organization_id, connection_id,
      envelope_id, body)
    values (current_date - ${days}::integer, now() - ${days} * interval '1 day',
      ${seeded.organizationId}, ${seeded.connectionId}, ${id}, '{}')`

  /** The same as a pool that was opened later. */
  const fresh = async (act: (sql: LedgerDays['sql']) => PromiseLike<unknown>) => {
    const pool = connectAs(database.url, {
      name: 'hot-plans-fresh',
      role: 'letterloom_worker',
      max: 1,
      onQuery: (query, parameters) => asked.push({ query, parameters }),
    })
    try {
      // Once a minute all days are looked at.
      await findWaitingDays(pool)
      return await widest(() => act(pool), 'inbound_events')
    } finally {
      await pool.end()
    }
  }

  it('are read of the few days that have some, by appliers and by who judges claims', async () => {
    const seeded = await seedOrganization(database.sql)
    const { organizationId, connectionId } = seeded
    await store(seeded, 'today')
    expect(await fresh((pool) => applyEvents(pool, keyring))).toBeLessThanOrEqual(FEW)

    const claim = (days: number) => database.sql`
      insert into claims (organization_id, id, connection_id, bucket, message_ids, state,
        claimed_at, look_at)
      values (${organizationId}, ${uuidv7()}, ${connectionId}, ${uuidv7()}, '{}', 'doubt',
        now() - ${days} * interval '1 day', now())`
    await claim(0)
    expect(await fresh((pool) => claims.listDue(pool, timings))).toBeLessThanOrEqual(FEW)
    await claim(1)
    expect(await fresh((pool) => claims.listDue(pool, timings))).toBe(FEW + 1)
    await database.sql`delete from claims`
  })

  it('of an older day are found, and the days since are read', async () => {
    const seeded = await seedOrganization(database.sql)
    await store(seeded, 'old', 20)
    await store(seeded, 'new')
    expect(await fresh((pool) => applyEvents(pool, keyring))).toBe(FEW + 20)
    const [left] = await database.sql<{ waiting: number }[]>`
      select count(*) as waiting from inbound_events where applied_at is null`
    expect(left?.waiting).toBe(0)
    expect(await fresh((pool) => applyEvents(pool, keyring))).toBeLessThanOrEqual(FEW)
  })
})
