import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { measureLags } from '../../src/main/programs/lag-metrics.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedTriggered } from '../support/scheduled-flows.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }
let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** As a worker tells it that has just started. */
async function figures(url = database.url): Promise<Record<string, number>> {
  const sql = connectAs(url, { name: 'lags', role: 'letterloom_worker', max: 1 })
  try {
    const registry = new Registry()
    measureLags(registry, { sql, log })
    const lines = (await registry.metrics()).split('\n')
    const told = lines.filter((line) => line.startsWith('letterloom_'))
    return Object.fromEntries(
      told.map((line) => {
        const [name = '', value] = line.replace('letterloom_', '').split(' ')
        return [name, Number(value)]
      }),
    )
  } finally {
    await sql.end()
  }
}

test('where nothing is behind, all lags are nothing', async () => {
  expect(await figures()).toMatchObject({
    'accounts_paused{reason="daily_quota"}': 0,
    'queue_dead_rows{queue="outbox"}': expect.any(Number),
    batches_running: 0,
    claims_in_doubt: 0,
    connections_without_events: 0,
    outbox_waiting: 0,
    partition_days_ahead: 7,
    sending_held: 0,
    outbox_lag_seconds: 0,
    batches_stalled_seconds: 0,
    executions_overdue: 0,
    executions_overdue_seconds: 0,
    membership_lag_seconds: 0,
    segments_set_aside: 0,
    delivery_events_lag_seconds: 0,
  })
})

test('the oldest event that waits is told, not those that are done or wait for a call', async () => {
  const { sql } = database
  const { organizationId, connectionId } = await seedOrganization(sql)
  /** Age, and whether it is applied or put off. */
  const seeds = [
    [900, true, false],
    [800, false, true],
    [200, false, false],
    [100, false, false],
  ] as const
  for (const [age, isApplied, isPutOff] of seeds) {
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body, received_at,
        applied_at, look_at)
      select ${organizationId}, ${connectionId}, ${uuidv7()}, '{}', at,
        case when ${isApplied} then now() end, case when ${isPutOff} then now() end
      from (select now() - ${age} * interval '1 second' as at) given`
  }
  const lag = (await figures())['delivery_events_lag_seconds']
  expect(lag).toBeGreaterThanOrEqual(200)
  expect(lag).toBeLessThan(230)
  await sql`update inbound_events set applied_at = now()`
})

test('the oldest promise and the executions that sleep too long are told, those that sleep on are not', async () => {
  const { sql } = database
  const { organizationId } = await seedOrganization(sql)
  const flowId = await seedTriggered(sql, organizationId)
  const contacts = await seedContacts(sql, organizationId, 6)
  /** Status, and the second in which its sleep or wait ends; null: nobody knows. */
  const seeds = [
    ['paused', -300],
    ['waiting', -100],
    ['paused', 300],
    ['waiting', null],
    ['completed', -900],
    ['cancelled', -900],
  ] as const
  for (const [place, [status, seconds]] of seeds.entries()) {
    const id = uuidv7()
    const isOver = status === 'completed' || status === 'cancelled'
    await sql`
      insert into executions (organization_id, id, flow_id, version, contact_id, status, step_id,
        visit, dedupe_key, progressed_at, finished_at)
      values (${organizationId}, ${id}, ${flowId}, 1, ${contacts[place] ?? ''}, ${status}, 'rest', 1,
        ${id}, now() + ${seconds ?? -900} * interval '1 second', ${isOver ? new Date().toISOString() : null})`
    await sql`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
        status, due_at)
      values (${organizationId}, ${id}, 'rest', 1, 1, 'delay', 'executing',
        now() + ${seconds}::integer * interval '1 second')`
  }
  await sql`
    insert into outbox (organization_id, kind, payload, created_at)
    values (${organizationId}, 'wake_execution', '{}', now() - interval '90 seconds'),
      (${organizationId}, 'wake_execution', '{}', now())`
  await sql`
    insert into outbox (organization_id, kind, payload, created_at, done_at)
    values (${organizationId}, 'wake_execution', '{}', now() - interval '900 seconds', now())`
  const told = await figures()
  expect(told).toMatchObject({ executions_overdue: 2 })
  expect(told['executions_overdue_seconds']).toBeCloseTo(300, -1)
  expect(told['outbox_lag_seconds']).toBeCloseTo(90, -1)
})

describe('the live batch that stands still longest is told', () => {
  let seeded: Seeded
  beforeEach(async () => {
    await database.sql`delete from batches`
    seeded = await seedOrganization(database.sql)
  })

  /** A frozen batch of ten that last came on so many seconds ago. */
  async function seed(
    seconds: number,
    columns: Record<string, string | number | null> = {},
  ): Promise<void> {
    const { sql } = database
    const id = await seedBatch(sql, seeded)
    const at = new Date(Date.now() - seconds * 1_000).toISOString()
    const changes = Object.entries({
      status: 'processing',
      audienceFrozenAt: at,
      progressedAt: at,
      totalRecipients: 10,
      sent: 4,
      ...columns,
    }).map(([column, value]) => sql`${sql(column)} = ${value},`)
    await sql`update batches set ${changes} id = id where id = ${id}`
  }
  const stalled = async () => (await figures())['batches_stalled_seconds']
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()

  test.each([
    ['one that is sent', 90, {}],
    ['one that was never frozen', 90, { status: 'queued', audienceFrozenAt: null, sent: 0 }],
    ['one with some rows in doubt, others not', 90, { unknown: 3 }],
    ['one of which all is settled', 90, { sent: 10 }],
  ])('%s', async (_, seconds, columns) => {
    await seed(seconds, columns)
    await seed(10)
    expect(await stalled()).toBeCloseTo(seconds, -1)
  })

  test('one that is due, since then', async () => {
    await seed(900, { status: 'scheduled', scheduledFor: inSeconds(-60) })
    expect(await stalled()).toBeCloseTo(60, -1)
  })

  test.each([
    ['one that is over', { status: 'cancelled' }],
    ['one that is not due', { status: 'scheduled', scheduledFor: inSeconds(3_600) }],
    ['one that only waits for outcomes', { unknown: 6 }],
  ])('but not %s', async (_, columns) => {
    await seed(900, columns)
    expect(await stalled()).toBe(0)
  })

  test('but not one whose account has used up its day', async () => {
    await seed(900)
    const pause = (seconds: number, reason: string) => database.sql`
      update sending_limits
      set paused_until = ${inSeconds(seconds)}, paused_reason = ${reason}
      where account_id = ${seeded.accountId}`
    await pause(60, 'daily_quota')
    expect(await stalled()).toBe(0)
    await pause(60, 'provider_unreachable')
    expect(await stalled()).toBeCloseTo(900, -2)
    await pause(-1, 'daily_quota')
    expect(await stalled()).toBeCloseTo(900, -2)
  })
})

test('without Postgres the figures are absent', async () => {
  expect(await figures('postgres://nobody:x@127.0.0.1:1/nothing')).toEqual({})
})
