import { afterAll, beforeAll, expect, it } from 'vitest'
import * as flowCounters from '../../src/store/flows/counters.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedFlow } from '../support/flows.ts'
import { seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const AT_ONCE = 20
let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'counters', role: 'letterloom_worker', max: AT_ONCE + 1 })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** Resolves for all once `times` have come. */
function gate(times: number): () => Promise<void> {
  let left = times
  const waiting: (() => void)[] = []
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (--left === 0) for (const go of waiting) go()
    })
}

it('transactions that move counters of two flows in either order wait for none', async () => {
  const { organizationId } = await seedOrganization(sql)
  const { flowId: cart } = await seedFlow(sql, organizationId, { steps: [] })
  const { flowId: thanks } = await seedFlow(sql, organizationId, { steps: [] })
  for (let round = 1; round <= 3; round++) {
    const met = gate(AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        sql.begin(async (tx) => {
          const [first, second] = i % 2 === 0 ? [cart, thanks] : [thanks, cart]
          const bump = (flowId: string, counter: 'started' | 'cancelled') =>
            flowCounters.bump(tx, organizationId, [{ flowId, counter, by: 1 }])
          await bump(first, 'cancelled')
          await met()
          await bump(second, 'started')
        }),
      ),
    )
    const counters = await flowCounters.read(sql, organizationId, [cart, thanks])
    const half = (round * AT_ONCE) / 2
    const figures = { started: half, completed: 0, failed: 0, cancelled: half, dropped: 0 }
    expect([counters.get(cart), counters.get(thanks)]).toEqual([figures, figures])
  }
  const [rows] = await sql<{ most: number }[]>`
    select max(count)::int as most
    from (select count(*) from flow_counters group by flow_id) each`
  expect(rows?.most).toBeLessThanOrEqual(AT_ONCE)
})

it('a transaction waits for none however many rows others hold', async () => {
  const { organizationId } = await seedOrganization(sql)
  const { flowId } = await seedFlow(sql, organizationId, { steps: [] })
  // All slots that used to be drawn from.
  await sql`
    insert into flow_counters (organization_id, flow_id, slot)
    select ${organizationId}, ${flowId}, slot from generate_series(0, 32767) slot`
  await sql.begin(async (holder) => {
    await holder`select from flow_counters where flow_id = ${flowId} for update`
    await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '1s'`
      await flowCounters.bump(tx, organizationId, [{ flowId, counter: 'started', by: 1 }])
    })
  })
  const counters = await flowCounters.read(sql, organizationId, [flowId])
  expect(counters.get(flowId)).toMatchObject({ started: 1 })
})
