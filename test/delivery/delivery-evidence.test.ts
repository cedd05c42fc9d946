import { awaitOutcomes, completeBatch } from '../../src/core/batches/complete-batch.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startReceiving } from '../../src/core/delivery/receiving.ts'
import { PROBE_TAG } from '../../src/domain/delivery/ses-event.ts'
import { SHORT_TIMINGS, type Timings } from '../../src/domain/delivery/timings.ts'
import { batchRowId, dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import { reconcileClaims } from '../../src/loops/claim-reconciler.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as claims from '../../src/store/delivery/claims.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import { claimMails } from '../../src/store/mails/claim-mails.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import * as probes from '../../src/store/delivery/probes.ts'
import { recordConfigurationSet } from '../../src/store/accounts/senders.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
} from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'
import { sized } from '../support/size.ts'

/** Mails sent before the claim that is in doubt. */
const NEIGHBOURS = 40
const IN_DOUBT = 5
const COUNT = 200
const HOUR_SECONDS = 3_600
const keyring = parseKeyring(newKeyringText())
const log = { info: () => {}, warn: () => {}, error: () => {} }
/** Answered mails are counted by ten seconds: with thirty, all that is sent here is of one time. */
const TIMINGS: Timings = {
  ...SHORT_TIMINGS,
  neighbourMs: 30_000,
  giveUpMs: 1_000_000,
  receivingGapMs: 60_000,
}

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let seeded: Seeded
let run: batchRuns.Run
let bucket: string
let receiving: ReturnType<typeof startReceiving>

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

beforeEach(async () => {
  await sql`delete from receivers`
  await sql`delete from claims`
  await sql`delete from inbound_events`
  seeded = await seedOrganization(sql)
  await nameConfigurationSet('our-set')
  await sql`
    update connections set configuration_set_since = configuration_set_since - interval '1 hour'`
  await seedContacts(sql, seeded.organizationId, COUNT)
  await prepareBatch('fail')
})

const nameConfigurationSet = (name: string | null) => recordConfigurationSet(sql, seeded, name)

async function prepareBatch(unknownOutcome: 'fail' | 'retry'): Promise<void> {
  const batchId = await seedBatch(sql, seeded, { unknownOutcome })
  run = { organizationId: seeded.organizationId, batchId, attempt: 1 }
  await freezePage(sql, { ...run, pageSize: 10_000, chunkSize: 100 })
  bucket = (await batchRuns.context(sql, run.organizationId, batchId))?.bucket ?? ''
}

const take = async (limit: number) => {
  const claimId = uuidv7()
  const { recipients } = await claimRange(sql, {
    ...run,
    bucket,
    connectionId: seeded.connectionId,
    claimId,
    from: batchRowId(bucket, 0),
    to: batchRowId(bucket, COUNT),
    limit,
  })
  return { claimId, ids: recipients.map(({ id }) => id) }
}

const messageIdOf = (id: string, again = ''): string => `m${again}-${id}`

const write = ({ claimId, ids }: { claimId: string; ids: string[] }) =>
  recordResults(
    sql,
    { organizationId: run.organizationId, bucket, claimId, batchId: run.batchId },
    ids.map((id) => ({
      id,
      outcome: 'sent' as const,
      messageId: messageIdOf(id),
      subject: 'News',
    })),
  )

async function receive(tags: Record<string, string>[], messageIds: string[]): Promise<void> {
  const bodies = tags.map((each, index) => ({
    detail: {
      eventType: 'Send',
      mail: {
        timestamp: new Date().toISOString(),
        messageId: messageIds[index] ?? '',
        tags: Object.fromEntries(Object.entries(each).map(([name, value]) => [name, [value]])),
      },
      send: {},
    },
  }))
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    select ${seeded.organizationId}, ${seeded.connectionId}, gen_random_uuid()::text, body
    from jsonb_array_elements(${sql.json(bodies)}) as given (body)`
}

const speak = async (ids: string[], again = '') => {
  const tags = ids.map((id) => ({ 'letterloom-message': `${bucket}_${id}` }))
  await receive(
    tags,
    ids.map((id) => messageIdOf(id, again)),
  )
  while ((await applyEvents(sql, keyring)) > 0);
}

const counts = async () => {
  const [row] = await sql<{ answered: number; arrived: number }[]>`
    select sum(answered)::int as answered, sum(arrived)::int as arrived
    from answered_counts
    where connection_id = ${seeded.connectionId}`
  return row
}

/** Everything about the connection happened so much earlier; tens of seconds, as it is counted. */
async function age(seconds: number): Promise<void> {
  const by = sql`${seconds} * interval '1 second'`
  await sql`update claims set claimed_at = claimed_at - ${by}, look_at = now() - interval '1 second'`
  await sql`update messages set claimed_at = claimed_at - ${by} where claimed_at is not null`
  // By way of another year: rows must not meet on the way.
  await sql`
    update answered_counts
    set slot = slot - ${by} - interval '1 year', last_arrival_at = last_arrival_at - ${by}`
  await sql`update answered_counts set slot = slot + interval '1 year' where slot < now() - interval '1 month'`
  await sql`update probes set claimed_at = claimed_at - ${by}, first_event_at = first_event_at - ${by}`
  await sql`update receivers set interrupted_until = interrupted_until - ${by}`
}

/** A probe that the provider took. */
async function probe(from: string): Promise<string> {
  const id = uuidv7()
  await probes.claim(sql, { ...seeded, id, from })
  await probes.recordAnswer(sql, seeded.organizationId, id)
  return id
}

async function answerProbe(id: string): Promise<void> {
  await receive([{ [PROBE_TAG]: id }], [`m-${id}`])
  await applyEvents(sql, keyring)
}

const reconcile = (timings = TIMINGS) => reconcileClaims({ sql, timings, log })
const states = async () => {
  const { queued, unknown, failed } = await batchRuns.ledger(sql, run.organizationId, bucket)
  return { queued, unknown, failed }
}

/**
 * Mails that were answered and have their events, then some whose worker is lost, then more mails
 * with their events.
 */
async function leaveInDoubt(): Promise<{ claimId: string; ids: string[] }> {
  const before = await take(NEIGHBOURS)
  await write(before)
  await age(20)
  const lost = await take(IN_DOUBT)
  await age(20)
  const later = await take(NEIGHBOURS)
  await write(later)
  await speak([...before.ids, ...later.ids])
  await sql`update claims set look_at = now() - interval '1 second'`
  await reconcile()
  expect(await states()).toMatchObject({ unknown: IN_DOUBT })
  return lost
}

const LEFT = COUNT - 2 * NEIGHBOURS

/** Texts to the contacts, one each, that a worker has claimed. */
async function claimTexts(count: number) {
  const claimId = uuidv7()
  const ids = Array.from({ length: count }, () => uuidv7())
  const day = dayBucket(claimId)
  const { organizationId, connectionId } = seeded
  await sql`
    insert into messages (organization_id, bucket, id, dedupe_key, channel, source, connection_id,
      contact_id, recipient, state, status, claim_id, claimed_at)
    select ${organizationId}, ${day}, id, id, 'sms', 'transactional', ${connectionId}, contact_id,
      '+49151' || n, 'claimed', 'pending', ${claimId}, now()
    from unnest(${ids}::uuid[]) with ordinality as given (id, n)
    left join (
      select id as contact_id, row_number() over (order by id) as n
      from contacts where organization_id = ${organizationId}
    ) contact using (n)`
  await sql`
    insert into claims (organization_id, id, connection_id, bucket, channel, message_ids, claimed_at)
    values (${organizationId}, ${claimId}, ${connectionId}, ${day}, 'sms', ${ids}, now())`
  return { claimId, bucket: day, ids }
}

describe('a text that was answered', () => {
  it('is no witness for mails, and is counted as a text of its contact', async () => {
    const { ids, ...claim } = await claimTexts(5)
    await recordResults(
      sql,
      { organizationId: run.organizationId, ...claim, batchId: null },
      ids.map((id) => ({ id, outcome: 'sent', messageId: messageIdOf(id), subject: '' })),
    )
    expect(await counts()).toEqual({ answered: null, arrived: null })
    const stats = await sql`
      select emails_sent, sms_sent, last_email_sent_at, count(*)::int as contacts
      from contact_stats where organization_id = ${run.organizationId} group by 1, 2, 3`
    expect(stats).toEqual([{ emailsSent: 0, smsSent: 1, lastEmailSentAt: null, contacts: 5 }])
    expect(await sql`select from claims`).toHaveLength(0)
  })
})

describe('a mail that was answered', () => {
  it('is counted once, and its first event once, whichever is written first', async () => {
    const first = await take(10)
    await write(first)
    await speak(first.ids)
    await speak(first.ids)
    expect(await counts()).toEqual({ answered: 10, arrived: 10 })

    const second = await take(10)
    await speak(second.ids)
    expect(await counts()).toEqual({ answered: 10, arrived: 10 })
    await write(second)
    await write(second)
    expect(await counts()).toEqual({ answered: 20, arrived: 20 })
    const rows = await sql`
      select subject, claimed_at is null as no_claim from messages
      where bucket = ${bucket} and state = 'sent' and (subject is null or claimed_at is null)`
    expect(rows).toEqual([])
  })

  it('is counted once, and keeps its subject, when its event and its outcome are written at once', async () => {
    const mails = await Promise.all(Array.from({ length: 20 }, () => take(5)))
    const appliers = Array.from({ length: 2 }, async () => {
      for (let round = 0; round < 60; round++) await applyEvents(sql, keyring, 7)
    })
    await Promise.all([
      ...mails.flatMap((mail) => [write(mail).then(), speak(mail.ids)]),
      ...appliers,
    ])
    while ((await applyEvents(sql, keyring)) > 0);
    expect(await counts()).toEqual({ answered: 100, arrived: 100 })
    const bare = await sql`
      select from messages where bucket = ${bucket} and state = 'sent' and subject is null`
    expect(bare).toHaveLength(0)
    expect(await batchRow(sql, run.batchId)).toMatchObject({ sent: 100, unknown: 0 })
  })

  it('only by its event is no witness', async () => {
    const { ids } = await take(10)
    await speak(ids)
    expect(await batchRow(sql, run.batchId)).toMatchObject({ sent: 10 })
    expect(await counts()).toEqual({ answered: null, arrived: null })
  })
})

describe('mails in doubt', () => {
  beforeEach(async () => {
    receiving = startReceiving({ sql, gapMs: TIMINGS.receivingGapMs, log })
    await until(
      async () => (await sql`select from receivers where stopped_at is null`).length === 1,
    )
    await sql`update receivers set interrupted_until = null`
  })
  const stopReceiving = () => receiving.stop()
  afterEach(stopReceiving)

  it('are sent again once all mails of their time have spoken', async () => {
    await leaveInDoubt()
    await age(40)
    await reconcile()
    expect(await states()).toEqual({ queued: LEFT, unknown: 0, failed: 0 })
    expect(await sql`select from claims`).toHaveLength(0)
  })

  it('are sent again in time beside texts in doubt, which wait, ask for no probe and are given up', async () => {
    await leaveInDoubt()
    const texts = await claimTexts(sized(100, 1_000))
    await sql`update messages set state = 'unknown' where claim_id = ${texts.claimId}`
    await sql`update claims set state = 'doubt', look_at = now() where id = ${texts.claimId}`
    await age(40)
    await reconcile()
    expect(await states()).toEqual({ queued: LEFT, unknown: 0, failed: 0 })
    const statesOfTexts = () => sql`
      select state, reason, count(*)::int as texts from messages
      where bucket = ${texts.bucket} and id = any(${texts.ids}) group by 1, 2`
    const count = texts.ids.length
    expect(await statesOfTexts()).toEqual([{ state: 'unknown', reason: null, texts: count }])
    await age(1_000)
    await reconcile()
    expect(await statesOfTexts()).toEqual([
      { state: 'failed', reason: 'unknown_outcome', texts: count },
    ])
    const [connection] = await sql<{ probesWanted: number }[]>`
      select probes_wanted from connections where id = ${seeded.connectionId}`
    expect(connection?.probesWanted).toBe(0)
  })

  it('wait while one of those mails is silent, and are given up in the end', async () => {
    await leaveInDoubt()
    await sql`update answered_counts set arrived = arrived - 1 where slot = (
      select max(slot) from answered_counts where connection_id = ${seeded.connectionId})`
    await age(40)
    await reconcile()
    expect(await states()).toMatchObject({ unknown: IN_DOUBT })
    await age(1_000)
    await reconcile()
    expect(await states()).toEqual({ queued: LEFT - IN_DOUBT, unknown: 0, failed: IN_DOUBT })
    expect(
      await sql`select distinct reason from messages where bucket = ${bucket} and state = 'failed'`,
    ).toEqual([{ reason: 'unknown_outcome' }])
  })

  it('wait while a stored event is not applied, and for good when one was set aside', async () => {
    await leaveInDoubt()
    await age(40)
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body, received_at)
      values (${run.organizationId}, ${seeded.connectionId}, 'e-1', '{}', now() - interval '10 seconds')`
    await reconcile()
    expect(await states()).toMatchObject({ unknown: IN_DOUBT })
    await sql`update inbound_events set applied_at = now(), error = 'refused' where envelope_id = 'e-1'`
    await sql`update claims set look_at = now() - interval '1 second'`
    await reconcile()
    expect(await states()).toMatchObject({ unknown: IN_DOUBT })
    await sql`update inbound_events set error = null where envelope_id = 'e-1'`
    await sql`update claims set look_at = now() - interval '1 second'`
    await reconcile()
    expect(await states()).toMatchObject({ unknown: 0, queued: LEFT })
  })

  it('wait while nobody receives, and after an interruption for as long again and for a probe', async () => {
    await leaveInDoubt()
    await stopReceiving()
    await sql`update receivers set beat_at = beat_at - interval '2 minutes'`
    await age(40)
    await reconcile()
    expect(await states()).toMatchObject({ unknown: IN_DOUBT })

    receiving = startReceiving({ sql, gapMs: TIMINGS.receivingGapMs, log })
    await until(async () => (await sql`select from receivers`).length === 2)
    await age(100)
    await reconcile()
    expect(await states()).toMatchObject({ unknown: IN_DOUBT })
    const [asked] = await sql<{ probesWanted: number }[]>`
      select probes_wanted from connections where id = ${seeded.connectionId}`
    expect(asked?.probesWanted).toBe(1)

    expect(await probes.take(sql, seeded.organizationId, seeded.connectionId)).toBe(
      'news@example.com',
    )
    expect(await probes.take(sql, seeded.organizationId, seeded.connectionId)).toBeUndefined()
    const id = await probe('news@example.com')
    await sql`update claims set look_at = now() - interval '1 second'`
    await reconcile()
    expect(await states()).toMatchObject({ unknown: IN_DOUBT })
    await answerProbe(id)
    await age(200)
    await sql`update claims set look_at = now() - interval '1 second'`
    await reconcile()
    expect(await states()).toMatchObject({ unknown: 0, queued: LEFT })
  })

  it('that named no configuration set wait for the event of a probe of their own sender', async () => {
    const probesWanted = async () => {
      const [row] = await sql<{ probesWanted: number }[]>`
        select probes_wanted from connections where id = ${seeded.connectionId}`
      return row?.probesWanted
    }
    const lookAgain = async () => {
      await sql`update claims set look_at = now() - interval '1 second'`
      await reconcile()
    }
    await nameConfigurationSet(null)
    await leaveInDoubt()
    await age(40)
    await reconcile()
    expect(await states()).toMatchObject({ unknown: IN_DOUBT })
    expect(await probesWanted()).toBe(1)
    // What is named by now says nothing of mail that went before, and others nothing of its sender.
    await nameConfigurationSet('our-set')
    await answerProbe(await probe('receipts@example.net'))
    await lookAgain()
    expect(await states()).toMatchObject({ unknown: IN_DOUBT })

    await answerProbe(await probe('news@example.com'))
    await age(100)
    await reconcile()
    expect(await states()).toEqual({ queued: LEFT, unknown: 0, failed: 0 })
  })

  it('of several senders have each of them probed', async () => {
    await nameConfigurationSet(null)
    const { organizationId, connectionId } = seeded
    const senders = ['receipts@example.net', 'shop@example.com']
    for (const from of senders) {
      await enqueue(sql, {
        organizationId,
        connectionId,
        id: uuidv7(),
        source: 'transactional',
        from,
        recipient: 'somebody@example.com',
        subject: 'Your receipt',
        text: 'Thank you',
      })
    }
    const waiting = await mailQueue.waiting(sql, connectionId, 10)
    await claimMails(sql, {
      organizationId,
      connectionId,
      bucket: waiting[0]?.bucket ?? '',
      claimId: uuidv7(),
      ids: waiting.map(({ id }) => id),
      refused: [],
    })
    await age(40)
    await reconcile()
    const unheard = async () => {
      await sql`update claims set look_at = now() - interval '1 second'`
      const [due] = await claims.listDue(sql, { ...TIMINGS, limit: 10 })
      return due?.unheardSenders
    }
    expect(await unheard()).toBe(2)

    await sql`update connections set probes_wanted = 4 where id = ${connectionId}`
    const probed: { from: string; id: string }[] = []
    for (let turn = 0; turn < 4; turn++) {
      const from = (await probes.take(sql, organizationId, connectionId)) ?? 'nobody'
      probed.push({ from, id: await probe(from) })
    }
    expect(probed.map(({ from }) => from).toSorted()).toEqual([...senders, ...senders].toSorted())
    await answerProbe(probed[0]?.id ?? '')
    expect(await unheard()).toBe(1)
    await answerProbe(probed[1]?.id ?? '')
    expect(await unheard()).toBe(0)
  })

  it('wait twice as long as the bus was refused an event of the connection', async () => {
    await leaveInDoubt()
    await age(10)
    await stopReceiving()
    receiving = startReceiving({ sql, gapMs: 1_000, log })
    receiving.refused({ organizationId: seeded.organizationId, id: seeded.connectionId })
    await until(async () => {
      const [row] = await sql<{ refused: boolean }[]>`
        select events_refused_at is not null as refused
        from connections where id = ${seeded.connectionId}`
      return row?.refused === true
    })
    await sql`update claims set look_at = now() - interval '1 second'`
    const [due] = await claims.listDue(sql, { ...TIMINGS, limit: 10 })
    expect(due?.interruptedUntil).toBeGreaterThan(due?.claimedAt ?? Infinity)
    expect(due?.sinceInterruption).toBe(0)
  })

  it('are given up after an interruption where events come by SNS, which does not try again', async () => {
    await leaveInDoubt()
    const isGivenUp = async (topic: string | null) => {
      await sql`
        update connections
        set sns_topic_arn = ${topic}::text || region || ':' || account_id || ':events'
        where id = ${seeded.connectionId}`
      await sql`update claims set look_at = now() - interval '1 second'`
      // On a busy machine receivers may seem to be away for a moment.
      const due = await until(async () => {
        const [first] = await claims.listDue(sql, { ...TIMINGS, limit: 10 })
        return first
      })
      return due.isGivenUp
    }
    expect(await isGivenUp(null)).toBe(false)
    expect(await isGivenUp('arn:aws:sns:')).toBe(true)
    await isGivenUp(null)
  })

  it('prove nothing about a claim of before Postgres was restored', async () => {
    await leaveInDoubt()
    const isRestored = async (ago: number | null) => {
      await sql`
        update ledger_beats
        set restored_at = (select min(claimed_at) from claims) - ${ago}::int * interval '1 second'`
      await sql`update claims set look_at = now() - interval '1 second'`
      const due = await until(async () => {
        const [first] = await claims.listDue(sql, { ...TIMINGS, limit: 10 })
        return first
      })
      return due.isRestored
    }
    expect([await isRestored(-1), await isRestored(1), await isRestored(null)]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('of one connection say nothing of another’s', async () => {
    await leaveInDoubt()
    const other = await seedOrganization(sql)
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body, received_at)
      values (${other.organizationId}, ${other.connectionId}, 'e-2', '{}', now() - interval '10 seconds')`
    await sql`update connections set events_refused_at = now() where id = ${other.connectionId}`
    await age(40)
    await reconcile()
    expect(await states()).toMatchObject({ unknown: 0, queued: LEFT })
  })

  it('of a batch that asks for it are sent again if the outcome cannot be known', async () => {
    await prepareBatch('retry')
    await leaveInDoubt()
    await sql`update answered_counts set arrived = 0`
    await age(1_100)
    await reconcile()
    expect(await states()).toEqual({ queued: LEFT, unknown: 0, failed: 0 })
  })

  it('hold a batch for an hour; then it is completed without them, and they are never sent', async () => {
    const rest = await take(COUNT - IN_DOUBT)
    await write(rest)
    await take(IN_DOUBT)
    await age(40)
    await reconcile()
    const awaited = { awaitedMs: HOUR_SECONDS * 1_000, giveUpMs: TIMINGS.giveUpMs }
    expect(await awaitOutcomes(sql, run, awaited)).toBe('processing')
    expect(await awaitOutcomes(sql, run, awaited)).toBe('processing')
    const [held] = await sql<{ ms: number }[]>`
      select (extract(epoch from outcome_awaited_until - now()) * 1000)::float8 as ms
      from batches where id = ${run.batchId}`
    expect(held?.ms).toBeGreaterThan((HOUR_SECONDS - 60) * 1_000)
    await sql`
      update batches set outcome_awaited_until = now() - interval '1 second'
      where id = ${run.batchId}`
    expect(await awaitOutcomes(sql, run, awaited)).toBe('completed')
    expect(await batchRow(sql, run.batchId)).toMatchObject({
      status: 'completed',
      sent: COUNT - IN_DOUBT,
      unknown: IN_DOUBT,
    })
    expect(await awaitOutcomes(sql, run, awaited)).toBe('completed')

    await speak(rest.ids)
    const [found] = await sql<claims.Claim[]>`
      select organization_id, id, connection_id, bucket, batch_id, message_ids
      from claims where state = 'doubt'`
    if (!found) throw new Error('the claim is gone')
    await claims.decide(sql, found, 'not_accepted')
    expect(await batchRow(sql, run.batchId)).toMatchObject({ unknown: 0, failed: IN_DOUBT })
    const rows = await sql`
      select distinct state, reason from messages where bucket = ${bucket} and state <> 'sent'`
    expect(rows).toEqual([{ state: 'failed', reason: 'not_accepted' }])

    // A late event still corrects the record.
    await speak(found.messageIds)
    expect(await batchRow(sql, run.batchId)).toMatchObject({ sent: COUNT, failed: 0 })
  })

  it('a batch that completes while they are decided never has a queued row', async () => {
    const pool = connectAs(database.url, { name: 'race', role: 'letterloom_worker', max: 4 })
    for (let race = 0; race < 30; race++) {
      await prepareBatch('fail')
      await write(await take(COUNT - IN_DOUBT))
      const { claimId, ids } = await take(IN_DOUBT)
      const claim = { ...seeded, id: claimId, bucket, batchId: run.batchId, messageIds: ids }
      await claims.doubt(sql, claim)
      await sql`
        update batches set outcome_awaited_until = now() - interval '1 second'
        where id = ${run.batchId}`
      await Promise.all([
        claims.decide(pool, claim, 'not_accepted').then(),
        completeBatch(pool, run),
      ])
      const { status } = await batchRow(sql, run.batchId)
      const { queued, failed } = await states()
      expect([status, queued, failed]).toEqual(
        status === 'completed' ? ['completed', 0, IN_DOUBT] : ['processing', IN_DOUBT, 0],
      )
    }
    await pool.end()
  })
})

it('a second acceptance is counted once, logged, and shown with its message id', async () => {
  const mail = await take(2)
  await write(mail)
  const told: number[] = []
  const [twice = ''] = mail.ids
  await speak(mail.ids)
  for (let round = 0; round < 2; round++) {
    await receive([{ 'letterloom-message': `${bucket}_${twice}` }], [messageIdOf(twice, '2')])
    await applyEvents(sql, keyring, 500, (count) => told.push(count))
  }
  expect(told).toEqual([1])
  const [batch] = await sql`select sent, duplicates from batches where id = ${run.batchId}`
  expect(batch).toEqual({ sent: 2, duplicates: 1 })
  const shown = await sql`
    select distinct data from delivery_events where log_id = ${twice} order by data`
  expect(shown).toEqual([{ data: {} }, { data: { messageId: messageIdOf(twice, '2') } }])
})

describe('receiving', () => {
  const end = async () =>
    (
      await sql<{ at: string | null }[]>`
        select max(interrupted_until) as at from receivers`
    )[0]?.at ?? null

  it('that goes on after a restart of some seconds was not interrupted', async () => {
    const first = startReceiving({ sql, gapMs: 60_000, log })
    await first.stop()
    await sql`update receivers set interrupted_until = null`
    const second = startReceiving({ sql, gapMs: 60_000, log })
    await second.stop()
    expect(await end()).toBeNull()
  })

  it('that begins after nobody received is interrupted until then', async () => {
    const first = startReceiving({ sql, gapMs: 60_000, log })
    await first.stop()
    await sql`update receivers set interrupted_until = null, beat_at = beat_at - interval '2 minutes'`
    const second = startReceiving({ sql, gapMs: 60_000, log })
    await second.stop()
    expect(await end()).not.toBeNull()
  })

  it('of a process that hung is interrupted until its next heartbeat', async () => {
    const process = startReceiving({ sql, gapMs: 1_000, log })
    await until(async () => (await sql`select from receivers`).length === 1)
    await sql`update receivers set interrupted_until = null, beat_at = beat_at - interval '2 minutes'`
    await until(async () => (await end()) !== null)
    await process.stop()
    expect(await end()).not.toBeNull()
  })

  it('keeps what it could not write until it can', async () => {
    const broken = connect(database.url, { name: 'broken', max: 1 })
    await broken.end()
    const failures: string[] = []
    const warn = (_: object, message: string) => void failures.push(message)
    const lost = startReceiving({ sql: broken, gapMs: 100, log: { warn } })
    lost.refused(undefined)
    await until(async () => failures.length > 2)
    await lost.stop()
    expect(new Set(failures)).toEqual(new Set(['the heartbeat of receiving could not be written']))

    const process = startReceiving({ sql, gapMs: 60_000, log })
    await until(async () => (await sql`select from receivers`).length === 1)
    await sql`update receivers set interrupted_until = null`
    process.refused(undefined)
    await process.stop()
    expect(await end()).not.toBeNull()
  })
})
