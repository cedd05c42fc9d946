/**
 * How long receipts of one connection take, from being enqueued to the provider's acceptance, while
 * other connections have a backlog of confirmations that their rates do not allow for, a batch
 * takes all the sockets that it can get, and another organization starts executions.
 *
 *   npm run build &&
 *   npx tsx test/bench/crowded-receipts.ts [connections] [rate] [receipts] [ms] [executions]
 *
 * The whole system runs for it, compiled, with production's timings and one worker, and is thrown
 * away afterwards. `ms`: how long the provider takes for an answer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { eachOf } from '../../src/core/accounts/account-search.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import type { SingleMailSource } from '../../src/domain/mails/mail-priority.ts'
import { enqueue, enqueueAll, type SingleMail } from '../../src/store/mails/enqueue-mails.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts } from '../support/seed.ts'
import {
  accountNumber,
  addTenant,
  type Tenant,
  waitUntil,
  withSystem,
} from '../support/bench-system.ts'

const [CONNECTIONS = 60, RATE = 5, RECEIPTS = 60, LATENCY_MS = 170, EXECUTIONS = 20_000] =
  process.argv.slice(2).map(Number)
/** Of the account with the batch: more than one worker makes. */
const BATCH_RATE = 5_000
const BATCH_RECIPIENTS = 100_000
/** Executions that are written in one transaction. */
const PAGE = 1_000
/** Between two receipts: its dispatcher is warm at times, idle at others. */
const GAP_MS = [200, 3_000] as const
const BACKLOG_SECONDS = (1.5 * RECEIPTS * (GAP_MS[0] + GAP_MS[1])) / 1_000 + 60
const SETTLED_MS = 5_000
const WANTED = { p95: 2, most: 5 }
const AT_ONCE = 8

const mail = ({ organizationId, connectionId }: Tenant, source: SingleMailSource): SingleMail => ({
  organizationId,
  id: uuidv7(),
  source,
  connectionId,
  recipient: 'success@simulator.amazonses.com',
  from: SENDER,
  subject: 'Hello',
  text: 'Hello',
})

await withSystem(async (system, say) => {
  const { sql } = system
  await sandboxControl(system.sandboxUrl).setFaults({ latencyMs: LATENCY_MS })
  const idle = await addTenant(system, accountNumber(CONNECTIONS), 100)
  const sender = await addTenant(system, accountNumber(CONNECTIONS + 1), BATCH_RATE)
  const crowd = await eachOf(
    Array.from({ length: CONNECTIONS }, (_, n) => accountNumber(n)),
    AT_ONCE,
    (accountId) => addTenant(system, accountId, RATE),
  )
  say(await receipts('alone', RECEIPTS / 3))

  await seedContacts(sql, sender.organizationId, BATCH_RECIPIENTS)
  const backlog = Math.ceil(RATE * BACKLOG_SECONDS)
  await eachOf(crowd, AT_ONCE, (tenant) =>
    enqueueAll(
      sql,
      Array.from({ length: backlog }, () => mail(tenant, 'confirmation')),
    ),
  )
  await sleep(SETTLED_MS)
  say(await receipts(`beside ${CONNECTIONS} connections with a backlog`, RECEIPTS))

  const { id } = await sender.client.post('/v1/batch', {
    body: { audienceType: 'all', from: SENDER, subject: 'News', htmlContent: '<p>News</p>' },
  })
  const sent = async () =>
    (await sender.client.get('/v1/batch/{id}', { params: { path: { id } } })).sent
  await waitUntil(async () => (await sent()) > 0)
  const [before, startedAt] = [await sent(), performance.now()]
  const line = await receipts('and beside a batch', RECEIPTS, WANTED)
  const perSecond = ((await sent()) - before) / ((performance.now() - startedAt) / 1_000)
  say(`${line}; the batch ${perSecond.toFixed(0)} mails/s`)

  const flow = await startExecutions(sender.organizationId)
  say(await receipts(`and beside ${EXECUTIONS} starting executions`, RECEIPTS, WANTED))
  const [started] = await sql<{ count: number }[]>`
    select count(*)::int as count from executions where flow_id = ${flow} and status <> 'pending'`
  say(`${started?.count} executions were started meanwhile`)

  /** Of an automation whose executions begin and wait. */
  async function startExecutions(organizationId: string): Promise<string> {
    const rest = {
      id: 'rest',
      type: 'delay' as const,
      config: { amount: 1, unit: 'days' } as const,
    }
    const seededFlow = await seedFlow(sql, organizationId, { steps: [rest] })
    const rows = await sql<{ id: string }[]>`
      select id from contacts where organization_id = ${organizationId} limit ${EXECUTIONS}`
    const contactIds = rows.map((row) => row.id)
    for (let page = 0; page < contactIds.length; page += PAGE) {
      const ids = contactIds.slice(page, page + PAGE)
      await seedExecutions(sql, seededFlow, ids, { isEnqueued: true })
    }
    return seededFlow.flowId
  }

  /** Enqueues receipts, waits for them, and says how long they took. */
  async function receipts(where: string, count: number, wanted?: typeof WANTED): Promise<string> {
    const since = new Date().toISOString()
    for (let n = 0; n < count; n++) {
      await enqueue(sql, mail(idle, 'transactional'))
      await sleep(GAP_MS[0] + Math.random() * (GAP_MS[1] - GAP_MS[0]))
    }
    for (;;) {
      const [row] = await sql<{ open: number; p50: number; p95: number; most: number }[]>`
        select count(*) filter (where sent_at is null)::int as open,
          percentile_cont(0.5) within group (order by took) as p50,
          percentile_cont(0.95) within group (order by took) as p95,
          max(took) as most
        from (
          select sent_at, extract(epoch from sent_at - created_at)::float8 as took
          from messages
          where organization_id = ${idle.organizationId} and source = 'transactional'
            and created_at >= ${since}
        ) each`
      if (row?.open === 0) {
        const { p50, p95, most } = row
        const isBelow = wanted === undefined || (p95 < wanted.p95 && most < wanted.most)
        if (!isBelow) process.exitCode = 1
        const figures = `p50 ${p50.toFixed(2)} s, p95 ${p95.toFixed(2)} s, at most ${most.toFixed(2)} s`
        return `receipts ${where}: ${figures}${isBelow ? '' : ': NOT BELOW 2 and 5 s'}`
      }
      await sleep(500)
    }
  }
})
