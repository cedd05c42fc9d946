import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import { connectSandbox, SENDER, type System } from '../../src/main/system.ts'
import * as batchRuns from '../../src/store/sending/batch-runs.ts'
import { until } from '../support/engine.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

let system: System
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())

const ACCOUNT = '432143214321'
const CONTACTS = 300
const KILLS = 2
/** Four chunks, each with one claim of at most twenty. */
const MOST_IN_FLIGHT = 80

it('a batch whose sender was never verified is stopped through kills, and resumed mails everybody once', async () => {
  const { organizationId, key } = await createOrganization(system.sql, {
    name: 'Alice Ltd',
    ownerEmail: 'alice@example.com',
    ownerName: 'Alice',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  const sandbox = sandboxControl(system.sandboxUrl)
  await connectSandbox(system, client, { accountId: ACCOUNT, maxSendRate: 500, max24Hour: 1e6 })
  const contacts = Array.from({ length: CONTACTS }, (_, n) => ({ email: `r${n}@example.com` }))
  await client.post('/v1/contacts/batch', { body: { contacts } })
  const news = {
    audienceType: 'all',
    from: SENDER,
    subject: 'News',
    htmlContent: '<p>News</p>',
  } as const
  const find = (id: string) => client.get('/v1/batch/{id}', { params: { path: { id } } })
  // Its events arrive, so that rows in doubt can be decided.
  const first = await client.post('/v1/batch', { body: news })
  await until(async () => (await find(first.id)).delivered === CONTACTS, 60_000)

  // Neither verified, nor does the account say so in time.
  const verified = (is: boolean) => ({
    identities: [{ identity: 'letterloom.example', verified: is }],
  })
  await sandbox.putAccount(ACCOUNT, verified(false))
  await sandbox.setFaults({ readLatencyMs: 4_000, latencyMs: 300 }, ACCOUNT)
  await system.sql`delete from provider_readings`
  const before = (await sandbox.calls(ACCOUNT))['ses:SendEmail'] ?? 0
  const { id, warnings } = await client.post('/v1/batch', {
    body: { ...news, unknownOutcome: 'retry' },
  })
  expect(warnings?.map(({ reason }) => reason)).toEqual(['sender_not_checked'])
  for (let kills = 0; kills < KILLS; kills++) {
    await until(async () => (await find(id)).audienceFrozenAt !== null)
    await sleep(Math.random() * 600)
    await killAndWait(system.worker)
  }
  await until(async () => (await find(id)).status === 'failed', 90_000)
  await sleep(1_000)
  expect(await find(id)).toMatchObject({ failedReason: 'sender_rejected', sent: 0, failed: 0 })
  const tried = ((await sandbox.calls(ACCOUNT))['ses:SendEmail'] ?? 0) - before
  expect(tried).toBeLessThanOrEqual(20 + (KILLS + 1) * MOST_IN_FLIGHT)
  const context = await batchRuns.context(system.sql, organizationId, id)
  const rows = await batchRuns.ledger(system.sql, organizationId, context?.bucket ?? '')
  expect(rows.queued + rows.claimed + rows.unknown).toBe(CONTACTS)
  expect(await sandbox.counts({ batch: id })).toMatchObject({ accepted: 0 })

  await sandbox.putAccount(ACCOUNT, verified(true))
  await sandbox.resetFaults(ACCOUNT)
  const resumed = await client.post('/v1/batch/{id}/resume', { params: { path: { id } } })
  expect(resumed.status).toBe('processing')
  await until(async () => (await find(id)).status === 'completed', 120_000)
  expect(await find(id)).toMatchObject({ sent: CONTACTS, failed: 0, unknown: 0 })
  expect(await sandbox.counts({ batch: id })).toMatchObject({
    accepted: CONTACTS,
    unique: CONTACTS,
    duplicates: 0,
  })
}, 300_000)
