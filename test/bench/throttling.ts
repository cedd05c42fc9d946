/**
 * What throttled calls cost: mails a second of one batch while the sandbox throttles none, 5 % and
 * 20 % of its calls, in one run.
 *
 *   npm run build && npx tsx test/bench/throttling.ts [rate] [seconds]
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { connectSandbox, SENDER, startSystem } from '../../src/main/dev/system.ts'
import { seedContacts } from '../support/seed.ts'

const [RATE = 100, SECONDS = 15] = process.argv.slice(2).map(Number)
const ACCOUNT = { accountId: '777788889999', maxSendRate: RATE, max24Hour: 10_000_000 }
const PERCENTS = [0, 5, 20]
/** The calls under way when the switch is turned. */
const SETTLING_MS = 1_000
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const folder = await mkdtemp(join(tmpdir(), 'letterloom-throttling-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, say)
try {
  const { sql, apiUrl, sandboxUrl } = system
  const { organizationId, key } = await createOrganization(sql, {
    name: 'Throttled Ltd',
    ownerEmail: 'owner@letterloom.example',
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: apiUrl, token: key })
  await connectSandbox(system, client, ACCOUNT)
  await seedContacts(sql, organizationId, RATE * SECONDS * (PERCENTS.length + 2))
  const control = sandboxControl(sandboxUrl)
  await client.post('/v1/batch', {
    body: {
      audienceType: 'all',
      from: SENDER,
      subject: 'News',
      htmlContent: '<p>News</p>',
    },
  })
  const accepted = async () => (await control.counts({ account: ACCOUNT.accountId })).accepted
  while ((await accepted()) < RATE) await sleep(100)
  let unthrottled = 0
  for (const percent of PERCENTS) {
    await control.setFaults({ throttlePercent: percent })
    await sleep(SETTLING_MS)
    const [before, startedAt] = [await accepted(), performance.now()]
    await sleep(SECONDS * 1_000)
    const perSecond = ((await accepted()) - before) / ((performance.now() - startedAt) / 1_000)
    if (percent === 0) unthrottled = perSecond
    say(
      `${percent} % throttled: ${perSecond.toFixed(1)} mails/s, ${(perSecond / unthrottled).toFixed(3)} of the unthrottled rate`,
    )
  }
} finally {
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}
