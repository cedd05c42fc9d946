import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Condition, Filter } from '../../src/domain/audience/condition.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { connectSender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { ended, fileOf, newCustomer, send } from '../support/large-import.ts'
import { watchSegment } from '../support/membership.ts'
import { seedContacts } from '../support/seed.ts'
import { isFull, sized } from '../support/size.ts'
import { startTestSystem } from '../support/system.ts'

const ROWS = sized(4_000, 100_000)
/** Pause between two writes of the other organization. */
const PAUSE_MS = sized(25, 100)
const MAIL_EVERY = 4
/** What entries and single mails may take at p95, where no other tests run beside. */
const MOST_MS = 2_000

let system: Awaited<ReturnType<typeof startTestSystem>>
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())

const of = (filter: Filter): Condition => ({ logic: 'AND', groups: [{ filters: [filter] }] })
const isPro = of({ field: 'properties.plan', operator: 'equals', value: 'pro' })
/** One row in a hundred enters the last. */
const THEIRS: Condition[] = [
  isPro,
  of({ field: 'event.bought', operator: 'triggeredAtLeast', value: 2 }),
  of({ field: 'topics', operator: 'hasTopic', value: 'news' }),
  of({ field: 'createdAt', operator: 'greaterThan', value: '2999-01-01' }),
  of({ field: 'firstName', operator: 'endsWith', value: '00' }),
]

/** Waits until nothing that was marked is left to be evaluated. */
const evaluated = (organizationId: string) =>
  until(async () => {
    const [left] = await system.sql`
      select
      where exists (select from dirty_contacts where organization_id = ${organizationId})
        or exists (
          select from kept_segments where organization_id = ${organizationId} and not is_scanned
        )`
    return left === undefined
  }, 600_000)

const p95 = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.POSITIVE_INFINITY

const figures = (name: string, times: number[]): string =>
  `${times.length} ${name}, p95 ${p95(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`

it('delays no entry of another organization and no single mail', async () => {
  const [importer, sender] = [await newCustomer(system), await connectSender(system, 500)]
  const { client, organizationId } = sender
  for (const condition of THEIRS) await watchSegment(system.sql, importer.organizationId, condition)
  const { entry } = await watchSegment(system.sql, organizationId, isPro)
  const ids = await seedContacts(system.sql, organizationId, sized(1_000, 5_000))
  await evaluated(importer.organizationId)
  await evaluated(organizationId)

  let isOver = false
  const { body } = await send(system, importer, fileOf(ROWS))
  const importing = ended(system, importer, body.id)
    .then(() => evaluated(importer.organizationId))
    .finally(() => (isOver = true))
  const begunAt = performance.now()
  const answeredAt = new Map<string, number>()
  for (const [n, id] of ids.entries()) {
    if (isOver) break
    await client.patch('/v1/contacts/{id}', {
      params: { path: { id } },
      body: { properties: { plan: 'pro' } },
    })
    answeredAt.set(id, Date.now())
    if (n % MAIL_EVERY === 0) {
      const mail = { to: `reader-${n}@example.com`, from: SENDER, subject: 'Receipt', text: 'Hi' }
      await client.post('/v1/email/send', { body: mail })
    }
    await sleep(PAUSE_MS)
  }
  await importing
  const overAt = Date.now()
  const seconds = (performance.now() - begunAt) / 1_000
  await evaluated(organizationId)

  const entered = await system.sql<{ contactId: string; at: number }[]>`
    select contact_id, extract(epoch from created_at)::float8 * 1000 as at
    from executions
    where flow_id = ${entry}`
  expect(entered.length).toBe(answeredAt.size)
  const entryTimes = entered.map(({ contactId, at }) => at - (answeredAt.get(contactId) ?? 0))
  const mails = await until(async () => {
    const rows = await system.sql<{ ms: number; at: number }[]>`
      select extract(epoch from sent_at - created_at)::float8 * 1000 as ms,
        extract(epoch from sent_at)::float8 * 1000 as at
      from messages
      where organization_id = ${organizationId} and source = 'transactional'`
    return rows.every(({ at }) => at !== null) && rows
  })
  const mailTimes = mails.map(({ ms }) => ms)
  const said = `${ROWS} rows in ${seconds.toFixed(0)} s; ${figures('entries', entryTimes)}; ${figures('mails', mailTimes)}`
  if (isFull) console.log(said)
  expect(answeredAt.size).toBeGreaterThan(10)
  // Whoever was kept waiting would come after the import; however slow the machine is.
  const shareBefore = (times: number[]) => times.filter((at) => at < overAt).length / times.length
  expect(shareBefore(entered.map(({ at }) => at)), said).toBeGreaterThan(0.25)
  expect(shareBefore(mails.map(({ at }) => at)), said).toBeGreaterThan(0.25)
  if (!isFull) return
  expect(p95(entryTimes), said).toBeLessThan(MOST_MS)
  expect(p95(mailTimes), said).toBeLessThan(MOST_MS)
}, 900_000)
