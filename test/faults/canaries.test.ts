import { readFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { connectSandbox, SENDER } from '../../src/main/dev/system.ts'
import { addressHash, newApiKey, parseKeyring, signUnsubscribe } from '../../src/keys/tokens.ts'
import { answered } from '../support/answered.ts'
import { finished, tellOfFlows } from '../support/canary-flows.ts'
import { dumpRows, speakingOf } from '../support/dump.ts'
import { until } from '../support/engine.ts'
import { startTestSystem } from '../support/system.ts'

/** Everything planted, by where it was planted. */
const planted = new Map<string, string>()

/** As `canary` makes them. */
const CANARY = /canary[0-9a-f]{16}/g

/** A word that occurs nowhere else. */
function canary(place: string): string {
  const word = `canary${randomBytes(8).toString('hex')}`
  planted.set(place, word)
  return word
}

let system: Awaited<ReturnType<typeof startTestSystem>>
let organizationId: string
let key: string
const refusals: string[] = []

beforeAll(async () => {
  system = await startTestSystem({ LOG_LEVEL: 'trace' })
  const made = await createOrganization(system.sql, {
    name: canary('organization name'),
    ownerEmail: `${canary('owner address')}@example.com`,
    ownerName: canary('owner name'),
    plan: 'enterprise',
  })
  organizationId = made.organizationId
  key = made.key
  planted.set('api key', key)
  await tellTheStory()
})
afterAll(() => system.stop())

interface Asked {
  body?: unknown
  headers?: Record<string, string>
}

/** Remembers what a refusal says. */
const call = (method: string, path: string, asked: Asked = {}) =>
  answered(() => callOnce(method, path, asked))

async function callOnce(method: string, path: string, { body, headers = {} }: Asked) {
  const response = await fetch(`${system.apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'x-planted': canary(`header of ${method} ${path}`),
      cookie: `session=${canary(`cookie of ${method} ${path}`)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  if (response.status >= 400) refusals.push(`${method} ${response.status} ${text}`)
  return { status: response.status, body: JSON.parse(text) as Record<string, unknown> }
}

const person = (place: string) => ({
  email: `${canary(`${place}: address`)}@example.com`,
  firstName: canary(`${place}: first name`),
  company: canary(`${place}: company`),
  properties: { note: canary(`${place}: property`) },
})

async function tellTheStory(): Promise<void> {
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  await connectSandbox(system, client, {
    accountId: '123412341234',
    maxSendRate: 500,
    max24Hour: 1e6,
  })
  const connection = await call('POST', '/v1/connections', {
    body: { accountId: '123412341234', region: 'eu-west-1', name: canary('connection name') },
  })
  const webhookSecret = String(connection.body['webhookSecret'])
  planted.set('webhook secret', webhookSecret)
  planted.set('external id', String(connection.body['externalId']))

  const first = person('contact')
  const created = await call('POST', '/v1/contacts', { body: first })
  await call('POST', '/v1/contacts/batch', { body: { contacts: [person('row'), person('row 2')] } })
  const leaving = await call('POST', '/v1/contacts', {
    body: { ...person('erased'), externalId: canary('erased: external id') },
  })
  const batch = await call('POST', '/v1/batch', {
    body: {
      audienceType: 'all',
      from: SENDER,
      name: canary('batch name'),
      subject: canary('subject'),
      htmlContent: `<p>${canary('html')} {{ planted }}</p>`,
      textContent: canary('text'),
      variableMappings: [
        { variableName: 'planted', source: { type: 'static', value: canary('variable') } },
      ],
    },
  })
  await until(async () => {
    const { body } = await call('GET', `/v1/batch/${String(batch.body['id'])}`)
    return body['status'] === 'completed' ? true : undefined
  })
  const erasure = await call('POST', `/v1/contacts/${String(leaving.body['id'])}/erase`)
  await until(async () => {
    const { body } = await call('GET', `/v1/erasures/${String(erasure.body['id'])}`)
    return body['status'] === 'completed'
  })
  await tellOfFlows({ canary, plant: (place, word) => planted.set(place, word), call }, first.email)
  await refuseMuch(String(created.body['id']), first.email, webhookSecret)
  await breakPostgres(first.email)
}

/** Wrong secrets, wrong bodies, wrong links; and the right link. */
async function refuseMuch(contactId: string, email: string, secret: string): Promise<void> {
  const wrongKey = newApiKey().key
  planted.set('unknown key', wrongKey)
  for (const bearer of [wrongKey, `loom_${canary('malformed key')}`, canary('bearer')]) {
    await call('GET', '/v1/contacts', { headers: { authorization: `Bearer ${bearer}` } })
  }
  await call('GET', '/v1/contacts', { headers: { authorization: `Basic ${canary('basic')}` } })
  await call('POST', '/v1/contacts', { body: person('contact taken twice') })
  await call('POST', '/v1/contacts', { body: { email, firstName: canary('taken') } })
  await call('POST', '/v1/contacts', { body: `{"email":"${canary('cut off')}` })
  await call('POST', '/v1/contacts', { body: { email: canary('no address'), lastName: [1] } })
  await call('POST', '/v1/contacts', { body: { email, phone: canary('no number') } })
  await call('GET', `/v1/contacts?search=${canary('search')}&page=0`)
  await call('GET', `/v1/contacts/${canary('unknown address')}%40example.com`)
  await call('POST', '/v1/templates', {
    body: { name: canary('template name'), source: `{% if %}${canary('template')}` },
  })
  const url = '/webhooks/ses/123412341234'
  const envelope = { id: 'e1', account: '123412341234', region: 'eu-west-1' }
  const detail = { eventType: 'Delivery', mail: { destination: [canary('event')] } }
  for (const given of [secret, canary('wrong webhook secret')]) {
    const headers = { 'x-webhook-secret': given }
    await call('POST', url, { headers, body: { ...envelope, detail } })
    await call('POST', url, { headers, body: { ...envelope, detail: canary('bad event') } })
  }
  const keyring = parseKeyring((await readFile(join(system.folder, 'keys'), 'utf8')).trim())
  const token = signUnsubscribe(keyring, {
    organizationId,
    contactId,
    addressHash: addressHash(organizationId, email),
  })
  planted.set('unsubscribe token', token)
  await call('POST', `/unsubscribe/${token}`)
  await call('POST', `/unsubscribe/${canary('wrong token')}`)
}

/** A step of a flow whose statement Postgres refuses, with a word about the whole row. */
async function breakStep(email: string): Promise<void> {
  const config = { set: { firstName: 'planted' } }
  const { body } = await call('POST', '/v1/workflows', {
    body: {
      name: 'Broken',
      enabled: true,
      triggerType: 'api',
      steps: [{ id: 'update', type: 'update_contact', name: 'Update', config }],
    },
  })
  const flowId = String(body['id'])
  await call('POST', `/v1/workflows/${flowId}/trigger`, { body: { contactEmail: email } })
  await finished(call, flowId, 'failed')
}

/** Postgres' own words name rows and values; they must stay here. */
async function breakPostgres(email: string): Promise<void> {
  const { admin } = system
  const refused = person('refused by a constraint')
  await admin`alter table contacts add constraint planted check (first_name <> 'planted') not valid`
  await call('POST', '/v1/contacts', { body: { ...refused, firstName: 'planted' } })
  await call('POST', '/v1/contacts/batch', {
    body: { contacts: [{ ...person('refused in a set'), firstName: 'planted' }] },
  })
  await breakStep(email)
  await admin`alter table contacts drop constraint planted`
  await admin`alter table contacts rename to contacts_elsewhere`
  await call('POST', '/v1/contacts', { body: person('without a table') })
  await call('POST', '/v1/events', {
    body: { name: canary('event without a table'), contactEmail: person('event').email },
  })
  await call('GET', `/v1/contacts?search=${canary('search without a table')}`)
  await call('GET', `/v1/contacts/${canary('look-up without a table')}%40example.com`)
  await admin`alter table contacts_elsewhere rename to contacts`
}

/** Which canaries a text has, by where they were planted. */
function found(text: string): string[] {
  const canaries = new Set(text.match(CANARY))
  const isIn = (word: string) =>
    word.startsWith('canary') ? canaries.has(word) : text.includes(word)
  return [...planted].filter(([, word]) => isIn(word)).map(([place]) => place)
}

it('no log of the API or the worker has a secret, an address or a word of a body', async () => {
  const logs = await Promise.all(
    ['api', 'worker'].map((name) => readFile(join(system.folder, 'logs', `${name}.log`), 'utf8')),
  )
  expect(logs.map((text) => text.includes('"level":'))).toEqual([true, true])
  const lines = logs.flatMap((text) => text.split('\n'))
  const leaks = lines.flatMap((line) =>
    found(line).map((place) => `${place}: ${line.slice(0, 400)}`),
  )
  expect(leaks).toEqual([])
})

it('no refusal says what it was given', () => {
  expect(refusals.some((text) => text.startsWith('POST 500'))).toBe(true)
  const leaks = refusals.flatMap((text) => found(text).map((place) => `${place}: ${text}`))
  expect(leaks).toEqual([])
})

it('no history of a workflow, no memo and no search attribute has any', async () => {
  const connection = await Connection.connect({ address: system.temporalAddress })
  const client = new Client({ connection, namespace: system.namespace })
  const leaks: string[] = []
  let histories = 0
  const kinds = new Set<string>()
  for await (const run of client.workflow.list()) {
    const { workflowId, runId, memo, searchAttributes } = run
    kinds.add(run.type)
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory()
    const text = [workflowId, legible(history), legible(memo), legible(searchAttributes)].join('\n')
    histories++
    leaks.push(...found(text).map((place) => `${workflowId}: ${place}`))
  }
  await connection.close()
  expect(histories).toBeGreaterThan(1)
  expect([...kinds]).toEqual(expect.arrayContaining(['runFlow', 'sendBatch', 'eraseContact']))
  expect(leaks).toEqual([])
})

it('no secret is stored as it was given', async () => {
  const rows = await dumpRows(system.admin)
  const stored = (place: string) => speakingOf(rows, [planted.get(place) ?? '']).length > 0
  const secrets = [...planted.keys()].filter((place) => /secret|api key|header of a/.test(place))
  expect(secrets).toContain('webhook secret of a workflow')
  expect(secrets).toContain('header of a webhook')
  expect(secrets.filter(stored)).toEqual([])
  // And there is much that could have been seen.
  expect(stored('property of an event')).toBe(true)
})

it('no outbox message has any', async () => {
  const rows = await system.sql<{ text: string }[]>`select outbox::text as text from outbox`
  expect(rows.flatMap(({ text }) => found(text))).toEqual([])
})

/** JSON in which bytes are the text they are. */
const legible = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (each instanceof Uint8Array) return Buffer.from(each).toString('utf8')
    // A Buffer has made JSON of itself by now.
    if (isBufferJson(each)) return Buffer.from(each.data).toString('utf8')
    return typeof each === 'bigint' ? String(each) : each
  }) ?? ''

const isBufferJson = (value: unknown): value is { type: 'Buffer'; data: number[] } =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'
