import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSendEmail } from '../../activities/flows/steps/send-email.ts'
import type { StepOf } from '../../src/domain/flows/flow.ts'
import { batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import { applyEvents, applyNext } from '../../src/core/delivery/apply-delivery-events.ts'
import { startEventApplier } from '../../src/loops/event-applier.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import { claimMails } from '../../src/store/mails/claim-mails.ts'
import * as deliveryEvents from '../../src/store/delivery/delivery-events.ts'
import { isPassing, type Sql, transact } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, withoutPartition } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { seedExecution, takeStep } from '../support/flow-steps.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
const keyring = parseKeyring(newKeyringText())

const sendEmail = createSendEmail({ keyring, publicUrl: 'https://mail.example' })
const hello: StepOf<'send_email'> = {
  id: 'hello',
  type: 'send_email',
  name: 'Say hello',
  config: { subject: 'Hello', html: '<p>Hello</p>', from: 'shop@example.com' },
}

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

interface Prepared {
  seeded: Seeded
  batchId: string
  bucket: string
  contactIds: string[]
}

/** A batch whose first `sent` rows were sent, the rest claimed and not yet settled. */
async function prepare(count: number, sent: number): Promise<Prepared> {
  const seeded = await seedOrganization(sql)
  const contactIds = await seedContacts(sql, seeded.organizationId, count)
  const batchId = await seedBatch(sql, seeded)
  const run = { organizationId: seeded.organizationId, batchId, attempt: 1 }
  await freezePage(sql, { ...run, pageSize: 10_000, chunkSize: 100 })
  const bucket = (await batchRuns.context(sql, run.organizationId, batchId))?.bucket ?? ''
  const range = { bucket, connectionId: seeded.connectionId, from: batchRowId(bucket, 0) }
  for (const [to, settle] of [
    [sent, true],
    [count, false],
  ] as const) {
    const claimId = uuidv7()
    const claim = { ...run, ...range, claimId, to: batchRowId(bucket, to), limit: count }
    const { recipients } = await claimRange(sql, claim)
    if (!settle || recipients.length === 0) continue
    await recordResults(
      sql,
      { ...run, bucket, claimId },
      recipients.map(({ id }) => ({
        id,
        outcome: 'sent' as const,
        messageId: `m-${id}`,
        subject: 'News',
      })),
    )
  }
  return { seeded, batchId, bucket, contactIds }
}

/** A batch of whose rows each was skipped by its claim: everybody had left meanwhile. */
async function prepareSkipped(count: number): Promise<Prepared> {
  const prepared = await prepare(count, 0)
  const { seeded, batchId, bucket } = prepared
  const { organizationId, connectionId } = seeded
  // As the reconciler leaves rows whose call was never heard of again.
  await sql`
    update messages set state = 'queued', claim_id = null, claimed_at = null
    where organization_id = ${organizationId}`
  await sql`
    update contacts set email_status = 'unsubscribed' where organization_id = ${organizationId}`
  const [from, to] = [batchRowId(bucket, 0), batchRowId(bucket, count)]
  const claim = { organizationId, batchId, attempt: 1, bucket, connectionId, from, to }
  await claimRange(sql, { ...claim, claimId: uuidv7(), limit: count })
  return prepared
}

interface Happening {
  /** Number of a batch's row. Other mails have an `id`. */
  seq?: number
  id?: string
  type: 'Send' | 'Delivery' | 'Bounce' | 'Complaint' | 'Open' | 'Click'
  second?: number
  organizationId?: string
}

const detail = (
  { seeded, bucket }: Prepared,
  { seq = 0, id = batchRowId(bucket, seq), type, second = 5, organizationId }: Happening,
) => {
  const at = new Date(Date.now() + second * 1_000).toISOString()
  const part = {
    Send: { send: {} },
    Delivery: { delivery: { timestamp: at, smtpResponse: '250 ok' } },
    Bounce: {
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        timestamp: at,
        feedbackId: `b-${seq}`,
      },
    },
    Complaint: {
      complaint: { timestamp: at, feedbackId: `c-${seq}`, complaintFeedbackType: 'abuse' },
    },
    Open: { open: { timestamp: at, userAgent: 'Mail' } },
    Click: { click: { timestamp: at, link: 'https://letterloom.example/x' } },
  }[type]
  return {
    detail: {
      eventType: type,
      mail: {
        timestamp: new Date().toISOString(),
        messageId: `m-${id}`,
        tags: {
          'letterloom-message': [`${bucket}_${id}`],
          'letterloom-organization': [organizationId ?? seeded.organizationId],
        },
      },
      ...part,
    },
  }
}

async function store({ seeded }: Prepared, bodies: object[], connectionId = seeded.connectionId) {
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    select ${seeded.organizationId}, ${connectionId}, gen_random_uuid()::text, body
    from jsonb_array_elements(${sql.json(bodies)}) as given (body)`
}

/** From now on Postgres refuses events that say `poison`, each after some seconds. */
const refusingPoison = async (seconds: number, code = '22023') => {
  await database.admin.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.data ->> 'smtpResponse' = 'poison' then
        perform pg_sleep(${seconds});
        raise exception 'poison' using errcode = '${code}';
      end if;
      return new;
    end $$`)
  await database.admin`
    create trigger refuse before insert on delivery_events
    for each row execute function refuse()`
}
const poison = (prepared: Prepared, seq: number) => {
  const made = detail(prepared, { seq, type: 'Delivery' })
  return { detail: { ...made.detail, delivery: { smtpResponse: 'poison' } } }
}
const nothingWaits = async () =>
  (await sql`select from inbound_events where applied_at is null`).length === 0
const setAside = async ({ seeded }: Prepared) =>
  (
    await sql`
      select from inbound_events
      where error is not null and organization_id = ${seeded.organizationId}`
  ).length

const silent = { info: () => {}, warn: () => {}, error: () => {} }

const drain = async (appliers = 1) => {
  await Promise.all(
    Array.from({ length: appliers }, async () => {
      while ((await applyEvents(sql, keyring)) > 0);
    }),
  )
}

const figures = async (batchId: string) =>
  (
    await sql`
      select sent, unknown, delivered, opened, clicked, bounced, complained, suppressed
      from batches
      where id = ${batchId}`
  )[0]

const listed = async (organizationId: string) =>
  Object.fromEntries(
    (
      await sql<{ address: string; reason: string }[]>`
        select address, reason from suppressions where organization_id = ${organizationId}`
    ).map(({ address, reason }) => [address, reason]),
  )

describe('delivery events', () => {
  it('shuffled, doubled and applied by four at once end where an oracle says', async () => {
    const count = 400
    const prepared = await prepare(count, 300)
    const happenings = Array.from({ length: count }, (_, seq): Happening[] => [
      { seq, type: 'Send' },
      ...(seq % 10 === 0
        ? [{ seq, type: 'Bounce' } as const]
        : [{ seq, type: 'Delivery' } as const]),
      ...(seq % 3 === 1 ? [{ seq, type: 'Open', second: 8 } as const] : []),
      ...(seq % 9 === 1 ? [{ seq, type: 'Click', second: 9 } as const] : []),
      ...(seq % 50 === 1 ? [{ seq, type: 'Complaint', second: 9 } as const] : []),
    ]).flat()
    const bodies = [...happenings, ...happenings].map((each) => detail(prepared, each))
    await store(
      prepared,
      bodies.toSorted(() => Math.random() - 0.5),
    )
    await drain(4)

    const expected = (type: Happening['type']) =>
      happenings.filter((each) => each.type === type).length
    expect(await figures(prepared.batchId)).toEqual({
      sent: count,
      unknown: 0,
      delivered: expected('Delivery'),
      opened: expected('Open'),
      clicked: expected('Click'),
      bounced: expected('Bounce'),
      complained: expected('Complaint'),
      suppressed: 0,
    })
    const statuses = await sql<{ status: string; count: number }[]>`
      select status, count(*) as count
      from messages
      where organization_id = ${prepared.seeded.organizationId}
      group by status`
    const oracle = new Map<string, number>()
    for (let seq = 0; seq < count; seq++) {
      const status =
        seq % 50 === 1
          ? 'complained'
          : seq % 10 === 0
            ? 'bounced'
            : seq % 9 === 1
              ? 'clicked'
              : seq % 3 === 1
                ? 'opened'
                : 'delivered'
      oracle.set(status, (oracle.get(status) ?? 0) + 1)
    }
    expect(Object.fromEntries(statuses.map(({ status, count }) => [status, count]))).toEqual(
      Object.fromEntries(oracle),
    )
    const [stats] = await sql`
      select sum(emails_sent)::int as sent, sum(emails_opened)::int as opened,
        sum(emails_clicked)::int as clicked
      from contact_stats
      where organization_id = ${prepared.seeded.organizationId}`
    expect(stats).toEqual({ sent: count, opened: expected('Open'), clicked: expected('Click') })
    const [timeline] = await sql<{ events: number }[]>`
      select count(*) as events
      from delivery_events
      where organization_id = ${prepared.seeded.organizationId} and kind in ('bounce', 'complaint')`
    expect(timeline?.events).toBe(expected('Bounce') + expected('Complaint'))
  })

  it('settle a row that waits for its outcome, whoever is first', async () => {
    const prepared = await prepare(4, 0)
    await store(prepared, [detail(prepared, { seq: 2, type: 'Delivery' })])
    await drain()
    const [row] = await sql`
      select state, status, claim_id, message_id
      from messages
      where organization_id = ${prepared.seeded.organizationId} and id = ${batchRowId(prepared.bucket, 2)}`
    expect(row).toEqual({
      state: 'sent',
      status: 'delivered',
      claimId: null,
      messageId: `m-${batchRowId(prepared.bucket, 2)}`,
    })
    expect(await figures(prepared.batchId)).toMatchObject({ sent: 1, delivered: 1 })
  })

  it('raise the contact that has the address, never another and never down', async () => {
    const prepared = await prepare(4, 4)
    const [bounced, moved, complained, left] = prepared.contactIds
    await sql`update contacts set email = 'new@example.com' where id = ${moved!}`
    await sql`update contacts set email_status = 'unsubscribed' where id = ${left!}`
    await store(prepared, [
      detail(prepared, { seq: 0, type: 'Bounce' }),
      detail(prepared, { seq: 1, type: 'Bounce' }),
      detail(prepared, { seq: 2, type: 'Complaint' }),
      detail(prepared, { seq: 2, type: 'Bounce' }),
      detail(prepared, { seq: 3, type: 'Open' }),
    ])
    await drain()
    const rows = await sql<{ id: string; emailStatus: string }[]>`
      select id, email_status from contacts where organization_id = ${prepared.seeded.organizationId}`
    expect(Object.fromEntries(rows.map(({ id, emailStatus }) => [id, emailStatus]))).toEqual({
      [bounced!]: 'bounced',
      [moved!]: 'active',
      [complained!]: 'complained',
      [left!]: 'unsubscribed',
    })
    // The list knows the address that was mailed, the one that nobody has any more included.
    const { organizationId } = prepared.seeded
    expect(await listed(organizationId)).toEqual({
      'reader-1@example.com': 'bounced',
      'reader-2@example.com': 'bounced',
      'reader-3@example.com': 'complained',
    })
  })

  it('raise whoever has the address by now, and list the address of a contact that is gone', async () => {
    const prepared = await prepare(2, 2)
    const { organizationId } = prepared.seeded
    const [first, second] = prepared.contactIds
    await sql`delete from contacts where id in (${first!}, ${second!})`
    const [again] = await seedContacts(sql, organizationId, 1)
    await store(prepared, [
      detail(prepared, { seq: 0, type: 'Complaint' }),
      detail(prepared, { seq: 1, type: 'Bounce' }),
    ])
    await drain()
    expect(await sql`select id, email_status from contacts where id = ${again!}`).toEqual([
      { id: again, emailStatus: 'complained' },
    ])
    expect(await listed(organizationId)).toEqual({
      'reader-1@example.com': 'complained',
      'reader-2@example.com': 'bounced',
    })
  })

  it('from before a resubscription change neither contact nor list, later ones do', async () => {
    const prepared = await prepare(2, 2)
    const { organizationId } = prepared.seeded
    await sql`
      update contacts
      set resubscribed_at = now() + interval '10 seconds'
      where organization_id = ${organizationId}`
    await store(prepared, [
      detail(prepared, { seq: 0, type: 'Bounce', second: 5 }),
      detail(prepared, { seq: 1, type: 'Bounce', second: 15 }),
    ])
    await drain()
    expect(await listed(organizationId)).toEqual({ 'reader-2@example.com': 'bounced' })
    const rows = await sql<{ emailStatus: string }[]>`
      select email_status from contacts where organization_id = ${organizationId} order by id`
    expect(rows.map(({ emailStatus }) => emailStatus)).toEqual(['active', 'bounced'])
  })

  it('in any order, by several appliers, raise two organizations without a deadlock', async () => {
    const both = [await prepare(60, 60), await prepare(60, 60)]
    const types = ['Bounce', 'Complaint'] as const
    const bodies = both.flatMap((prepared) =>
      Array.from({ length: 60 }, (_, seq) =>
        types.map((type) => ({ prepared, body: detail(prepared, { seq, type }) })),
      ).flat(),
    )
    for (const { prepared, body } of bodies.toSorted(() => Math.random() - 0.5)) {
      await store(prepared, [body])
    }
    const deadlocks = async () =>
      (
        await sql<{ deadlocks: number }[]>`
          select deadlocks from pg_stat_database where datname = current_database()`
      )[0]?.deadlocks
    const before = await deadlocks()
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while ((await applyEvents(sql, keyring, 7)) > 0);
      }),
    )
    expect(await deadlocks()).toBe(before)
    for (const { seeded } of both) {
      const statuses = Object.values(await listed(seeded.organizationId))
      expect(statuses).toEqual(Array.from({ length: 60 }, () => 'complained'))
    }
  })

  it('note the last open or click of a contact, also when it moves no figure', async () => {
    const prepared = await prepare(1, 1)
    const activity = async () =>
      (
        await sql<{ emailsOpened: number; lastActivityAt: string | null }[]>`
          select emails_opened, last_activity_at
          from contact_stats
          where contact_id = ${prepared.contactIds[0]!}`
      )[0]
    expect(await activity()).toMatchObject({ emailsOpened: 0, lastActivityAt: null })
    const late = detail(prepared, { seq: 0, type: 'Open', second: 60 })
    await store(prepared, [detail(prepared, { seq: 0, type: 'Open', second: 5 }), late])
    await drain()
    const { emailsOpened, lastActivityAt } = (await activity())!
    expect([emailsOpened, lastActivityAt]).toEqual([
      1,
      (late.detail as unknown as { open: { timestamp: string } }).open.timestamp,
    ])
    await store(prepared, [detail(prepared, { seq: 0, type: 'Click', second: 30 })])
    await drain()
    expect((await activity())?.lastActivityAt).toBe(lastActivityAt)
  })

  it('of another organization, another connection or no mail of ours change nothing', async () => {
    const prepared = await prepare(3, 3)
    const stranger = await prepare(3, 3)
    const forged = detail(prepared, { seq: 0, type: 'Bounce' })
    // The stranger's own secret, our tag: the proof decides, never the body.
    await store(stranger, [
      forged,
      detail(prepared, { seq: 1, type: 'Bounce', organizationId: stranger.seeded.organizationId }),
    ])
    await store(prepared, [forged], uuidv7())
    await store(prepared, [{ detail: 'nonsense' }, { detail: { eventType: 'Send', mail: {} } }, {}])
    await drain()
    expect(await figures(prepared.batchId)).toMatchObject({ bounced: 0 })
    expect(await figures(stranger.batchId)).toMatchObject({ bounced: 0 })
    expect(await sql`select from inbound_events where applied_at is null`).toHaveLength(0)
  })

  it('that cannot be applied are set aside, and the others go on', async () => {
    const prepared = await prepare(3, 3)
    await refusingPoison(0)
    await store(prepared, [poison(prepared, 0), detail(prepared, { seq: 1, type: 'Delivery' })])
    const applier = startEventApplier({ sql, keyring, log: silent })
    try {
      await until(async () => (await figures(prepared.batchId))?.['delivered'] === 1)
      await until(nothingWaits)
    } finally {
      await applier.stop()
      await database.admin`drop function refuse cascade`
    }
    const aside = await sql`select error from inbound_events where error is not null`
    expect(aside).toHaveLength(1)
    expect(String(aside[0]?.['error'])).toContain('poison')
  })

  it('that fail for another reason are put off for an hour, then set aside; the others go on', async () => {
    const prepared = await prepare(3, 3)
    await refusingPoison(0, '23505')
    await store(prepared, [poison(prepared, 0), detail(prepared, { seq: 1, type: 'Delivery' })])
    const applier = startEventApplier({ sql, keyring, log: silent })
    try {
      await until(async () => (await figures(prepared.batchId))?.['delivered'] === 1)
    } finally {
      await applier.stop()
    }
    const [waiting] = await sql`
      select error, look_at > now() + interval '10 seconds' as is_put_off
      from inbound_events
      where applied_at is null`
    expect(waiting).toEqual({ error: null, isPutOff: true })
    expect(await applyNext(sql, keyring)).toBeUndefined()

    const again = async (minutes: number) => {
      await sql`
        update inbound_events
        set look_at = now() - interval '1 second', received_at = now() - ${minutes} * interval '1 minute'
        where applied_at is null`
      return (await applyNext(sql, keyring))?.refusal
    }
    expect(await again(59)).toMatchObject({ isPutOff: true })
    expect(await again(61)).toMatchObject({ isPutOff: false })
    await database.admin`drop function refuse cascade`
    expect(await nothingWaits()).toBe(true)
    expect(await setAside(prepared)).toBe(1)
  })

  it('that are large are taken a few at a time, among others', async () => {
    const prepared = await prepare(30, 30)
    const junk = (seq: number) => {
      const made = detail(prepared, { seq, type: 'Delivery' })
      return { detail: { ...made.detail, junk: 'x'.repeat(1_200_000) } }
    }
    for (let seq = 0; seq < 10; seq++) {
      await store(prepared, [detail(prepared, { seq: 10 + seq, type: 'Delivery' }), junk(seq)])
    }
    const small = Array.from({ length: 10 }, (_, seq) => seq + 20)
    await store(
      prepared,
      small.map((seq) => detail(prepared, { seq, type: 'Delivery' })),
    )
    const sets: number[] = []
    while ((sets.at(-1) ?? 1) > 0) sets.push(await applyEvents(sql, keyring))
    // A large one is 1.2 MB of text: the fourth is the last of a set.
    expect(sets).toEqual([8, 8, 14, 0])
    expect(await figures(prepared.batchId)).toMatchObject({ delivered: 30 })
  })

  it('wait for a partition that is missing, and are not set aside', async () => {
    const prepared = await prepare(3, 3)
    await store(prepared, [detail(prepared, { seq: 1, type: 'Delivery' })])
    await withoutPartition(database.admin, 'delivery_events', async () => {
      await expect(applyNext(sql, keyring)).rejects.toSatisfy(isPassing)
    })
    expect(await setAside(prepared)).toBe(0)
    await drain()
    expect(await figures(prepared.batchId)).toMatchObject({ delivered: 1 })
  })

  it('of two acceptances tell the same in either order: the first is the mail, the other a duplicate', async () => {
    const sentAt = '2026-11-21T10:00:00.000Z'
    const accepted = (prepared: Prepared, type: Happening['type'], later: boolean) => {
      const { detail: made } = detail(prepared, { type })
      const messageId = later ? 'second' : `first-${prepared.batchId}`
      const timestamp = later ? '2026-11-21T10:20:00.000Z' : sentAt
      const mail = { ...made.mail, messageId: `${messageId}-${prepared.batchId}`, timestamp }
      return { detail: { ...made, mail } }
    }
    const known = []
    for (const order of [
      [false, true, true],
      [true, false, true],
      [true, true, false],
    ]) {
      const prepared = await prepare(1, 0)
      const { organizationId } = prepared.seeded
      for (const later of order) {
        await store(prepared, [
          accepted(prepared, 'Send', later),
          accepted(prepared, later ? 'Open' : 'Delivery', later),
        ])
        await drain()
      }
      const [batch] = await sql`
        select sent, duplicates from batches where id = ${prepared.batchId}`
      const [mail] = await sql<{ id: string; messageId: string; sentAt: string }[]>`
        select id, message_id, sent_at from messages where organization_id = ${organizationId}`
      const timeline = await deliveryEvents.list(sql, organizationId, mail!, 100)
      const told = timeline.map(
        ({ type, data }) => `${type} ${JSON.stringify(data['messageId'] ?? 'own')}`,
      )
      const [stats] = await sql`
        select emails_sent, last_email_sent_at from contact_stats
        where organization_id = ${organizationId}`
      const of = `-${prepared.batchId}`
      known.push({
        messageId: mail?.messageId.replaceAll(of, ''),
        sentAt: mail?.sentAt,
        told: told.map((each) => each.replace(of, '').replaceAll('"', '')).toSorted(),
        ...batch,
        ...stats,
      })
    }
    expect(new Set(known.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(known[0]).toEqual({
      messageId: 'first',
      sentAt,
      told: ['delivery own', 'open second', 'open second', 'send own', 'send second'],
      sent: 1,
      duplicates: 1,
      emailsSent: 1,
      lastEmailSentAt: '2026-11-21T10:20:00.000Z',
    })
  })

  it('of two appliers set aside what is refused, never what comes after it', async () => {
    const [poisoned, healthy] = [await prepare(10, 10), await prepare(200, 200)]
    await refusingPoison(0.05)
    for (let seq = 0; seq < 200; seq++) {
      if (seq % 20 === 0) await store(poisoned, [poison(poisoned, seq / 20)])
      await store(healthy, [detail(healthy, { seq, type: 'Delivery' })])
    }
    const appliers = [1, 2].map(() => startEventApplier({ sql, keyring, log: silent }))
    try {
      await until(nothingWaits)
    } finally {
      await Promise.all(appliers.map((applier) => applier.stop()))
      await database.admin`drop function refuse cascade`
    }
    expect([await setAside(poisoned), await setAside(healthy)]).toEqual([10, 0])
    expect(await figures(healthy.batchId)).toMatchObject({ delivered: 200 })
  })

  it('are set aside themselves, also when somebody else takes them first', async () => {
    const [poisoned, healthy] = [await prepare(1, 1), await prepare(1, 1)]
    await refusingPoison(0.5)
    await store(poisoned, [poison(poisoned, 0)])
    await store(healthy, [detail(healthy, { seq: 0, type: 'Delivery' })])
    // A second applier that waits for the refused event while the first has it alone.
    let holding: Promise<unknown> | undefined
    const hold = async (): Promise<void> => {
      await sleep(200)
      await sql.begin(async (tx) => {
        await tx`
          select from inbound_events
          where organization_id = ${poisoned.seeded.organizationId} and applied_at is null
          for update`
        await sleep(500)
      })
    }
    const log = { ...silent, error: () => void (holding ??= hold()) }
    const applier = startEventApplier({ sql, keyring, log })
    try {
      await until(nothingWaits)
    } finally {
      await applier.stop()
      await holding
      await database.admin`drop function refuse cascade`
    }
    expect([await setAside(poisoned), await setAside(healthy)]).toEqual([1, 0])
    expect(await figures(healthy.batchId)).toMatchObject({ delivered: 1 })
  })

  it('of a mail that was skipped after an earlier try prove that it was sent, once', async () => {
    const count = 60
    const prepared = await prepareSkipped(count)
    const totals = async () =>
      (
        await sql`
          select total_recipients, sent, failed, skipped, delivered
          from batches
          where id = ${prepared.batchId}`
      )[0]
    const total = { totalRecipients: count, failed: 0 }
    expect(await totals()).toEqual({ ...total, sent: 0, skipped: count, delivered: 0 })
    const late = Array.from({ length: count / 2 }, (_, seq) => seq)
    for (const type of ['Send', 'Delivery', 'Send'] as const) {
      await store(
        prepared,
        late.map((seq) => detail(prepared, { seq, type })),
      )
    }
    await Promise.all(
      [1, 2].map(async () => {
        while ((await applyEvents(sql, keyring, 7)) > 0);
      }),
    )
    const half = count / 2
    expect(await totals()).toEqual({ ...total, sent: half, skipped: half, delivered: half })
    const { organizationId } = prepared.seeded
    expect(await batchRuns.ledger(sql, organizationId, prepared.bucket)).toMatchObject({
      frozen: count,
      sent: half,
      skipped: half,
    })
    const rows = await sql`
      select state, status, reason, count(*)
      from messages
      where organization_id = ${organizationId}
      group by state, status, reason
      order by state`
    expect(rows).toEqual([
      { state: 'sent', status: 'delivered', reason: null, count: half },
      { state: 'skipped', status: 'opted_out', reason: 'unsubscribed', count: half },
    ])
  })

  it('of a flow’s mail that the end of its execution skipped say that it was sent', async () => {
    const seeded = await seedOrganization(sql)
    const { organizationId, connectionId } = seeded
    const [contactId = ''] = await seedContacts(sql, organizationId, 1)
    const execution = await seedExecution(sql, seeded, { contactId, steps: [hello] })
    const outcome = await takeStep(sql, sendEmail, execution, hello)
    const id = outcome?.kind === 'wait' ? (outcome.mailId ?? '') : ''
    await transact(sql, (tx) =>
      executions.end(tx, organizationId, [execution.id], { status: 'cancelled', reason: null }),
    )
    const [waiting] = await mailQueue.waiting(sql, connectionId, 1)
    const bucket = waiting?.bucket ?? ''
    const claim = { organizationId, connectionId, bucket, claimId: uuidv7(), ids: [id] }
    expect((await claimMails(sql, claim)).mails).toEqual([])
    const row = async () =>
      (
        await sql`
          select m.state, m.reason, s.emails_sent
          from messages m
          left join contact_stats s on s.contact_id = m.contact_id
          where m.id = ${id}`
      )[0]
    expect(await row()).toMatchObject({ state: 'skipped', reason: 'execution_ended' })

    const prepared = { seeded, bucket, batchId: '', contactIds: [] }
    for (const type of ['Send', 'Delivery', 'Send'] as const) {
      await store(prepared, [detail(prepared, { id, type })])
    }
    await Promise.all(
      [1, 2].map(async () => {
        while ((await applyEvents(sql, keyring, 1)) > 0);
      }),
    )
    expect(await row()).toEqual({ state: 'sent', reason: null, emailsSent: 1 })
  })
})
