import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { parseKeyring } from '../../src/tokens.ts'
import { executionRow, path, seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { bodyOf, createServers } from '../support/servers.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'
import { sealFlow } from '../support/webhooks.ts'

type System = Awaited<ReturnType<typeof startTestSystem>>
const { http, close } = createServers()
let system: System

beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())
afterEach(close)

const AUTHORIZATION = 'Bearer only-the-receiver-knows'

/** A promised execution of a flow whose one step calls `port`. */
async function promise(port: number, more: { timeoutSeconds?: number } = {}) {
  const { sql, folder } = system
  const keyring = parseKeyring((await readFile(join(folder, 'keys'), 'utf8')).trim())
  const { organizationId } = await seedOrganization(sql)
  const contactIds = await seedContacts(sql, organizationId, 1)
  const url = `http://127.0.0.1:${port}/?token=only-in-the-address`
  const flow = await seedFlow(sql, organizationId, {
    steps: [
      { id: 'call', type: 'webhook', config: { url, method: 'POST', ...more } },
      { id: 'out', type: 'exit', config: { outcome: 'completed', reason: 'called' } },
    ],
    transitions: ['call:success>out'],
  })
  const headers = { Authorization: AUTHORIZATION }
  const secret = await sealFlow(sql, keyring, flow, { headers })
  const [executionId = ''] = await seedExecutions(sql, flow, contactIds, { isEnqueued: true })
  return { secret, executionId }
}

it('a worker killed while it calls: another one calls with the same id, and the flow goes on', async () => {
  const seen: { id: string; authorization: string | undefined; verified: unknown }[] = []
  let secret = ''
  const port = await http(async (request, response) => {
    const body = await bodyOf(request)
    const headers = request.headers as Record<string, string>
    const verified: unknown = new Webhook(secret).verify(body, headers)
    const { authorization } = request.headers
    seen.push({ id: headers['webhook-id'] ?? '', authorization, verified })
    // The first one is never answered.
    if (seen.length === 2) response.writeHead(503).end('secret answer')
    if (seen.length > 2) response.end('{"ok":true}')
  })
  const { executionId, ...made } = await promise(port)
  secret = made.secret
  await expect.poll(() => seen.length, { timeout: 30_000 }).toBe(1)
  await killAndWait(system.worker)
  const row = () => executionRow(system.sql, executionId)
  await expect.poll(async () => (await row()).status, { timeout: 60_000 }).toBe('completed')
  expect(await row()).toMatchObject({ reason: 'called', attempt: 1 })
  expect(await path(system.sql, executionId)).toEqual(['call completed success', 'out completed'])
  expect(seen).toHaveLength(3)
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set([`${executionId}_call_1`]))
  expect(seen[2]).toMatchObject({ authorization: AUTHORIZATION, verified: { executionId } })
  expect(await system.sql`select from webhook_calls`).toEqual([])
  await expectNoSecrets(executionId, secret)
}, 120_000)

it('a worker told to stop while it calls leaves the call to another one, and nobody is cancelled', async () => {
  let calls = 0
  const port = await http((_, response) => {
    calls++
    if (calls > 1) response.end()
  })
  const { executionId } = await promise(port, { timeoutSeconds: 30 })
  await expect.poll(() => calls, { timeout: 30_000 }).toBe(1)
  const pid = system.worker.pid()
  if (pid === undefined) throw new Error('it does not run')
  process.kill(pid, 'SIGTERM')
  const row = () => executionRow(system.sql, executionId)
  await expect.poll(async () => (await row()).status, { timeout: 90_000 }).not.toBe('active')
  expect(await row()).toMatchObject({ status: 'completed', reason: 'called', attempt: 1 })
  expect(calls).toBe(2)
}, 120_000)

/** Neither in what Temporal keeps of the run nor in what any program has logged. */
async function expectNoSecrets(executionId: string, secret: string): Promise<void> {
  const connection = await Connection.connect({ address: system.temporalAddress })
  const { workflow } = new Client({ connection, namespace: system.namespace })
  const handle = workflow.getHandle(executionWorkflowId(executionId, 1))
  const history = await handle.fetchHistory()
  await connection.close()
  const decoded = JSON.stringify(history, (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  )
  // What the activity was given, and what the failed call said.
  expect(decoded).toContain('stepId')
  expect(decoded).toContain('http_503')
  expect(decoded).toContain(executionId)
  const folder = join(system.folder, 'logs')
  const files = await readdir(folder)
  const logs = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  expect(logs.join('').length).toBeGreaterThan(0)
  const secrets = [secret, secret.slice(6), AUTHORIZATION, 'only-in-the-address', 'secret answer']
  for (const each of secrets) {
    expect(decoded).not.toContain(each)
    expect(logs.join('')).not.toContain(each)
  }
}
