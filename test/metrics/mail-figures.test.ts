import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { rebuildFigures } from '../../src/core/metrics/rebuild-figures.ts'
import { batchRowId, bucketStart, dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as mailUnsubscribes from '../../src/store/consent/mail-unsubscribes.ts'
import { hasState, isPassing, type Sql, transact } from '../../src/store/db/sql.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults, type Result } from '../../src/store/delivery/record-results.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { insertSent, kept, newBucket, oracle } from '../support/figures.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { connectAs } from '../support/logins.ts'

const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'figures', max: 12, role: 'letterloom_worker' })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const expectRight = async (organizationId?: Uuid) => {
  const [should, is] = await Promise.all([oracle(sql, organizationId), kept(sql, organizationId)])
  expect(is).toEqual(should)
  expect(Object.keys(is).length).toBeGreaterThan(0)
}

interface Prepared {
  seeded: Seeded
  batchId: Uuid
  bucket: Uuid
  contactIds: Uuid[]
}

async function prepare(count: number): Promise<Prepared> {
  const seeded = await seedOrganization(sql)
  const contactIds = await seedContacts(sql, seeded.organizationId, count)
  const batchId = await seedBatch(sql, seeded)
  const { organizationId } = seeded
  const page = { pageSize: 100_000, chunkSize: 100 }
  await freezePage(sql, { organizationId, batchId, attempt: 1, ...page })
  const bucket = (await batchRuns.context(sql, organizationId, batchId))?.bucket ?? ''
  return { seeded, batchId, bucket, contactIds }
}

/** Claims and settles a range of rows: every tenth fails, every eleventh is not known. */
async function send(on: Sql, { seeded, batchId, bucket }: Prepared, from: number, to: number) {
  const { organizationId, connectionId } = seeded
  const claimId = uuidv7()
  const range = { from: batchRowId(bucket, from), to: batchRowId(bucket, to), limit: to - from }
  const batch = { organizationId, batchId, attempt: 1, bucket, connectionId, claimId }
  const { recipients } = await claimRange(on, { ...batch, ...range })
  if (recipients.length === 0) return
  const results = recipients.map(({ id }, n): Result => {
    if (n % 11 === 1) return { id, outcome: 'unknown', error: 'reset', subject: 'News' }
    if (n % 10 === 1) return { id, outcome: 'failed', reason: 'refused', error: 'refused' }
    return { id, outcome: 'sent', messageId: `m-${id}`, subject: 'News' }
  })
  await recordResults(on, { organizationId, bucket, claimId, batchId }, results)
}

const AGENTS = ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 'Mozilla/5.0', 'Barracuda/1.0']

/** What may be told of a mail, as its events. */
function eventsOf({ seeded, bucket }: Pick<Prepared, 'seeded' | 'bucket'>, id: Uuid, n: number) {
  const at = (second: number) => new Date(Date.now() + second * 1_000).toISOString()
  const bounceType = ['Permanent', 'Transient', 'Undetermined'][n % 3]
  const bounceSubType = n % 4 === 0 ? 'OnAccountSuppressionList' : 'General'
  const told: [string, object][] = [['Send', { send: {} }]]
  if (n % 5 === 0) {
    const bounce = { bounceType, bounceSubType, timestamp: at(5), feedbackId: `b-${id}` }
    told.push(['Bounce', { bounce }])
  } else told.push(['Delivery', { delivery: { timestamp: at(5) } }])
  if (n % 2 === 1) told.push(['Open', { open: { timestamp: at(9), userAgent: AGENTS[n % 3] } }])
  if (n % 6 === 1) told.push(['Open', { open: { timestamp: at(8), userAgent: AGENTS[0] } }])
  if (n % 7 === 1) told.push(['Click', { click: { timestamp: at(10), link: 'https://x.example' } }])
  // An automatic reply, before and after the delivery.
  if (n % 9 === 1) {
    const bounce = { bounceType: 'Transient', bounceSubType: 'General', timestamp: at(n % 12) }
    told.push(['Bounce', { bounce: { ...bounce, feedbackId: `r-${id}` } }])
  }
  if (n % 13 === 1) told.push(['Complaint', { complaint: { timestamp: at(11), feedbackId: id } }])
  if (n % 17 === 1) told.push(['Reject', { reject: { reason: 'virus' } }])
  return told.map(([eventType, part]) => ({
    detail: {
      eventType,
      mail: {
        timestamp: at(0),
        messageId: `m-${id}`,
        tags: {
          'letterloom-message': [`${bucket}_${id}`],
          'letterloom-organization': [seeded.organizationId],
        },
      },
      ...part,
    },
  }))
}

/** Events of mails of other programs, two recipients each. */
const untagged = (n: number) => ({
  detail: {
    eventType: n % 2 === 0 ? 'Delivery' : 'Complaint',
    mail: { timestamp: new Date(Date.now() - n * 600_000).toISOString(), messageId: `x-${n % 20}` },
    delivery: { timestamp: new Date().toISOString(), recipients: ['a@x.example', 'b@x.example'] },
    complaint: {
      timestamp: new Date().toISOString(),
      feedbackId: `f-${n}`,
      complainedRecipients: [{ emailAddress: 'a@x.example' }],
    },
  },
})

async function store({ organizationId, connectionId }: Seeded, bodies: object[]) {
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    select ${organizationId}, ${connectionId}, gen_random_uuid()::text, body
    from jsonb_array_elements(${sql.json(bodies)}) as given (body)`
}

const shuffled = <T>(list: readonly T[]): T[] => {
  const keyed = list.map((each) => ({ each, key: Math.random() }))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ each }) => each)
}

const waiting = async () => {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from inbound_events where applied_at is null`
  return row?.n ?? 0
}

const DEADLOCK = '40P01'

describe('figures', () => {
  it('are what the logs say, while appliers, senders, people and a rebuild write at once and are killed', async () => {
    const count = sized(240, 4_000)
    const prepared = await prepare(count)
    const { seeded, batchId, bucket, contactIds } = prepared
    const { organizationId } = seeded
    for (let from = 0; from < count / 2; from += 40) await send(sql, prepared, from, from + 40)
    const singles = await insertSent(
      sql,
      seeded,
      Array.from({ length: count / 4 }, (_, n) => ({
        sentAt: new Date(Date.now() - n * 500_000).toISOString(),
        fromDomain: `d${n % 3}.example.com`,
      })),
    )
    const bodies = [
      ...contactIds.flatMap((_, seq) => eventsOf(prepared, batchRowId(bucket, seq), seq)),
      ...singles.flatMap(({ id }, n) => eventsOf({ seeded, bucket: dayBucket(id) }, id, n)),
    ]
    const copies = shuffled([...bodies, ...bodies, ...bodies])
    const late = copies.splice(0, Math.ceil(copies.length / 100))
    await store(seeded, copies)
    // While a call of a connection is open, events without a tag wait for it: so one without calls.
    const other = await seedOrganization(sql)
    await store(other, shuffled(Array.from({ length: 180 }, (_, n) => untagged(n % 60))))

    const deadlocks: unknown[] = []
    let kills = 0
    /** Repeats it on connections of its own, which may be killed at any time. */
    const writing = async (work: (on: Sql) => Promise<boolean>) => {
      const on = connectAs(database.url, { name: 'victim', max: 2, role: 'letterloom_worker' })
      for (let more = true; more; ) {
        try {
          more = await work(on)
        } catch (error) {
          if (hasState(error, DEADLOCK)) deadlocks.push(error)
          else if (!isPassing(error)) throw error
        }
      }
      await on.end()
    }
    const over = new AbortController()
    const killing = (async () => {
      while (!over.signal.aborted) {
        const killed = await database.admin`
          select pg_terminate_backend(pid)
          from pg_stat_activity
          where application_name = 'victim' and datname = current_database() and state = 'active'
          order by random() limit 1`
        kills += killed.length
        // Less and less often: else a machine that is slow never comes to an end.
        await new Promise((resolve) => setTimeout(resolve, 60 + 2 * kills))
      }
    })()
    let next = count / 2
    let person = 0
    await Promise.all([
      ...Array.from({ length: 4 }, () =>
        writing(async (on) => (await applyEvents(on, keyring, 50)) > 0 || (await waiting()) > 0),
      ),
      ...Array.from({ length: 2 }, () =>
        writing(async (on) => {
          const from = next
          next += 20
          if (from < count) await send(on, prepared, from, Math.min(from + 20, count))
          return from < count
        }),
      ),
      writing(async (on) => {
        const contactId = contactIds[person] ?? ''
        await transact(on, async (tx) => {
          const mail = await mailUnsubscribes.lockMail(tx, organizationId, { batchId, contactId })
          if (mail) await mailUnsubscribes.markMail(tx, organizationId, mail)
        })
        person += 3
        return person < count
      }),
      writing(async (on) => {
        await rebuildFigures(on, organizationId, 100)
        return (await waiting()) > 0
      }),
    ])
    over.abort()
    await killing
    await store(seeded, late)
    while ((await applyEvents(sql, keyring)) > 0);

    expect(deadlocks).toEqual([])
    expect(kills).toBeGreaterThan(0)
    await expectRight(organizationId)
    await expectRight(other.organizationId)
    expect((await rebuildFigures(sql)).corrected).toBe(0)
  })

  it('of another program’s mail that turns out to be ours are gone with its row', async () => {
    const seeded = await seedOrganization(sql)
    const rows = await insertSent(sql, seeded, [
      { sentAt: '2026-11-24T10:00:00Z', source: 'external' },
      { sentAt: '2026-11-24T10:01:00Z', source: 'external' },
    ])
    expect(Object.keys(await kept(sql, seeded.organizationId))).toHaveLength(1)
    await sql`
      delete from messages
      where organization_id = ${seeded.organizationId} and id = ${rows[0]?.id ?? ''}`
    await expectRight(seeded.organizationId)
  })

  it('stay when a transaction that moved them is rolled back', async () => {
    const seeded = await seedOrganization(sql)
    const [mail] = await insertSent(sql, seeded, [{ sentAt: '2026-11-24T10:00:00Z' }])
    await expect(
      sql.begin(async (tx) => {
        await tx`update messages set opened_at = now() where id = ${mail?.id ?? ''}`
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await expectRight(seeded.organizationId)
  })

  it('have as many parts as writers met, and no writer waits for another', async () => {
    const seeded = await seedOrganization(sql)
    const at = '2026-11-24T10:00:00Z'
    const mails = await insertSent(
      sql,
      seeded,
      Array.from({ length: 8 }, () => ({ sentAt: at })),
    )
    let open = 0
    let all = () => {}
    const everybody = new Promise<void>((resolve) => {
      all = resolve
    })
    await Promise.all(
      mails.map(({ id }) =>
        sql.begin(async (tx) => {
          await tx`update messages set delivered_at = now() where id = ${id}`
          if (++open === mails.length) all()
          await everybody
          await tx`update messages set clicked_at = now() where id = ${id}`
        }),
      ),
    )
    const [row] = await sql<{ parts: number }[]>`
      select count(*)::int as parts
      from mail_figures
      where organization_id = ${seeded.organizationId}`
    expect(row?.parts).toBe(mails.length)
    await expectRight(seeded.organizationId)
  })
})

describe('a batch with a test', () => {
  it('counts each mail for its variant’s template, also of two variants with one template', async () => {
    const seeded = await seedOrganization(sql)
    const { organizationId } = seeded
    const abTest = { sharePercent: 20, winnerBy: 'manual', decideAfter: null } as const
    const batchId = await seedBatch(sql, seeded, { abTest })
    const bucket = newBucket()
    const [one, other] = [uuidv7(), uuidv7()]
    await sql`update batches set bucket = ${bucket}, template_id = ${one} where id = ${batchId}`
    await sql`
      update batch_variants set template_id = case position when 0 then ${one}::uuid else ${other} end
      where batch_id = ${batchId}`
    await sql`
      insert into batch_variants (organization_id, batch_id, position, content_id, template_id, subject)
      select organization_id, batch_id, 2, content_id, template_id, subject
      from batch_variants where batch_id = ${batchId} and position = 1`
    const sent = { sentAt: '2026-11-24T10:00:00Z', source: 'batch', batchId, bucket }
    const of = (variant: number, count: number) =>
      Array.from({ length: count }, () => ({ ...sent, variant }))
    await insertSent(sql, seeded, [...of(0, 1), ...of(1, 2), ...of(2, 4)])
    // In one statement, of variants that share a figure.
    await sql`update messages set delivered_at = sent_at where batch_id = ${batchId}`
    await expectRight(organizationId)
    const byTemplate = await sql`
      select template_id, sum(sent)::int as sent, sum(delivered)::int as delivered
      from mail_figures where organization_id = ${organizationId}
      group by 1 order by 2`
    expect(byTemplate).toEqual([
      { templateId: one, sent: 1, delivered: 1 },
      { templateId: other, sent: 6, delivered: 6 },
    ])
    await sql`delete from mail_figures where organization_id = ${organizationId}`
    await rebuildFigures(sql, organizationId, 3)
    await expectRight(organizationId)
  })
})

describe('a rebuild', () => {
  it('corrects whatever is wrong, in pages of any size, and only what the logs tell of', async () => {
    const seeded = await seedOrganization(sql)
    const other = await seedOrganization(sql)
    const { organizationId } = seeded
    const mails = Array.from({ length: 100 }, (_, n) => ({
      sentAt: new Date(Date.UTC(2026, 10, 24, 0, n * 7)).toISOString(),
      fromDomain: `d${n % 5}.example.com`,
      ...(n % 2 === 0 ? { deliveredAt: '2026-11-24T10:00:00Z' } : {}),
    }))
    await insertSent(sql, seeded, mails)
    await insertSent(sql, other, mails.slice(0, 3))
    await sql`
      update mail_figures set sent = sent + 3, opened = 7
      where organization_id = ${organizationId} and domain = 'd1.example.com'`
    await sql`
      delete from mail_figures
      where organization_id = ${organizationId} and domain = 'd2.example.com'`
    await sql`
      insert into mail_figures
      select organization_id, gen_random_uuid(), 1, quarter, bucket, 'workflow', connection_id,
        template_id, 'nowhere.example', null, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
      from mail_figures where organization_id = ${organizationId} limit 1`
    // Of a day whose logs are gone.
    const gone = bucketStart(Date.UTC(2026, 0, 5))
    await sql`
      insert into mail_figures
      select organization_id, gen_random_uuid(), 1, '2026-01-05', ${gone}, source, connection_id,
        template_id, 'old.example', null, 5, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
      from mail_figures where organization_id = ${organizationId} limit 1`
    const { corrected, mails: counted } = await rebuildFigures(sql, organizationId, 7)
    expect([corrected > 40, counted]).toEqual([true, 100])
    const should = await oracle(sql, organizationId)
    const is = Object.entries(await kept(sql, organizationId))
    expect(Object.fromEntries(is.filter(([key]) => !key.endsWith('old.example')))).toEqual(should)
    expect(is.filter(([key]) => key.endsWith('old.example')).map(([, sum]) => sum)).toMatchObject([
      { sent: 5, delivered: 4 },
    ])
    expect((await rebuildFigures(sql)).corrected).toBe(0)
  })

  it('leaves the figures of dropped logs, also of mail that was sent on a later day', async () => {
    const seeded = await seedOrganization(sql)
    const old = Date.now() - 40 * 86_400_000
    const [from, to] = [bucketStart(old), bucketStart(old + 86_400_000)]
    await database.admin.unsafe(
      `create table messages_old partition of messages for values from ('${from}') to ('${to}')`,
    )
    const row = { bucket: from }
    await insertSent(sql, seeded, [
      { ...row, sentAt: new Date(old).toISOString() },
      // Scheduled for today.
      { ...row, sentAt: '2026-11-24T10:00:00Z' },
      { sentAt: '2026-11-24T10:00:00Z' },
    ])
    const before = await kept(sql, seeded.organizationId)
    await database.admin.unsafe('drop table messages_old')
    await rebuildFigures(sql, seeded.organizationId)
    expect(await kept(sql, seeded.organizationId)).toEqual(before)
  })
})
