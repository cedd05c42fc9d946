/**
 * How long an execution of one organization takes from its trigger to its first step while another
 * organization starts a crowd of them.
 *
 *   npm run build && npx tsx test/bench/small-tenant.ts [crowd] [executions]
 *
 * The whole system runs for it, compiled, with production's timings and one worker, and is thrown
 * away afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { seedExecutions, type SeededFlow, seedFlow } from '../support/flows.ts'
import { seedContacts } from '../support/seed.ts'
import { accountNumber, addTenant, waitUntil, withSystem } from '../support/bench-system.ts'

const [CROWD = 100_000, EXECUTIONS = 30] = process.argv.slice(2).map(Number)
const PAGE = 1_000
/** Between two executions of the small organization. */
const GAP_MS = 1_000
const SETTLED_MS = 5_000
const REST = { id: 'rest', type: 'delay' as const, config: { amount: 1, unit: 'days' } as const }

await withSystem(async (system, say) => {
  const { sql } = system
  const [small, large] = [
    await addTenant(system, accountNumber(0), 100),
    await addTenant(system, accountNumber(1), 100),
  ]
  const contactIds = await seedContacts(sql, small.organizationId, 2 * EXECUTIONS)
  const flow = await seedFlow(sql, small.organizationId, { steps: [REST] })
  say(await starts('alone', flow, contactIds.slice(0, EXECUTIONS)))

  const crowd = await seedFlow(sql, large.organizationId, { steps: [REST] })
  for (let at = 0; at < CROWD; at += PAGE) {
    const ids = await seedCrowd(at)
    await seedExecutions(sql, crowd, ids, { isEnqueued: true })
  }
  await sleep(SETTLED_MS)
  const [before, startedAt] = [await begun(crowd), performance.now()]
  say(await starts(`beside ${CROWD} of another organization`, flow, contactIds.slice(EXECUTIONS)))
  const seconds = (performance.now() - startedAt) / 1_000
  const after = await begun(crowd)
  say(
    `of the other organization ${((after - before) / seconds).toFixed(0)} began each second, ` +
      `from ${before} to ${after} of ${CROWD}`,
  )
  if (after === CROWD) say('TOO SMALL A CROWD: it was over before')

  async function seedCrowd(at: number): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`
      insert into contacts (organization_id, id, email, email_status)
      select ${large.organizationId}, gen_random_uuid(), 'crowd-' || n || '@example.com', 'active'
      from generate_series(${at}::int, ${Math.min(at + PAGE, CROWD) - 1}::int) as n
      returning id`
    return rows.map(({ id }) => id)
  }

  async function begun({ flowId }: Pick<SeededFlow, 'flowId'>): Promise<number> {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from executions
      where flow_id = ${flowId} and status <> 'pending'`
    return row?.count ?? 0
  }

  /** Starts executions one after the other and says how long they took to begin. */
  async function starts(where: string, of: SeededFlow, contacts: string[]): Promise<string> {
    const since = await begun(of)
    for (const contactId of contacts) {
      await seedExecutions(sql, of, [contactId], { isEnqueued: true })
      await sleep(GAP_MS)
    }
    await waitUntil(async () => (await begun(of)) === since + contacts.length)
    const [row] = await sql<{ p50: number; p95: number; most: number }[]>`
      select percentile_cont(0.5) within group (order by took) as p50,
        percentile_cont(0.95) within group (order by took) as p95,
        max(took) as most
      from (
        select extract(epoch from started_at - created_at)::float8 as took
        from executions
        where flow_id = ${of.flowId} and contact_id = any(${contacts}::uuid[])
      ) each`
    const { p50 = 0, p95 = 0, most = 0 } = row ?? {}
    return `executions ${where}: p50 ${p50.toFixed(2)} s, p95 ${p95.toFixed(2)} s, at most ${most.toFixed(2)} s`
  }
})
