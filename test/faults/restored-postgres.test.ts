import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { checkRestore, markRestored } from '../../src/core/delivery/restored.ts'
import { noteRestored, read } from '../../src/store/platform/ledger-beats.ts'
import { backUp } from '../support/backups.ts'
import { acceptedBy, connectSender, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { seedExecutions, seedFlow, type SeededFlow } from '../support/flows.ts'
import { loseEverything } from '../support/lost-temporal.ts'
import { killable } from '../support/outage.ts'
import { batchRow } from '../support/seed.ts'
import { isFull } from '../support/size.ts'
import { startTestSystem, type TestSystem } from '../support/system.ts'

const RATE = 10
const READERS = 150
const EXECUTIONS = 10
/** A minute after their time at the latest, and a round of what is overdue. */
const WITHIN_MS = 120_000
const LONGEST_MS = 300_000
const REST = { id: 'rest', type: 'delay' as const, config: { amount: 1, unit: 'minutes' as const } }

describe.each(['kept', 'emptied'] as const)('Temporal is %s', (temporalIs) => {
  let system: TestSystem
  let connection: Connection
  let temporal: Client
  let sender: Sender

  beforeAll(async () => {
    if (!isFull) return
    system = await startTestSystem({}, 'production')
    connection = await Connection.connect({ address: inject('temporalAddress') })
    temporal = new Client({ connection, namespace: system.namespace })
    sender = await connectSender(system, RATE)
  })
  afterAll(async () => {
    if (!isFull) return
    await connection.close()
    await system.stop()
  })

  /** Contacts whose addresses begin with `kind`. */
  async function people(kind: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => uuidv7())
    await system.sql`
      insert into contacts (organization_id, id, email, email_status)
      select ${sender.organizationId}, id, ${kind} || '-' || id || '@example.com', 'active'
      from unnest(${ids}::uuid[]) as id`
    return ids
  }

  const startBatch = (contactIds: string[]) =>
    sender.client.post('/v1/batch', {
      body: {
        audienceType: 'contacts',
        contactIds,
        from: SENDER,
        subject: 'News',
        htmlContent: '<p>Hello</p>',
      },
    })

  const sendLater = (kind: string, seconds: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        sender.client.post('/v1/email/send', {
          body: {
            to: `${kind}-${n}@example.com`,
            from: SENDER,
            subject: 'Receipt',
            text: 'Thank you',
            scheduledFor: new Date(Date.now() + seconds * 1000).toISOString(),
          },
        }),
      ),
    )

  /** How many mails of each person the provider accepted, by address. */
  async function accepted(): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (const { recipient } of await acceptedBy(system, sender)) {
      counts.set(recipient, (counts.get(recipient) ?? 0) + 1)
    }
    return counts
  }

  const stepsOf = async ({ flowId }: SeededFlow) => {
    const rows = await system.sql<{ stepId: string | null; status: string }[]>`
      select step_id, status from executions where flow_id = ${flowId}`
    return rows.map(({ stepId, status }) => `${stepId} ${status}`)
  }
  const all = (text: string) => Array.from({ length: EXECUTIONS }, () => text)

  it.skipIf(!isFull)(
    'what may have been mailed has failed and is listed, and nobody is mailed twice',
    async () => {
      const { sql } = system
      const api = killable(system, 'api')
      const worker = killable(system, 'worker')
      const sleepers = await seedFlow(sql, sender.organizationId, {
        steps: [REST, { id: 'week', type: 'delay', config: { amount: 7, unit: 'days' } }],
      })
      const hello = { subject: 'Hello', html: '<p>Hello</p>', from: SENDER }
      const mailing = await seedFlow(sql, sender.organizationId, {
        steps: [REST, { id: 'hello', type: 'send_email', config: hello }],
      })
      await seedExecutions(sql, sleepers, await people('sleeper', EXECUTIONS), {
        isEnqueued: true,
      })
      await seedExecutions(sql, mailing, await people('welcomed', EXECUTIONS), {
        isEnqueued: true,
      })
      const receipts = await sendLater('receipt', 40, 8)
      const cancelledReceipts = await sendLater('cancelled', 40, 4)
      const [readers, cancelledReaders] = [
        await people('reader', READERS),
        await people('given-up', READERS),
      ]
      const [batch, cancelledBatch] = [
        await startBatch(readers),
        await startBatch(cancelledReaders),
      ]
      await until(async () => {
        const rows = await Promise.all([batchRow(sql, batch.id), batchRow(sql, cancelledBatch.id)])
        return rows.every(({ sent }) => sent >= 15)
      }, LONGEST_MS)

      await worker.kill()
      await api.kill()
      const before = await accepted()
      const atBackup = await sql<{ recipient: string; state: string }[]>`
        select c.email as recipient, m.state
        from messages m
        join contacts c on c.organization_id = m.organization_id and c.id = m.contact_id
        where m.organization_id = ${sender.organizationId} and m.batch_id is not null`
      const backup = await backUp(system.databaseUrl)
      api.start()
      worker.start()
      // What is lost: everybody is mailed, and the executions are past their first step.
      await until(
        async () => (await stepsOf(sleepers)).every((step) => step === 'week paused'),
        LONGEST_MS,
      )
      await until(
        async () => (await stepsOf(mailing)).every((step) => step.endsWith('completed')),
        LONGEST_MS,
      )
      await until(async () => {
        const open = await sql`
          select from messages
          where organization_id = ${sender.organizationId} and state = 'queued'`
        return open.length === 0
      }, LONGEST_MS)
      await sender.client.post('/v1/email/send', {
        body: { to: 'after@example.com', from: SENDER, subject: 'Receipt', text: 'Thank you' },
      })
      await until(async () => (await accepted()).has('after@example.com'))

      await worker.kill()
      await api.kill()
      const lost = await accepted()
      await backup.restore()
      if (temporalIs === 'emptied') {
        await loseEverything(temporal)
        await noteRestored(sql, (await read(sql)).agoMs)
        await markRestored(sql)
      }
      api.start()
      await until(async () => (await fetch(`${system.apiUrl}/health`).catch(() => undefined))?.ok)
      await sender.client.delete('/v1/batch/{id}', { params: { path: { id: cancelledBatch.id } } })
      for (const { id } of cancelledReceipts) {
        await sender.client.post('/v1/email/{id}/cancel', { params: { path: { id: id ?? '' } } })
      }
      expect(await stepsOf(sleepers)).toEqual(all('rest paused'))
      worker.start()

      const soon = { timeout: WITHIN_MS, interval: 1_000 }
      await expect.poll(() => stepsOf(sleepers), soon).toEqual(all('rest failed'))
      await expect.poll(() => stepsOf(mailing), soon).toEqual(all('rest failed'))
      const failed = () => sql`
        select status, failed_reason as reason from batches where id = ${batch.id}`
      await expect.poll(failed, soon).toEqual([{ status: 'failed', reason: 'restored' }])
      const [ledger] = await sql`select restored_at, held_at from ledger_beats`
      expect(ledger?.['restoredAt']).not.toBeNull()
      expect(ledger?.['heldAt']).not.toBeNull()
      const check = { until: new Date(0), isWithoutEvents: true, now: Date.now() }
      const { outcome, batches, executions, mails: singleMails } = await checkRestore(sql, check)
      expect([outcome, batches.map(({ batchId }) => batchId)]).toEqual(['released', [batch.id]])
      expect([executions, singleMails]).toEqual([2 * EXECUTIONS, receipts.length])
      // Mail leaves again, and this is behind all that is older.
      await sender.client.post('/v1/email/send', {
        body: { to: 'later@example.com', from: SENDER, subject: 'Receipt', text: 'Thank you' },
      })
      await until(async () => (await accepted()).has('later@example.com'))

      // A mail counts once however often the restored provider shows it.
      const after = await accepted()
      const mails = (recipient: string) =>
        (lost.get(recipient) ?? 0) + (after.get(recipient) ?? 0) - (before.get(recipient) ?? 0)
      const tallyOf = (kind: string) => {
        const counts: Record<number, number> = {}
        for (const recipient of new Set([...lost.keys(), ...after.keys()])) {
          if (!recipient.startsWith(`${kind}-`)) continue
          counts[mails(recipient)] = (counts[mails(recipient)] ?? 0) + 1
        }
        return counts
      }
      const queued = (kind: string) =>
        atBackup.filter((row) => row.recipient.startsWith(kind) && row.state === 'queued').length
      expect(queued('reader-')).toBeGreaterThan(0)
      expect(tallyOf('reader')).toEqual({ 1: READERS })
      expect(tallyOf('given-up')).toEqual({ 1: READERS })
      expect(tallyOf('receipt')).toEqual({ 1: receipts.length })
      expect(tallyOf('cancelled')).toEqual({ 1: cancelledReceipts.length })
      expect(tallyOf('welcomed')).toEqual({ 1: EXECUTIONS })
      expect(mails('after@example.com')).toBe(1)
    },
    1_800_000,
  )
})
