/**
 * What odd accounts cost the others: how much of their rates ordinary accounts get alone, and then
 * beside one whose role hangs, one that answers after nine seconds, one of a mail in ten seconds,
 * and one whose rate falls to a quarter in mid-batch.
 *
 *   npm run build && npx tsx test/bench/odd-accounts.ts [accounts] [rate] [seconds] [workers]
 *
 * The whole system runs for it, compiled, with production's timings and delivery events, and is
 * thrown away afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { eachOf } from '../../src/core/accounts/account-search.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { accountNumber, addTenant, type Tenant, withSystem } from '../support/bench-system.ts'
import { seedContacts } from '../support/seed.ts'

const [ACCOUNTS = 20, RATE = 5, SECONDS = 30, WORKERS = 1] = process.argv.slice(2).map(Number)
const WANTED = 0.95
const SETTLING_SECONDS = 20
const AT_ONCE = 8
const REGION = 'eu-west-1'
const FAST_RATE = 20
const HANGING_MS = 600_000
const ODD = {
  hanging: { number: accountNumber(ACCOUNTS), rate: RATE },
  late: { number: accountNumber(ACCOUNTS + 1), rate: RATE },
  slow: { number: accountNumber(ACCOUNTS + 2), rate: 0.1 },
  changing: { number: accountNumber(ACCOUNTS + 3), rate: FAST_RATE },
}

await withSystem(async (system, say) => {
  const control = sandboxControl(system.sandboxUrl)
  const numbers = Array.from({ length: ACCOUNTS }, (_, n) => accountNumber(n))
  const add = async (account: string, rate: number): Promise<Tenant> => {
    const tenant = await addTenant(system, account, rate)
    const mails = Math.ceil(rate * (2 * SECONDS + 3 * SETTLING_SECONDS)) + 10
    await seedContacts(system.sql, tenant.organizationId, mails)
    return tenant
  }
  const send = ({ client }: Tenant) =>
    client.post('/v1/batch', {
      body: { audienceType: 'all', from: SENDER, subject: 'News', htmlContent: '<p>News</p>' },
    })
  const tenants = await eachOf(numbers, AT_ONCE, (account) => add(account, RATE))
  const odd = await eachOf(Object.values(ODD), AT_ONCE, ({ number, rate }) => add(number, rate))
  await control.setFaults({ assumeRoleLatencyMs: HANGING_MS }, ODD.hanging.number)
  await control.setFaults({ latencyMs: 9_000 }, ODD.late.number)
  // The first worker has the roles' credentials already.
  await system.worker.stop()
  for (let started = 0; started < WORKERS; started++) system.startWorker()

  await eachOf(tenants, AT_ONCE, send)
  await sleep(SETTLING_SECONDS * 1_000)
  const alone = await ratesOf(numbers)
  say(`alone: ${shareOf(alone)}`)

  await eachOf(odd, AT_ONCE, send)
  await sleep(SETTLING_SECONDS * 1_000)
  const changing = async () => (await ratesOf([ODD.changing.number], 5)).at(0) ?? 0
  const before = await changing()
  await control.putAccount(ODD.changing.number, { region: REGION, maxSendRate: FAST_RATE / 4 })
  const beside = await ratesOf(numbers)
  const after = await changing()
  say(`beside odd accounts: ${shareOf(beside)}`)
  say(
    `the changing account: ${before.toFixed(1)}/s of ${FAST_RATE}, then ${after.toFixed(1)}/s of ${FAST_RATE / 4}`,
  )
  for (const [name, { number }] of Object.entries(ODD)) {
    const { accepted, duplicates } = await control.counts({ account: number })
    say(`${name}: ${accepted} mails, ${duplicates} twice`)
  }
  const ratio = sum(beside) / sum(alone)
  say(`ratio: ${ratio.toFixed(3)}${ratio < WANTED ? `: BELOW ${WANTED}` : ''}`)
  if (ratio < WANTED) process.exitCode = 1

  /** Mails a second of each account. */
  async function ratesOf(accounts: string[], seconds = SECONDS): Promise<number[]> {
    const accepted = () =>
      eachOf(accounts, AT_ONCE, async (account) => (await control.counts({ account })).accepted)
    const [first, startedAt] = [await accepted(), performance.now()]
    await sleep(seconds * 1_000)
    const [last, elapsed] = [await accepted(), (performance.now() - startedAt) / 1_000]
    return last.map((count, at) => (count - (first[at] ?? 0)) / elapsed)
  }
})

function sum(rates: readonly number[]): number {
  return rates.reduce((total, rate) => total + rate, 0)
}

function shareOf(rates: readonly number[]): string {
  const slowest = Math.min(...rates) / RATE
  return `${(sum(rates) / (RATE * rates.length)).toFixed(3)} of all, the slowest ${slowest.toFixed(3)}`
}
