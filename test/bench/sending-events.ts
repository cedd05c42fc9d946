/**
 * What delivery events cost the sending: mails a second of batches while the sandbox makes events
 * of each mail, and while it makes none, in turn and in one run:
 *
 *   npm run build && npx tsx test/bench/sending-events.ts [mails] [rounds]
 *
 * The whole system on this machine; the account's rate is no limit. A batch begins when all events
 * of the one before are applied, and ends when it is completed.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { connectSandbox, SENDER, startSystem } from '../../src/main/dev/system.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { seedContacts } from '../support/seed.ts'

const [MAILS = 5_000, ROUNDS = 3] = process.argv.slice(2).map(Number)
const ACCOUNT = { accountId: '777788889999', maxSendRate: 20_000, max24Hour: 10_000_000 }
/** For so long nothing came, so nothing is to come. */
const QUIET_MS = 3_000
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const folder = await mkdtemp(join(tmpdir(), 'letterloom-sending-events-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, say)
try {
  const { sql, apiUrl, sandboxUrl } = system
  const { organizationId, key } = await createOrganization(sql, {
    name: 'Sending Ltd',
    ownerEmail: 'owner@letterloom.example',
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: apiUrl, token: key })
  await connectSandbox(system, client, ACCOUNT)
  await seedContacts(sql, organizationId, MAILS)
  const control = sandboxControl(sandboxUrl)

  const eventsSoFar = async (): Promise<{ events: number; waiting: number }> => {
    const [row] = await sql<{ events: number; waiting: number }[]>`
      select count(*)::int as events, (count(*) filter (where applied_at is null))::int as waiting
      from inbound_events`
    return row ?? { events: 0, waiting: 0 }
  }
  const untilQuiet = async (): Promise<void> => {
    for (let before = -1; ; ) {
      const { events, waiting } = await eventsSoFar()
      if (waiting === 0 && events === before) return
      before = events
      await sleep(QUIET_MS)
    }
  }
  const send = async (): Promise<number> => {
    const begin = performance.now()
    const { id } = await client.post('/v1/batch', {
      body: { audienceType: 'all', from: SENDER, subject: 'News', htmlContent: '<p>News</p>' },
    })
    for (;;) {
      const batch = await client.get('/v1/batch/{id}', { params: { path: { id } } })
      if (batch.status === 'completed') return batch.sent / ((performance.now() - begin) / 1_000)
      await sleep(50)
    }
  }
  const rates = { on: [] as number[], off: [] as number[] }
  for (let round = -1; round < ROUNDS; round++) {
    const ways = ['on', 'off'] as const
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      await control.setFaults({ eventsOff: way === 'off' })
      const before = await eventsSoFar()
      const rate = await send()
      await untilQuiet()
      const { events } = await eventsSoFar()
      if (round >= 0) rates[way].push(rate)
      say(`events ${way}: ${rate.toFixed(0)} mails/s, ${events - before.events} events`)
    }
  }
  const ratio = median(rates.on) / median(rates.off)
  say(
    `with events ${median(rates.on).toFixed(0)}/s, without ${median(rates.off).toFixed(0)}/s: ${ratio.toFixed(2)}`,
  )
} finally {
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}
