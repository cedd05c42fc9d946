/**
 * Many accounts with a slow rate, each with a batch, on few workers: how much of its rate each
 * account gets.
 *
 *   npm run build && npx tsx test/bench/slow-accounts.ts [accounts] [rate] [seconds] [workers] [ms]
 *
 * The whole system runs for it, compiled, with production's timings and delivery events, and is
 * thrown away afterwards. `ms`: how long the provider takes for an answer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { eachOf } from '../../src/core/accounts/account-search.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { seedContacts } from '../support/seed.ts'
import {
  accountNumber,
  addTenant,
  processorSeconds,
  waitUntil,
  withSystem,
} from '../support/bench-system.ts'

const [ACCOUNTS = 60, RATE = 5, SECONDS = 60, WORKERS = 2, LATENCY_MS = 0] = process.argv
  .slice(2)
  .map(Number)
const WANTED = { all: 0.95, slowest: 0.9 }
/** What all accounts may send before the measurement, while batches start. */
const SETTLING_SECONDS = 45
const AT_ONCE = 8
const SETTLED_MS = 5_000

await withSystem(async (system, say) => {
  const { sql } = system
  for (let more = 1; more < WORKERS; more++) system.startWorker()
  const control = sandboxControl(system.sandboxUrl)
  await control.setFaults({ latencyMs: LATENCY_MS })
  const numbers = Array.from({ length: ACCOUNTS }, (_, n) => accountNumber(n))
  const tenants = await eachOf(numbers, AT_ONCE, async (accountId) => {
    const tenant = await addTenant(system, accountId, RATE)
    const contacts = Math.ceil(RATE * (SECONDS + SETTLING_SECONDS))
    await seedContacts(sql, tenant.organizationId, contacts)
    return tenant
  })
  say(`${ACCOUNTS} accounts of ${RATE}/s with a batch each, ${WORKERS} workers`)
  const batch = {
    audienceType: 'all',
    from: SENDER,
    subject: 'News',
    htmlContent: '<p>News for {{ contact.firstName }}</p>',
  } as const
  await eachOf(tenants, AT_ONCE, ({ client }) => client.post('/v1/batch', { body: batch }))
  await waitUntil(async () => {
    const [row] = await sql<{ frozen: number }[]>`
      select count(*)::int as frozen from batches where audience_frozen_at is not null`
    return row?.frozen === ACCOUNTS
  })
  await sleep(SETTLED_MS)

  const accepted = () =>
    eachOf(numbers, AT_ONCE, async (account) => (await control.counts({ account })).accepted)
  const [before, processorBefore, startedAt] = [
    await accepted(),
    await processorSeconds(),
    performance.now(),
  ]
  await sleep(SECONDS * 1_000)
  const [after, processorAfter, seconds] = [
    await accepted(),
    await processorSeconds(),
    (performance.now() - startedAt) / 1_000,
  ]
  const rates = after.map((count, n) => (count - (before[n] ?? 0)) / seconds)
  const all = rates.reduce((sum, rate) => sum + rate, 0)
  const slowest = Math.min(...rates)
  const silent = rates.filter((rate) => rate === 0).length
  const shares = { all: all / (ACCOUNTS * RATE), slowest: slowest / RATE }
  say(
    `${all.toFixed(1)} of ${ACCOUNTS * RATE} mails/s: ${shares.all.toFixed(3)}; ` +
      `the slowest account ${slowest.toFixed(2)} of ${RATE}/s: ${shares.slowest.toFixed(3)}; ` +
      `${silent} accounts sent nothing`,
  )
  const costs = [...processorAfter].map(([name, spent]) => {
    const ms = ((spent - (processorBefore.get(name) ?? 0)) * 1_000) / (all * seconds)
    return `${name} ${ms.toFixed(2)}`
  })
  say(`processor ms a mail: ${costs.join(', ')}`)
  if (shares.all < WANTED.all || shares.slowest < WANTED.slowest) {
    say(`BELOW ${WANTED.all} of all or ${WANTED.slowest} of the slowest`)
    process.exitCode = 1
  }
})
