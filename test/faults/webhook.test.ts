import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { type RunningProgram, startProgram } from '../../src/main/dev/programs.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openNamespace } from '../support/engine.ts'
import { executionRow, path, seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { bodyOf, createServers } from '../support/servers.ts'
import { killAndWait } from '../support/system.ts'
import { sealFlow } from '../support/webhooks.ts'
import { loginUrl } from '../../src/store/db/logins.ts'

const keys = newKeyringText()
const keyring = parseKeyring(keys)
const { http, close } = createServers()
let database: TestDatabase
let namespace: string
let folder: string
let worker: RunningProgram

beforeAll(async () => {
  database = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'letterloom-webhook-'))
  const temporal = await openNamespace()
  namespace = temporal.client.options.namespace
  await temporal.close()
  worker = startProgram({
    command: 'worker',
    env: {
      DATABASE_URL: loginUrl(database.url, 'letterloom_worker'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_NAMESPACE: namespace,
      LETTERLOOM_KEYS: keys,
      LETTERLOOM_MODE: 'development',
      LETTERLOOM_TIMINGS: 'short',
      // The receiver is on this machine.
      NET_ALLOW_PRIVATE: '127.0.0.0/8',
      PUBLIC_URL: 'https://mail.example.com',
      INTERNAL_PORT: '0',
    },
    logFile: join(folder, 'worker.log'),
    say: () => {},
  })
})
afterAll(async () => {
  await worker.stop()
  await database.drop()
  await rm(folder, { recursive: true })
})
afterEach(close)

/** A program that was killed takes its time to start on a busy machine. */
const PATIENTLY = { timeout: 120_000, interval: 250 }
const AUTHORIZATION = 'Bearer only-the-receiver-knows'

/** A promised execution of a flow whose one step calls `port`. */
async function promise(port: number, more: { timeoutSeconds?: number } = {}) {
  const { sql } = database
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
  await expect.poll(() => seen.length, PATIENTLY).toBe(1)
  await killAndWait(worker)
  const row = () => executionRow(database.sql, executionId)
  await expect.poll(async () => (await row()).status, PATIENTLY).toBe('completed')
  expect(await row()).toMatchObject({ reason: 'called', attempt: 1 })
  expect(await path(database.sql, executionId)).toEqual(['call completed success', 'out completed'])
  expect(seen).toHaveLength(3)
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set([`${executionId}_call_1`]))
  expect(seen[2]).toMatchObject({ authorization: AUTHORIZATION, verified: { executionId } })
  expect(await database.sql`select from webhook_calls`).toEqual([])
  await expectNoSecrets(executionId, secret)
}, 360_000)

it('a worker told to stop while it calls leaves the call to another one, and nobody is cancelled', async () => {
  let calls = 0
  const port = await http((_, response) => {
    calls++
    if (calls > 1) response.end()
  })
  const { executionId } = await promise(port, { timeoutSeconds: 30 })
  await expect.poll(() => calls, PATIENTLY).toBe(1)
  const pid = worker.pid()
  if (pid === undefined) throw new Error('it does not run')
  process.kill(pid, 'SIGTERM')
  const row = () => executionRow(database.sql, executionId)
  await expect.poll(async () => (await row()).status, PATIENTLY).not.toBe('active')
  expect(await row()).toMatchObject({ status: 'completed', reason: 'called', attempt: 1 })
  expect(calls).toBe(2)
}, 360_000)

/** Neither in what Temporal keeps of the run nor in what any program has logged. */
async function expectNoSecrets(executionId: string, secret: string): Promise<void> {
  const connection = await Connection.connect({ address: inject('temporalAddress') })
  const { workflow } = new Client({ connection, namespace })
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
  const log = await readFile(join(folder, 'worker.log'), 'utf8')
  expect(log.length).toBeGreaterThan(0)
  const secrets = [secret, secret.slice(6), AUTHORIZATION, 'only-in-the-address', 'secret answer']
  for (const each of secrets) {
    expect(decoded).not.toContain(each)
    expect(log).not.toContain(each)
  }
}
