import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as eventQueuePolls from '../../src/store/accounts/event-queue-polls.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { FIRST_TURN } from '../../src/store/db/turns.ts'
import { readLags } from '../../src/store/platform/lags.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import * as batchVariants from '../../src/store/batches/batch-variants.ts'
import * as claims from '../../src/store/delivery/claims.ts'
import * as inboundEvents from '../../src/store/delivery/inbound-events.ts'
import * as externalMails from '../../src/store/delivery/external-mails.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import * as mailsInFlight from '../../src/store/mails/mails-in-flight.ts'
import * as transactionalMails from '../../src/store/mails/transactional-mails.ts'
import { findWaitingDays } from '../../src/store/delivery/waiting-days.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { connectAs } from '../support/logins.ts'
import { type Node, widest } from '../support/rows-read.ts'
import { seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'

/** Rows of each queue; none is due. */
const LATER = sized(20_000, 100_000)
const CONNECTIONS = sized(1_000, 10_000)
/** A poll that finds nothing reads next to nothing. */
const FEW = 30

let database: TestDatabase
let sql: Sql
let organizationId: string
let connectionId: string
const asked: { query: string; parameters: unknown[] }[] = []

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, {
    name: 'polls',
    role: 'letterloom_worker',
    onQuery: (query, parameters) => asked.push({ query, parameters: [...parameters] }),
  })
  ;({ organizationId, connectionId } = await seedOrganization(database.sql))
  const { admin: owner } = database
  const later = owner`now() + interval '1 hour' + n * interval '1 second'`
  const rows = owner`generate_series(1, ${LATER}::int) as n`
  await owner`
    insert into connections (organization_id, id, account_id, region, external_id, is_verified,
      event_queue_url)
    select ${organizationId}, gen_random_uuid(), lpad(n::text, 12, '0'), 'eu-central-1',
      gen_random_uuid(), true, 'https://sqs.eu-central-1.amazonaws.com/000000000000/q'
    from generate_series(1, ${CONNECTIONS}::int) as n`
  await owner`
    insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
    select ${organizationId}, gen_random_uuid(), gen_random_uuid(), c.id, 1 + n % 3, ${later}
    from ${rows}
    join (select id, row_number() over () as place from connections) c
      on c.place = 1 + n % ${CONNECTIONS}`
  await owner`
    insert into event_queue_polls (organization_id, connection_id, due_at)
    select organization_id, id, now() + interval '1 hour' from connections`
  await owner`
    insert into inbound_events (organization_id, connection_id, envelope_id, body, look_at)
    select ${organizationId}, ${connectionId}, n, '{}', ${later} from ${rows}`
  await owner`
    insert into external_mails (organization_id, message_id, connection_id, address_hash, bucket,
      id, look_at)
    select ${organizationId}, n, ${connectionId}, decode(md5(n::text), 'hex'), gen_random_uuid(),
      gen_random_uuid(), ${later}
    from ${rows}`
  await owner`
    insert into claims (organization_id, id, connection_id, bucket, message_ids, state, claimed_at,
      look_at)
    select ${organizationId}, gen_random_uuid(), ${connectionId}, gen_random_uuid(), '{}',
      case n % 2 when 0 then 'live' else 'doubt' end, now(),
      case n % 2 when 1 then ${later} end
    from ${rows}`
  await owner`
    insert into transactional_mails (organization_id, id, retain_body, sealed, sealed_until)
    select ${organizationId}, gen_random_uuid(), true, '', ${later} from ${rows}`
  await owner`
    insert into outbox (organization_id, kind, payload, available_at)
    select ${organizationId}, case n % 2 when 0 then 'start_execution' else 'wake_execution' end,
      '{}', ${later}
    from ${rows}`
  await owner`analyze`
}, 120_000)
afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** The pool asks for settings of its connections, too. */
const QUEUES =
  /\b(mail_queue|event_queue_polls|inbound_events|external_mails|claims|transactional_mails|outbox|batches)\b/

class RollBack extends Error {}

/** Rows that the widest node of any statement of `act` reads, found or not. */
async function rowsRead(act: () => PromiseLike<unknown>): Promise<number> {
  asked.length = 0
  await act()
  const statements = asked.filter(({ query }) => QUEUES.test(query))
  expect(statements.length).toBeGreaterThan(0)
  let most = 0
  for (const { query, parameters } of statements) {
    await database.sql
      .begin(async (tx) => {
        const [row] = await tx.unsafe(
          `explain (analyze, timing off, format json) ${query}`,
          parameters as never[],
        )
        const [explained] = Object.values(row ?? {})[0] as [{ Plan: Node }]
        most = Math.max(most, widest(explained.Plan))
        throw new RollBack()
      })
      .catch((error: unknown) => {
        if (!(error instanceof RollBack)) throw error
      })
  }
  return most
}

const leased = { limit: 100, leaseMs: 1_000, after: FIRST_TURN }
const look = { neighbourMs: 1, applyMs: 1, receivingGapMs: 1, giveUpMs: 1, limit: 100 }
const POLLS: Record<string, () => PromiseLike<unknown>> = {
  'connections with due mail': () => mailQueue.due(sql),
  'connections with due transactional mail': () => mailQueue.dueReceipts(sql),
  'due mail of a connection': () => mailQueue.waiting(sql, connectionId, 100),
  'due transactional mail of a connection': () => mailQueue.waitingReceipts(sql, connectionId, 100),
  'event queues': () =>
    eventQueuePolls.claim(sql, { workerId: uuidv7(), holdMs: 1_000, limit: 50 }),
  'delivery events': async () => {
    const today = new Date().toISOString().slice(0, 10)
    const days = { first: today, last: today }
    await transact(sql, (tx) => inboundEvents.lockWaiting(tx, 500, days, FIRST_TURN))
  },
  'mail of other programs': () => transact(sql, (tx) => externalMails.lockDue(tx, 200)),
  'claims whose lease is over': () => claims.expired(sql, 30_000, 100),
  'claims in doubt': () => claims.listDue(sql, look),
  'contents of single mail': () => transactionalMails.forgetContents(sql),
  'outbox of executions': () => outbox.lease(sql, 'executions', leased),
  'outbox of wakes': () => outbox.lease(sql, 'wakes', leased),
  'outbox of others': () => outbox.lease(sql, 'others', leased),
  'tests without a winner': () => batchVariants.listUndecided(sql, 10),
}

test.each(Object.keys(POLLS))('a poll reads nothing that waits for later: %s', async (name) => {
  const poll = POLLS[name]
  if (!poll) throw new Error('no such poll')
  expect(await rowsRead(poll)).toBeLessThan(FEW)
})

test('a scrape of the lags reads a bounded number of rows, however long the queues are', async () => {
  expect(await rowsRead(() => readLags(sql, 100))).toBeLessThan(1_000)
})

test('queues are vacuumed after some dead rows, and not when a fifth of them is dead', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select c.relname as name
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind = 'r'
      and coalesce(i.inhparent::regclass::text, c.relname::text) in ('mail_queue', 'claims', 'outbox',
        'inbound_events', 'external_mails', 'dirty_contacts', 'event_queue_polls')
      and not coalesce('autovacuum_vacuum_scale_factor=0.02' = any(c.reloptions), false)`
  expect(rows).toEqual([])
})

test('the days that events wait on are looked up in the indexes', async () => {
  expect(await rowsRead(() => findWaitingDays(sql, Date.now() + 120_000))).toBeLessThan(FEW)
})

test('connections are found when their mail is due, each once, however much one has', async () => {
  const { admin: owner } = database
  const [other] = await owner<{ id: string }[]>`
    select id from connections where id <> ${connectionId} limit 1`
  const put = (id: string, mails: number, age: number) => owner`
    insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
    select ${organizationId}, ${uuidv7()}, gen_random_uuid(), ${id}, 3,
      now() - ${age} * interval '1 second'
    from generate_series(1, ${mails}::int)`
  const due = async () => (await mailQueue.due(sql)).map((each) => each.connectionId).toSorted()
  expect(await due()).toEqual([])
  await put(connectionId, 3, 60)
  expect(await due()).toEqual([connectionId])
  await owner`update connections set probes_wanted = 1 where id = ${other?.id ?? ''}`
  expect(await due()).toEqual([connectionId, other?.id ?? ''].toSorted())
  await owner`update connections set probes_wanted = 0 where id = ${other?.id ?? ''}`
  // What is due first is all of one connection.
  await put(connectionId, 1_500, 60)
  await put(other?.id ?? '', 1, 1)
  expect(await due()).toEqual([connectionId, other?.id ?? ''].toSorted())
  await owner`update connections set is_verified = false where id = ${connectionId}`
  expect(await due()).toEqual([other?.id])
})

test('mail that unsubscribing stops is looked for at each connection of the organization', async () => {
  await database.sql`delete from claims`
  const list = () => mailsInFlight.listSingleMail(sql, organizationId, 10)
  expect(await rowsRead(list)).toBeLessThan(2 * CONNECTIONS + FEW)
})

/**
 * Files that compare with the time of the clock on purpose: their statements wait for a row that
 * others change, and the time after the wait counts. None of them finds rows by it.
 */
const BY_THE_CLOCK = ['send-limits.ts', 'entries.ts', 'provider-readings.ts']

test('no other statement compares with a volatile time, which is no condition of an index', async () => {
  const folder = new URL('../../src/store/', import.meta.url)
  const files = await readdir(folder, { recursive: true })
  const found: string[] = []
  for (const file of files.filter((each) => each.endsWith('.ts'))) {
    if (BY_THE_CLOCK.some((each) => file.endsWith(each))) continue
    const text = await readFile(new URL(file, folder), 'utf8')
    if (/[<>]=?\s*\(?(clock_timestamp|timeofday)\(\)/.test(text)) found.push(file)
  }
  expect(found).toEqual([])
})
