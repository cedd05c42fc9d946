import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import { connectSandbox, SENDER, type System } from '../../src/main/system.ts'
import * as batchRuns from '../../src/store/sending/batch-runs.ts'
import { until } from '../support/engine.ts'
import { startTestSystem } from '../support/system.ts'

let system: System
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())

it('a batch deleted while it is sent stops within two seconds, and its ledger adds up', async () => {
  const { organizationId, key } = await createOrganization(system.sql, {
    name: 'Alice Ltd',
    ownerEmail: 'alice@example.com',
    ownerName: 'Alice',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  await connectSandbox(system, client, {
    accountId: '123412341234',
    maxSendRate: 150,
    max24Hour: 1e6,
  })
  const count = 2_000
  for (let at = 0; at < count; at += 1_000) {
    const contacts = Array.from({ length: 1_000 }, (_, n) => ({ email: `r${at + n}@example.com` }))
    await client.post('/v1/contacts/batch', { body: { contacts } })
  }
  const { id } = await client.post('/v1/batch', {
    body: { audienceType: 'all', from: SENDER, subject: 'News', htmlContent: '<p>News</p>' },
  })
  const named = { params: { path: { id } } }
  const find = () => client.get('/v1/batch/{id}', named)
  await until(async () => (await find()).sent > 100)

  const deleted = await client.delete('/v1/batch/{id}', named)
  expect(deleted).toMatchObject({ success: true, status: 'cancelled' })
  const sandbox = sandboxControl(system.sandboxUrl)
  await sleep(2_000)
  const { accepted } = await sandbox.counts({ batch: id })
  await sleep(3_000)
  const later = await sandbox.counts({ batch: id })
  expect(later).toMatchObject({ accepted, unique: accepted, duplicates: 0 })

  const context = await batchRuns.context(system.sql, organizationId, id)
  const rows = await batchRuns.ledger(system.sql, organizationId, context?.bucket ?? '')
  expect(rows).toMatchObject({ frozen: count, sent: accepted, claimed: 0, unknown: 0, failed: 0 })
  expect(rows.queued).toBe(count - accepted)
  expect(await find()).toMatchObject({
    status: 'cancelled',
    sent: accepted,
    totalRecipients: count,
  })
  await expect(client.delete('/v1/batch/{id}', named)).rejects.toMatchObject({ status: 409 })
})
