import { ApplicationFailure } from '@temporalio/activity'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import type { StepOutcome } from '../../src/core/flows/moves.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { processRenderer, type Renderer, RendererBusy } from '../../src/mail/renderer.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { newSigningSecret } from '../../src/keys/webhook-signatures.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedExecutions, seedFlow, type SeededFlow } from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { bodyOf, createServers } from '../support/servers.ts'
import {
  callOnce,
  rotateSecret,
  sealFlow,
  visitOf,
  type WebhookConfig,
} from '../support/webhooks.ts'
import { connectAs } from '../support/logins.ts'

const keyring = parseKeyring(newKeyringText())
const { http, tcp, close } = createServers()
let database: TestDatabase
let workerSql: Sql
let organizationId: Uuid
let contactId: Uuid

beforeAll(async () => {
  database = await createDatabase()
  workerSql = connectAs(database.url, { name: 'webhooks', role: 'letterloom_worker' })
})
afterAll(async () => {
  await workerSql.end()
  await database.drop()
})
beforeEach(async () => {
  organizationId = (await seedOrganization(database.sql)).organizationId
  contactId = (await seedContacts(database.sql, organizationId, 1))[0] ?? ''
})
afterEach(close)

const deps = () => ({
  sql: workerSql,
  keyring,
  fetcher: createFetcher({ allowed: ['127.0.0.1'] }),
  now: Date.now,
})

interface Sketch {
  config?: Partial<WebhookConfig>
  headers?: Record<string, string>
  transitions?: string[]
  data?: Record<string, unknown>
  event?: string
}

/** A flow whose step `call` goes to `port`, one execution of it, and what it signs with. */
async function prepare(port: number, { config, headers, transitions, data, event }: Sketch = {}) {
  const flow: SeededFlow = await seedFlow(database.sql, organizationId, {
    steps: [
      {
        id: 'call',
        type: 'webhook',
        config: { url: `http://127.0.0.1:${port}/hook`, method: 'POST', ...config },
      },
      { id: 'good', type: 'exit', config: { outcome: 'completed' } },
      { id: 'bad', type: 'exit', config: { outcome: 'completed' } },
    ],
    transitions: transitions ?? ['call:success>good'],
    ...(event === undefined ? {} : { trigger: { type: 'event', name: event } }),
  })
  const secret = await sealFlow(database.sql, keyring, flow, headers ? { headers } : {})
  const [executionId = ''] = await seedExecutions(database.sql, flow, [contactId])
  const visiting = { flow, contactId, executionId, ...(data ? { data } : {}) }
  return { flow, secret, executionId, visiting, run: visitOf(visiting) }
}

interface Seen {
  method: string
  headers: Record<string, string>
  body: string
}
const last = (seen: Seen[]): Seen => seen.at(-1) ?? { method: '', headers: {}, body: '' }

/** What a receiver that answers like that has seen. */
async function receiver(status = 200, answer = '', more: Record<string, string> = {}) {
  const seen: Seen[] = []
  const port = await http(async (request, response) => {
    const body = await bodyOf(request)
    const headers = request.headers as Record<string, string>
    seen.push({ method: request.method ?? '', headers, body })
    response.writeHead(status, more).end(answer)
  })
  return { port, seen }
}

/** The failure by which a call asks Temporal for another try. */
async function refusalOf(outcome: Promise<StepOutcome>): Promise<ApplicationFailure> {
  const error = await outcome.then(
    (each) => Promise.reject(new Error(`no failure: ${JSON.stringify(each)}`)),
    (each: unknown) => each,
  )
  if (!(error instanceof ApplicationFailure)) throw error
  return error
}
const calls = () => database.sql<{ tries: number; live: boolean }[]>`
  select tries, lease_until > clock_timestamp() as live
  from webhook_calls
  where organization_id = ${organizationId}`

describe('a request', () => {
  it('is signed so that the library of the standard accepts it, with the id of its visit', async () => {
    const { port, seen } = await receiver()
    const { run, secret, executionId } = await prepare(port)
    const outcome = await callOnce(deps(), run)
    expect(outcome).toEqual({ kind: 'done', branch: 'success', result: { status: 200 } })
    const { headers, body } = last(seen)
    expect(headers).toMatchObject({
      'webhook-id': `${executionId}_call_1`,
      'content-type': 'application/json',
      'user-agent': 'Letterloom',
    })
    expect(new Webhook(secret).verify(body, headers)).toEqual({
      executionId,
      workflowId: run.execution.flowId,
      workflowName: 'Welcome',
      stepId: 'call',
      contact: {
        id: contactId,
        externalId: null,
        email: 'reader-1@example.com',
        firstName: 'Reader 1',
        lastName: null,
      },
      trigger: { data: {} },
    })
    expect(await calls()).toEqual([])
  })

  it('is signed by both secrets for as long as the former one counts', async () => {
    const { port, seen } = await receiver()
    const { run, flow, secret: former } = await prepare(port)
    const present = await rotateSecret(database.sql, keyring, flow, '24 hours')
    await callOnce(deps(), run)
    await database.sql`
      update flows set previous_secret_until = now() - interval '1 second' where id = ${flow.flowId}`
    await callOnce(deps(), run)
    const verify = (secret: string, index: number): unknown => {
      const { body, headers } = seen[index] ?? { body: '', headers: {} }
      return new Webhook(secret).verify(body, headers)
    }
    expect(verify(present, 0)).toEqual(verify(former, 0))
    expect(verify(present, 1)).toBeDefined()
    expect(() => verify(former, 1)).toThrow('No matching signature')
  })

  it('has the headers and the body of the step, filled in for the contact', async () => {
    const { port, seen } = await receiver()
    const body =
      '{"who":{{ contact.firstName | json }},"last":{{ contact.lastName | json }},' +
      '"plan":{{ trigger.data.plan | json }},"event":"{{ event.name }}",' +
      '"n":{{ event.properties.n }},"run":"{{ execution.id }}","flow":"{{ workflow.name }}"}'
    const { visiting, executionId, secret } = await prepare(port, {
      config: { method: 'PUT', body },
      headers: { Authorization: 'Bearer xyz', 'webhook-id': 'mine', 'Content-Type': 'text/x' },
      data: { plan: 'a "quoted" one', n: 3 },
      event: 'bought',
    })
    await database.sql`update contacts set first_name = 'Zoë' where id = ${contactId}`
    await callOnce(deps(), visitOf(visiting))
    const { method, headers, body: sent } = last(seen)
    expect([method, JSON.parse(sent)]).toEqual([
      'PUT',
      {
        who: 'Zoë',
        last: null,
        plan: 'a "quoted" one',
        event: 'bought',
        n: 3,
        run: executionId,
        flow: 'Welcome',
      },
    ])
    expect(headers).toMatchObject({
      authorization: 'Bearer xyz',
      'content-type': 'text/x',
      'webhook-id': `${executionId}_call_1`,
    })
    expect(new Webhook(secret).verify(sent, headers)).toBeDefined()
  })

  it('speaks of the event that the execution came by last', async () => {
    const { port, seen } = await receiver()
    const body = '{{ event.name }} {{ event.properties.n }}'
    const { visiting, executionId } = await prepare(port, {
      config: { body },
      data: { n: 1 },
      event: 'bought',
    })
    const eventId = uuidv7()
    await database.sql`insert into events ${database.sql({
      organizationId,
      id: eventId,
      contactId,
      name: 'paid',
      properties: { n: 2 },
      occurredAt: new Date().toISOString(),
    })}`
    await callOnce(deps(), visitOf(visiting))
    await database.sql`
      insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind, event_name,
        status, since, expires_at, matched_event_id, matched, matched_at)
      values (${organizationId}, ${executionId}, 'wait', 1, ${contactId}, 'event', 'paid', 'matched',
        now(), now(), ${eventId}, 'paid', now())`
    await callOnce(deps(), visitOf(visiting))
    expect(seen.map((each) => each.body)).toEqual(['bought 1', 'paid 2'])
  })

  it('with GET or DELETE has no body, and is signed all the same', async () => {
    const { port, seen } = await receiver()
    for (const method of ['GET', 'DELETE'] as const) {
      const { run, secret } = await prepare(port, { config: { method } })
      await callOnce(deps(), run)
      const { body, headers } = last(seen)
      expect([body, headers['content-type']]).toEqual(['', undefined])
      expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
      const stranger = new Webhook(newSigningSecret())
      expect(() => stranger.verify(body, headers)).toThrow('No matching signature')
    }
  })

  it('never has another contact’s or organization’s headers', async () => {
    const { port, seen } = await receiver()
    const { flow } = await prepare(port, { headers: { Authorization: 'Bearer mine' } })
    const stranger = await seedOrganization(database.sql)
    const [theirs = ''] = await seedContacts(database.sql, stranger.organizationId, 1)
    const run = visitOf({ flow, contactId: theirs, executionId: flow.flowId })
    const gone = { kind: 'ended', status: 'cancelled', reason: 'contact_deleted' }
    expect(await callOnce(deps(), run)).toEqual(gone)
    const foreign = { ...flow, organizationId: stranger.organizationId }
    const elsewhere = visitOf({ flow: foreign, contactId: theirs, executionId: flow.flowId })
    expect(await callOnce(deps(), elsewhere)).toMatchObject({ reason: 'workflow_deleted' })
    expect(seen).toEqual([])
  })
})

describe('an answer', () => {
  test.each<[string, string, unknown]>([
    ['JSON', '{"id":7,"tags":["a"]}', { id: 7, tags: ['a'] }],
    ['a text', 'created', 'created'],
    ['a long text', 'x'.repeat(3_000), 'x'.repeat(1_000)],
    ['a null character in JSON', '{"a":"\\u0000"}', '{"a":"\\u0000"}'],
    ['half a pair in JSON', '{"a":"\\ud800"}', '{"a":"\\ud800"}'],
    ['a null character', 'a\0b', 'a\ufffdb'],
    ['thousands of levels', '['.repeat(8_000), '['.repeat(1_000)],
    ['as many that are closed', `${'['.repeat(8_000)}${']'.repeat(8_000)}`, '['.repeat(1_000)],
    ['JSON that is too long', JSON.stringify('y'.repeat(20_000)), `"${'y'.repeat(999)}`],
  ])('that is %s is kept as far as Postgres takes it', async (_, said, kept) => {
    const { port } = await receiver(201, said)
    const { run } = await prepare(port)
    const outcome = await callOnce(deps(), run)
    expect(outcome).toEqual({
      kind: 'done',
      branch: 'success',
      result: { status: 201, body: kept },
    })
    const { result } = outcome as unknown as { result: never }
    const [row] = await database.sql`select ${database.sql.json(result)}::jsonb as stored`
    expect(row?.['stored']).toEqual({ status: 201, body: kept })
  })

  test.each([300, 302, 307, 400, 401, 404, 410, 422])(
    'of %d fails at once, or takes the branch for it',
    async (status) => {
      const { port, seen } = await receiver(status, 'no', { location: '/else' })
      const plain = await prepare(port)
      expect(await callOnce(deps(), plain.run)).toEqual({
        kind: 'failed',
        reason: `http_${status}`,
        error: `The receiver answered ${status}`,
      })
      const branching = await prepare(port, {
        transitions: ['call:success>good', 'call:failure>bad'],
      })
      expect(await callOnce(deps(), branching.run)).toEqual({
        kind: 'done',
        branch: 'failure',
        result: { reason: `http_${status}`, status, body: 'no' },
      })
      expect(seen).toHaveLength(2)
      expect(await calls()).toEqual([])
    },
  )

  test.each([408, 425, 429, 500, 502, 503, 504])(
    'of %d is asked for again, with the same id and longer waits, eight times',
    async (status) => {
      const { port, seen } = await receiver(status, 'later')
      const { run } = await prepare(port, { transitions: ['call:failure>bad'] })
      const waits: number[] = []
      for (let number = 1; number < 8; number++) {
        const failure = await refusalOf(callOnce(deps(), run, { number }))
        expect(failure.message).toBe(`The call failed (http_${status}) and is tried again`)
        waits.push(Number(failure.nextRetryDelay))
      }
      expect(await calls()).toEqual([{ tries: 7, live: false }])
      expect(await callOnce(deps(), run, { number: 8 })).toEqual({
        kind: 'done',
        branch: 'failure',
        result: { reason: `http_${status}`, status, body: 'later' },
      })
      expect(new Set(seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      expect(seen).toHaveLength(8)
      expect(waits).toEqual([...waits].sort((a, b) => a - b))
      const total = waits.reduce((sum, wait) => sum + wait, 0)
      expect(total).toBeGreaterThan(8 * 60_000)
      expect(total).toBeLessThan(12.1 * 60_000)
      expect(await calls()).toEqual([])
    },
  )

  it('that names a time is heeded, within five minutes', async () => {
    const waitFor = async (said: string): Promise<number> => {
      const { port } = await receiver(429, '', { 'retry-after': said })
      const { run } = await prepare(port)
      return Number((await refusalOf(callOnce(deps(), run))).nextRetryDelay)
    }
    expect(await waitFor('60')).toBe(60_000)
    expect(await waitFor('99999')).toBe(300_000)
    expect(await waitFor('soon')).toBeLessThan(3_000)
    expect(await waitFor('-5')).toBeLessThan(3_000)
    const inAMinute = await waitFor(new Date(Date.now() + 60_000).toUTCString())
    expect(inAMinute).toBeGreaterThan(55_000)
    expect(inAMinute).toBeLessThan(61_000)
  })

  it('that does not come in time is asked for again, and its place is free', async () => {
    const port = await tcp(() => {})
    const { run } = await prepare(port, { config: { timeoutSeconds: 1 } })
    const startedAt = performance.now()
    const failure = await refusalOf(callOnce(deps(), run))
    // Those that set no time have ten seconds.
    expect(performance.now() - startedAt).toBeLessThan(9_000)
    expect(failure.message).toContain('(timeout)')
    expect(await calls()).toEqual([{ tries: 1, live: false }])
  })

  it('that ends in the middle is none', async () => {
    const port = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const { run } = await prepare(port)
    expect((await refusalOf(callOnce(deps(), run))).message).toContain('(connection_lost)')
  })
})

describe('nothing is sent', () => {
  it('to a private address, which is not tried again', async () => {
    const { port, seen } = await receiver()
    const { run } = await prepare(port)
    const fetcher = createFetcher({ allowed: [] })
    const refused = {
      kind: 'failed',
      reason: 'address_refused',
      error: 'The host is not on the public internet',
    }
    expect(await callOnce({ ...deps(), fetcher }, run)).toEqual(refused)
    expect(seen).toEqual([])
    expect(await calls()).toEqual([])
  })

  it('when the body cannot be made', async () => {
    const { port, seen } = await receiver()
    const missing = await prepare(port, { config: { body: '{{ trigger.data.plan }}' } })
    expect(await callOnce(deps(), missing.run)).toMatchObject({
      kind: 'failed',
      reason: 'missing_value',
    })
    const long = await prepare(port, { config: { body: 'x'.repeat(300_000) } })
    expect(await callOnce(deps(), long.run)).toMatchObject({ kind: 'failed', reason: 'too_large' })
    expect(seen).toEqual([])
  })

  it('when the secret was sealed by a key that is gone, or for another flow', async () => {
    const { port, seen } = await receiver()
    const { run, flow } = await prepare(port)
    const unreadable = { kind: 'failed', reason: 'secret_unreadable' }
    const lost = { ...deps(), keyring: parseKeyring(newKeyringText()) }
    expect(await callOnce(lost, run)).toMatchObject(unreadable)
    const other = await prepare(port)
    await database.sql`
      update flows set sealed_secret = (select sealed_secret from flows where id = ${other.flow.flowId})
      where id = ${flow.flowId}`
    expect(await callOnce(deps(), run)).toMatchObject(unreadable)
    expect(seen).toEqual([])
  })

  it('while the renderer is busy, and that is no try', async () => {
    const { port, seen } = await receiver(500)
    const { run } = await prepare(port, { config: { body: '{{ contact.email }}' } })
    const text = () => Promise.reject(new RendererBusy())
    const renderer: Renderer = { ...processRenderer(), text }
    for (let number = 1; number <= 9; number++) {
      const failure = await refusalOf(callOnce({ ...deps(), renderer }, run, { number }))
      expect(failure.type).toBe('RendererBusy')
    }
    expect(await calls()).toEqual([])
    expect(seen).toEqual([])
    await refusalOf(callOnce(deps(), run, { number: 10 }))
    expect(await calls()).toEqual([{ tries: 1, live: false }])
    await refusalOf(callOnce({ ...deps(), renderer }, run, { number: 11 }))
    expect(await calls()).toEqual([{ tries: 1, live: false }])
  })

  it('any more when its contact is gone, and its tries are forgotten', async () => {
    const { port } = await receiver(500)
    const { run } = await prepare(port)
    await refusalOf(callOnce(deps(), run))
    await database.sql`delete from contacts where id = ${contactId}`
    expect(await callOnce(deps(), run)).toMatchObject({ reason: 'contact_deleted' })
    expect(await calls()).toEqual([])
  })

  it('while the organization has its fill of calls, and that is no try', async () => {
    const held: (() => void)[] = []
    let most = 0
    const port = await http((_, response) => {
      held.push(() => response.end())
      most = Math.max(most, held.length)
    })
    const config = { timeoutSeconds: 30 }
    const made = await Promise.all(Array.from({ length: 15 }, () => prepare(port, { config })))
    let refusals = 0
    const outcomes = made.map(({ run }) =>
      callOnce(deps(), run).catch((error: unknown) => {
        refusals++
        return error
      }),
    )
    // A call that asks only when slots are free again is not refused.
    await expect.poll(() => [held.length, refusals]).toEqual([10, 5])
    for (const end of held) end()
    const settled = await Promise.all(outcomes)
    const refused = settled.filter((each) => each instanceof ApplicationFailure)
    expect(refused).toHaveLength(5)
    expect(refused[0]?.message).toBe('The organization has reached its limit of concurrent calls')
    expect(most).toBe(10)
    expect(await calls()).toEqual([])
    // The longer one waits the less often it asks.
    const delays = refused.map(({ nextRetryDelay }) => Number(nextRetryDelay))
    expect(Math.max(...delays)).toBeLessThan(1_300)
  })
})

it('that is cancelled closes its connection, gives its place back and is no failure of ours', async () => {
  let isClosed = false
  let isOpen = false
  const port = await tcp((socket) => {
    isOpen = true
    socket.on('close', () => (isClosed = true))
  })
  const { run } = await prepare(port)
  const control = new AbortController()
  const outcome = callOnce(deps(), run, { signal: control.signal })
  await expect.poll(() => isOpen).toBe(true)
  control.abort(new Error('cancelled by the run'))
  await expect(outcome).rejects.toThrow('cancelled by the run')
  await expect.poll(() => isClosed).toBe(true)
  expect(await calls()).toEqual([{ tries: 1, live: false }])
})

it('each visit and step has an id of its own, in letters that a header has', async () => {
  const { port, seen } = await receiver()
  const { visiting, run } = await prepare(port)
  await callOnce(deps(), visitOf({ ...visiting, more: { visit: 2 } }))
  await callOnce(deps(), visitOf({ ...visiting, more: { try: 2 } }))
  const odd = { ...run, step: { ...run.step, id: 'a.b c/é' } }
  await callOnce(deps(), odd)
  const ids = seen.map(({ headers }) => headers['webhook-id']?.replace(run.execution.id, ''))
  // A retry of the same visit says the same again: what the first try may have done is known by it.
  expect(ids).toEqual(['_call_2', '_call_1', '_a~2eb~20c~2f~c3a9_1'])
})
