import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sandboxControl } from '../../src/dev/sandbox/control.ts'
import { createOrganization } from '../../src/main/organizations.ts'
import { connectSandbox, SENDER, type System } from '../../src/main/system.ts'
import * as batchRuns from '../../src/store/batch-runs.ts'
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
  })
  await connectSandbox(system, {
    apiKey: key,
    accountId: '123412341234',
    maxSendRate: 500,
    max24Hour: 1e6,
  })
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${system.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const count = 4_000
  for (let at = 0; at < count; at += 1_000) {
    const contacts = Array.from({ length: 1_000 }, (_, n) => ({ email: `r${at + n}@example.com` }))
    await call('POST', '/v1/contacts/batch', { contacts })
  }
  const batch = await call('POST', '/v1/batch', {
    audienceType: 'all',
    from: SENDER,
    subject: 'News',
    htmlContent: '<p>News</p>',
  })
  const id = String(batch.body['id'])
  const find = async () => (await call('GET', `/v1/batch/${id}`)).body
  await until(async () => Number((await find())['sent']) > 300)

  const deleted = await call('DELETE', `/v1/batch/${id}`)
  expect(deleted).toMatchObject({ status: 200, body: { success: true, status: 'cancelled' } })
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
  expect((await call('DELETE', `/v1/batch/${id}`)).status).toBe(409)
})
