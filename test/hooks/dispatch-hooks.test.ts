import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, createContact, startApi } from '../support/api.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { createEndpoint, startHookReceiver, verifyCall } from '../support/hooks.ts'
import { fakeMailer } from '../support/mailer.ts'
import { createServers } from '../support/servers.ts'
import { hooksWorkflowId } from '../../workflows/contract.ts'

const servers = createServers()
let api: Api
let engine: Engine
beforeAll(async () => {
  api = await startApi({ allowsHttpHooks: true })
  engine = await startEngine({
    databaseUrl: api.databaseUrl,
    mailer: fakeMailer(),
    keyring: api.deps.keyring,
    callsHooks: true,
  })
})
afterAll(async () => {
  await engine.stop()
  await servers.close()
  await api.close()
})

test('what a caller changes arrives at its endpoints, beside one that never answers', async () => {
  const good = await startHookReceiver(servers)
  const hanging = await startHookReceiver(servers, () => 'hangs')
  const eventTypes = ['contact.created']
  const { id, secret } = await createEndpoint(api.alice, good.url, { eventTypes })
  await createEndpoint(api.alice, hanging.url, { eventTypes })
  for (const name of ['ada', 'bea', 'cleo']) {
    await createContact(api.alice, { email: `${name}@example.com` })
  }
  await until(async () => good.calls.length === 3)
  for (const call of good.calls) verifyCall(secret, call)
  // Until they are known to be in vain, calls to a receiver are made one at a time.
  expect(hanging.calls.length).toBeLessThanOrEqual(1)

  const [row] = await api.sql<{ shard: number }[]>`
    select shard from hook_endpoints where id = ${id}`
  const handle = engine.client.workflow.getHandle(hooksWorkflowId(row?.shard ?? 0))
  const run = await handle.describe()
  expect(run).toMatchObject({ type: 'dispatchHooks', status: { name: 'RUNNING' } })

  // An operator reads in Temporal's UI how the shard does.
  const details = async () => {
    const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    return metadata.currentDetails ?? ''
  }
  await expect.poll(details).toMatch(/^\*\*\d+\*\* deliveries wait\. Endpoints: \d+, .* delivered/)

  // Woken again, whether its run is at work, idle or over.
  await createContact(api.alice, { email: 'dora@example.com' })
  await until(async () => good.calls.length === 4)
})
