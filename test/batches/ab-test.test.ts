import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { chooseWinner, decideUndecided } from '../../src/core/batches/ab-test.ts'
import { batchView } from '../../src/core/batches/batch-view.ts'
import { cancelBatch } from '../../src/core/batches/cancel-batch.ts'
import { pauseBatch } from '../../src/core/batches/change-batch.ts'
import { resumeBatch } from '../../src/core/batches/resume-batch.ts'
import { compareVariants, difference } from '../../src/domain/batches/ab-test.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import * as batches from '../../src/store/batches/batches.ts'
import { batchWorkflowId, WAKE_SIGNAL } from '../../workflows/contract.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { letAllSpeak } from '../support/evidence.ts'
import { type FakeMailer, type FakeOutcome, fakeMailer, sent } from '../support/mailer.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
} from '../support/seed.ts'

describe('whether variants differ', () => {
  // Newcombe 1998, table II, method 10.
  test.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 10, -0.2775, 0.2775],
    [10, 10, 0, 10, 0.6075, 1],
  ])('%i of %i and %i of %i: from %f to %f', (a, m, b, n, low, high) => {
    const found = difference({ count: a, of: m }, { count: b, of: n })
    expect(found.low).toBeCloseTo(low, 3)
    expect(found.high).toBeCloseTo(high, 3)
  })

  const opened = (...counts: number[]) =>
    counts.map((n) => ({ sent: 1_000, opened: n, clicked: 0 }))

  test('the best variant leads, the first of equal ones, and noise is called noise', () => {
    expect(compareVariants(opened(200, 260), 'opened')).toMatchObject({
      leader: 1,
      next: 0,
      isConclusive: true,
    })
    expect(compareVariants(opened(240, 242), 'opened')).toMatchObject({
      leader: 1,
      isConclusive: false,
    })
    expect(compareVariants(opened(0, 0, 0), 'clicked')).toMatchObject({
      leader: 0,
      isConclusive: false,
    })
    // More than chance between two is not yet more than chance between the best two of five.
    expect(compareVariants(opened(200, 237), 'opened').isConclusive).toBe(true)
    expect(compareVariants(opened(200, 237, 0, 0, 0), 'opened').isConclusive).toBe(false)
    const nothing = [
      { sent: 0, opened: 0, clicked: 0 },
      { sent: 0, opened: 0, clicked: 0 },
    ]
    expect(compareVariants(nothing, 'opened')).toMatchObject({ leader: 0, isConclusive: false })
  })
})

describe('a batch with a test', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let sql: Sql
  let engine: Engine
  let mailer: FakeMailer
  let outcome: (mail: { to: string }) => FakeOutcome
  let seeded: Seeded

  beforeAll(async () => {
    database = await createDatabase()
    sql = database.sql
    mailer = fakeMailer((mail) => outcome(mail))
    engine = await startEngine({ databaseUrl: database.url, mailer, freezePage: 60 })
  })
  afterAll(async () => {
    await engine.stop()
    await database.drop()
  })

  beforeEach(() => {
    outcome = sent
  })

  const seed = async (abTest: Parameters<typeof seedBatch>[2] & object) => {
    seeded = await seedOrganization(sql)
    await seedContacts(sql, seeded.organizationId, 100)
    mailer.calls.length = 0
    return seedBatch(sql, seeded, abTest)
  }
  const bySubject = () => {
    const counts: Record<string, number> = {}
    for (const { subject } of mailer.calls) counts[subject] = (counts[subject] ?? 0) + 1
    return counts
  }
  const view = async (id: string) => {
    const batch = await batches.find(sql, seeded.organizationId, id)
    if (!batch) throw new Error('no such batch')
    return batchView(batch)
  }
  const ended = (id: string) =>
    until(async () => {
      const row = await batchRow(sql, id)
      return row.status !== 'processing' && row.status !== 'queued' && row
    })
  /** Until the share is mailed: 20 of each page of 60 and of 40. */
  const shareMailed = (id: string) => until(async () => (await batchRow(sql, id)).sent === 20)
  const manual = { abTest: { sharePercent: 20, winnerBy: 'manual', decideAfter: null } } as const

  it('mails the share in equal parts, waits, and sends the variant with more clicks to the rest', async () => {
    const id = await seed({
      abTest: {
        sharePercent: 20,
        winnerBy: 'clicked',
        decideAfter: { amount: 10, unit: 'minutes' },
      },
    })
    await shareMailed(id)
    expect(bySubject()).toEqual({ A: 10, B: 10 })
    expect(mailer.calls.every((mail) => mail.html?.includes(`${mail.subject} for Reader`))).toBe(
      true,
    )
    expect(mailer.calls.every((mail) => mail.from.startsWith(mail.subject))).toBe(true)
    const waiting = await view(id)
    expect(waiting.abTest).toMatchObject({ winner: null, decision: null })
    // Events of a mail are counted with its variant, once however often they come.
    const rows = await sql<{ bucket: string; id: string }[]>`
      select bucket, id from messages where batch_id = ${id} and variant = 1 order by id limit 9`
    for (const row of [...rows, ...rows]) await click(row)
    // A machine that opens mail is counted by the batch, and tells nothing of a variant.
    const [first] = await sql<{ bucket: string; id: string }[]>`
      select bucket, id from messages where batch_id = ${id} and variant = 0 limit 1`
    await happened(first!, {
      eventType: 'Open',
      open: { timestamp: '2026-11-23T10:00:00.000Z', userAgent: 'python-requests/2.32' },
    })
    await happened(first!, {
      eventType: 'Click',
      click: {
        timestamp: '2026-11-23T10:00:01.000Z',
        link: 'https://letterloom.example/',
        userAgent: 'Barracuda Sentinel (EE)',
      },
    })
    await until(async () => (await view(id)).clicked === 10)
    await sql`update batches set ab_decide_at = now() - interval '1 second' where id = ${id}`
    await engine.client.workflow.getHandle(batchWorkflowId(id, 1)).signal(WAKE_SIGNAL)
    const row = await ended(id)
    expect(row).toMatchObject({ status: 'completed', totalRecipients: 100, sent: 100 })
    await until(async () => (await view(id)).opened === 1)
    expect(bySubject()).toEqual({ A: 10, B: 90 })
    const { abTest } = await view(id)
    expect(abTest).toMatchObject({
      variants: [
        { name: 'A', sent: 10, opened: 0, clicked: 0 },
        { name: 'B', sent: 10, clicked: 9 },
      ],
      rest: { sent: 80, clicked: 0 },
      winner: 'B',
      decision: { by: 'figures', isConclusive: true, leader: 'B', next: 'A', leaderRate: 0.9 },
    })
    const variants = await sql`
      select variant, count(*) from messages where batch_id = ${id} group by variant order by variant`
    expect(variants).toEqual([
      { variant: 0, count: 10 },
      { variant: 1, count: 90 },
    ])
    // The rest is counted beside the share.
    const [ofRest] = await sql<{ bucket: string; id: string }[]>`
      select bucket, id from messages where batch_id = ${id} and variant = 1 order by id desc limit 1`
    await click(ofRest!)
    await until(async () => (await view(id)).abTest?.rest?.clicked === 1)
    expect((await view(id)).abTest?.variants).toMatchObject([{ clicked: 0 }, { clicked: 9 }])
  })

  it('names a winner when its time has come, also if the share was the whole audience', async () => {
    const decideAfter = { amount: 0.02, unit: 'minutes' } as const
    const id = await seed({ abTest: { sharePercent: 100, winnerBy: 'clicked', decideAfter } })
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 100 })
    expect(bySubject()).toEqual({ A: 50, B: 50 })
    expect((await view(id)).abTest).toMatchObject({
      winner: null,
      decideAt: expect.any(String) as string,
      rest: null,
    })
    const rows = await sql<{ bucket: string; id: string }[]>`
      select bucket, id from messages where batch_id = ${id} and variant = 1 order by id limit 9`
    for (const row of rows) await click(row)
    await until(async () => (await view(id)).abTest?.variants[1]?.clicked === 9)
    await until(async () => (await decideUndecided(sql, 10)) === 1)
    expect((await view(id)).abTest).toMatchObject({
      winner: 'B',
      variants: [{ sent: 50 }, { sent: 50, clicked: 9 }],
      rest: { sent: 0 },
      decision: { by: 'figures', leader: 'B', leaderRate: 0.18, isConclusive: true },
    })
    expect(await decideUndecided(sql, 10)).toBe(0)
    expect(await batchRow(sql, id)).toMatchObject({ status: 'completed', sent: 100 })
  })

  it('lets a person name the winner if the share was the whole audience', async () => {
    const id = await seed({ abTest: { sharePercent: 100, winnerBy: 'manual', decideAfter: null } })
    await ended(id)
    expect(await decideUndecided(sql, 10)).toBe(0)
    const { organizationId } = seeded
    const choose = (name: string) =>
      transact(sql, (tx) => chooseWinner(tx, organizationId, { id, name }, 'request'))
    expect((await choose('B'))?.abTest).toMatchObject({ winner: 'B', decision: { by: 'person' } })
    await expect(choose('A')).rejects.toMatchObject({ reason: 'batch_not_testing' })
  })

  const click = (mail: { bucket: string; id: string }) =>
    happened(mail, {
      eventType: 'Click',
      click: { timestamp: '2026-11-23T10:00:00.000Z', link: 'https://example.com' },
    })

  async function happened(
    { bucket, id }: { bucket: string; id: string },
    event: object,
  ): Promise<void> {
    const at = new Date().toISOString()
    const body = {
      detail: {
        ...event,
        mail: {
          timestamp: at,
          messageId: `m-${id}`,
          tags: {
            'letterloom-message': [`${bucket}_${id}`],
            'letterloom-organization': [seeded.organizationId],
          },
        },
      },
    }
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body)
      values (${seeded.organizationId}, ${seeded.connectionId}, ${`${id} ${Math.random()}`},
        ${sql.json(body)})`
  }

  it('waits for a person, who may choose any variant; one of twenty concurrent choices counts', async () => {
    const id = await seed(manual)
    await shareMailed(id)
    const { organizationId } = seeded
    const choose = (name: string) =>
      transact(sql, (tx) => chooseWinner(tx, organizationId, { id, name }, 'request'))
    await expect(choose('C')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => choose(n % 2 === 0 ? 'A' : 'B')),
    )
    const chosen = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect(chosen).toHaveLength(1)
    const winner = chosen[0]?.abTest?.winner ?? ''
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 100 })
    expect(bySubject()).toEqual({ A: 10, B: 10, [winner]: 90 })
    expect((await view(id)).abTest?.decision).toMatchObject({ by: 'person', isConclusive: false })
    await expect(choose('A')).rejects.toMatchObject({ reason: 'batch_not_testing' })
  })

  it('mails recipients in doubt who turned out not to be reached before it decides', async () => {
    const called: string[] = []
    outcome = ({ to }) => {
      called.push(to)
      return called.length === 1 ? { kind: 'unknown', error: 'ECONNRESET' } : sent()
    }
    const id = await seed(manual)
    await until(async () => {
      const { sent: count, unknown } = await batchRow(sql, id)
      return count === 19 && unknown === 1
    })
    await until(async () => {
      await letAllSpeak(sql, seeded)
      return (await batchRow(sql, id)).sent === 20
    })
    expect(called.filter((to) => to === called[0])).toHaveLength(2)
    expect(await batchRow(sql, id)).toMatchObject({ status: 'processing', unknown: 0 })
    expect((await view(id)).abTest).toMatchObject({ winner: null })
    await transact(sql, (tx) => cancelBatch(tx, seeded.organizationId, id))
  })

  it('is paused and cancelled while it waits', async () => {
    const id = await seed(manual)
    await shareMailed(id)
    const of = <T>(act: (tx: Parameters<typeof pauseBatch>[0]) => Promise<T>) => transact(sql, act)
    await of((tx) => pauseBatch(tx, seeded.organizationId, id))
    await of((tx) => chooseWinner(tx, seeded.organizationId, { id, name: 'A' }, 'request'))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(await batchRow(sql, id)).toMatchObject({ status: 'processing', sent: 20 })
    await of((tx) => resumeBatch(tx, seeded.organizationId, id))
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 100 })

    const other = await seed(manual)
    await shareMailed(other)
    await of((tx) => cancelBatch(tx, seeded.organizationId, other))
    await until(async () => {
      const { status } = await engine.client.workflow.getHandle(`batch/${other}/1`).describe()
      return status.name !== 'RUNNING'
    })
    expect(await batchRow(sql, other)).toMatchObject({ status: 'cancelled', sent: 20 })
  })
})
