import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SENDER } from '../../src/main/dev/system.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { connectSender, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

/** Batches that stop before everybody is mailed. */
let system: Awaited<ReturnType<typeof startTestSystem>>
let sandbox: ReturnType<typeof sandboxControl>
beforeAll(async () => {
  system = await startTestSystem()
  sandbox = sandboxControl(system.sandboxUrl)
})
afterAll(() => system.stop())

const CONTACTS = sized(120, 300)
const KILLS = sized(1, 2)
/** Mails whose events arrive before the batch that is stopped. */
const BEFORE = 20
/** Four chunks, each with one claim of at most twenty. */
const MOST_IN_FLIGHT = 80
const RATE = sized(30, 150)
const PATIENCE_MS = 120_000
const LONGEST_MS = 400_000

const NEWS = { from: SENDER, subject: 'News', htmlContent: '<p>News</p>' }

/** Ids of new contacts. */
async function addContacts({ client }: Sender, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at += 1_000) {
    const contacts = Array.from({ length: Math.min(1_000, count - at) }, (_, n) => ({
      email: `r${at + n}@example.com`,
    }))
    const { results } = await client.post('/v1/contacts/batch', { body: { contacts } })
    ids.push(...results.flatMap((each) => ('id' in each && each.id ? [each.id] : [])))
  }
  return ids
}

const batchOf = ({ client }: Sender, id: string) =>
  client.get('/v1/batch/{id}', { params: { path: { id } } })

async function ledgerOf({ organizationId }: Sender, id: string) {
  const context = await batchRuns.context(system.sql, organizationId, id)
  return batchRuns.ledger(system.sql, organizationId, context?.bucket ?? '')
}

it(
  'a batch whose sender was never verified is stopped through kills, and resumed mails everybody once',
  async () => {
    const sender = await connectSender(system, 500)
    const { client, accountId } = sender
    const contactIds = await addContacts(sender, CONTACTS)
    // Its events arrive, so that rows in doubt can be decided.
    const first = await client.post('/v1/batch', {
      body: { ...NEWS, audienceType: 'contacts', contactIds: contactIds.slice(0, BEFORE) },
    })
    await until(async () => (await batchOf(sender, first.id)).delivered === BEFORE, PATIENCE_MS)

    // Neither verified, nor does the account say so in time.
    const verified = (is: boolean) => ({
      identities: [{ identity: 'letterloom.example', verified: is }],
    })
    await sandbox.putAccount(accountId, verified(false))
    await sandbox.setFaults({ readLatencyMs: 4_000, latencyMs: 300 }, accountId)
    await system.sql`delete from provider_readings`
    const before = (await sandbox.calls(accountId))['ses:SendEmail'] ?? 0
    const { id, warnings } = await client.post('/v1/batch', {
      body: { ...NEWS, audienceType: 'all', unknownOutcome: 'retry' },
    })
    expect(warnings?.map(({ reason }) => reason)).toEqual(['sender_not_checked'])
    for (let kills = 0; kills < KILLS; kills++) {
      await until(async () => (await batchOf(sender, id)).audienceFrozenAt !== null, PATIENCE_MS)
      await sleep(Math.random() * 600)
      await killAndWait(system.worker)
    }
    await until(async () => (await batchOf(sender, id)).status === 'failed', PATIENCE_MS)
    await sleep(1_000)
    expect(await batchOf(sender, id)).toMatchObject({
      failedReason: 'sender_rejected',
      sent: 0,
      failed: 0,
    })
    const tried = ((await sandbox.calls(accountId))['ses:SendEmail'] ?? 0) - before
    expect(tried).toBeLessThanOrEqual(20 + (KILLS + 1) * MOST_IN_FLIGHT)
    const rows = await ledgerOf(sender, id)
    expect(rows.queued + rows.claimed + rows.unknown).toBe(CONTACTS)
    expect(await sandbox.counts({ batch: id })).toMatchObject({ accepted: 0 })

    await sandbox.putAccount(accountId, verified(true))
    await sandbox.resetFaults(accountId)
    const resumed = await client.post('/v1/batch/{id}/resume', { params: { path: { id } } })
    expect(resumed.status).toBe('processing')
    await until(async () => (await batchOf(sender, id)).status === 'completed', PATIENCE_MS)
    expect(await batchOf(sender, id)).toMatchObject({ sent: CONTACTS, failed: 0, unknown: 0 })
    expect(await sandbox.counts({ batch: id })).toMatchObject({
      accepted: CONTACTS,
      unique: CONTACTS,
      duplicates: 0,
    })
  },
  LONGEST_MS,
)

it(
  'a batch deleted while it is sent stops within two seconds, and its ledger adds up',
  async () => {
    const sender = await connectSender(system, RATE)
    const { client } = sender
    const count = sized(400, 2_000)
    await addContacts(sender, count)
    const { id } = await client.post('/v1/batch', { body: { ...NEWS, audienceType: 'all' } })
    const named = { params: { path: { id } } }
    await until(async () => (await batchOf(sender, id)).sent > sized(20, 100), PATIENCE_MS)

    const deleted = await client.delete('/v1/batch/{id}', named)
    expect(deleted).toMatchObject({ success: true, status: 'cancelled' })
    const before = (await sandbox.counts({ batch: id })).accepted
    await until(async () => {
      const { claimed, unknown } = await ledgerOf(sender, id)
      return claimed + unknown === 0
    }, PATIENCE_MS)
    const { accepted } = await sandbox.counts({ batch: id })
    // As many as two seconds have, however long they are on a busy machine.
    expect(accepted - before).toBeLessThanOrEqual(2 * RATE)
    expect(accepted).toBeLessThan(count)
    await sleep(2_000)
    const later = await sandbox.counts({ batch: id })
    expect(later).toMatchObject({ accepted, unique: accepted, duplicates: 0 })

    const rows = await ledgerOf(sender, id)
    expect(rows).toMatchObject({ frozen: count, sent: accepted, claimed: 0, unknown: 0, failed: 0 })
    expect(rows.queued).toBe(count - accepted)
    expect(await batchOf(sender, id)).toMatchObject({
      status: 'cancelled',
      sent: accepted,
      totalRecipients: count,
    })
    await expect(client.delete('/v1/batch/{id}', named)).rejects.toMatchObject({ status: 409 })
  },
  LONGEST_MS,
)
