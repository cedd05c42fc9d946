import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Uuid } from '../../src/runtime/ids.ts'
import * as clientPackage from '../../src/client/index.ts'
import { addFlowCommands } from '../../src/main/commands/flow-commands.ts'
import { addMetricsCommands } from '../../src/main/commands/metrics-commands.ts'
import { addOperatorCommands } from '../../src/main/commands/operator-commands.ts'
import { addSegmentCommands } from '../../src/main/commands/segment-commands.ts'
import { addTemplateCommands } from '../../src/main/commands/template-commands.ts'
import { addToolCommands } from '../../src/main/commands/tool-commands.ts'
import {
  type Api,
  type Answer,
  batchWithFailed,
  connectAccount,
  createBatch,
  createContact,
  startApi,
} from '../support/api.ts'
import { smallFlow } from '../support/flow-inputs.ts'
import { documentOf, inlined, type Operation, operationsOf } from '../support/document.ts'

/** The examples of the guide, as they are written: called in order against one API. */

const guide = readFileSync(new URL('../../docs/api-guide.md', import.meta.url), 'utf8')
const FENCE = /^```(\w+)\n([^]*?)^```$/gm
const blocks = [...guide.matchAll(FENCE)].map(([, language = '', text = '']) => ({
  language,
  text,
}))
const textsOf = (language: string) =>
  blocks.filter((block) => block.language === language).map(({ text }) => text)
/** What stands in backticks, also over the end of a line. */
const spans = [...guide.replaceAll(FENCE, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) =>
  span.replaceAll(/\s+/g, ' '),
)

/** Commands of a shell, as words: quotes hold them together, `#` begins a comment. */
function commandsOf(text: string): string[][] {
  const found: string[][] = [[]]
  const words = /#[^\n]*|'([^']*)'|"([^"]*)"|(\\?\n)|([^\s'"]+)/g
  for (const [whole, single, double, end, plain] of text.matchAll(words)) {
    if (whole.startsWith('#')) continue
    if (end === '\n') found.push([])
    else if (end === undefined) found.at(-1)?.push(single ?? double ?? plain ?? '')
  }
  return found
    .filter((words) => words.length > 0)
    .map((words) => words.slice(0, words.includes('>') ? words.indexOf('>') : undefined))
}

interface Call {
  method: string
  path: string
  body: string | undefined
  accept: string | undefined
}

/** A call of `api` or `curl`, whose last word that begins with `/` or `http` is the address. */
function callOf(words: readonly string[]): Call {
  const after = (flag: string) => {
    const values = words.flatMap((word, index) => (word === flag ? [words[index + 1] ?? ''] : []))
    return values.at(-1)
  }
  const body = after('-d')
  const address = words.find((word) => /^(?:\/|http:)/.test(word)) ?? ''
  return {
    method: after('-X') ?? (body === undefined ? 'GET' : 'POST'),
    path: address.replace(/^http:\/\/[^/]+/, ''),
    body,
    accept: after('-H')?.replace(/^accept: /, ''),
  }
}

const commands = textsOf('sh').flatMap(commandsOf)
const calls = commands.filter(([name = '']) => ['api', 'curl'].includes(name)).map(callOf)

let api: Api
let operations: Operation[]
let connectionId: Uuid
beforeAll(async () => {
  api = await startApi()
  operations = operationsOf(inlined(documentOf(api.app)))
  connectionId = (await connectAccount(api.alice)).connectionId
  await api.sql`update connections set features = '{"sms": true}' where id = ${connectionId}`
  await createContact(api.alice, { email: 'ada@example.com' })
})
afterAll(() => api.close())

const BATCH = 'POST /v1/batch'
const ONE = '/v1/batch/$ID'
/** A batch of its own for a call, in the state that it needs. */
async function batchIn(status: string): Promise<Uuid> {
  const { id } = await createBatch(api.alice)
  await api.sql`update batches set status = ${status} where id = ${id}`
  return id
}
async function failedBatch(): Promise<Uuid> {
  const { id } = await createBatch(api.alice)
  const contact = await createContact(api.alice, { email: `${id}@example.com` })
  return batchWithFailed(api, api.alice, id, contact.id)
}
async function pausedBatch(): Promise<Uuid> {
  const id = await batchIn('processing')
  await api.alice.post(`/v1/batch/${id}/pause`)
  return id
}
async function scheduledBatch(): Promise<Uuid> {
  return (await createBatch(api.alice, { scheduledFor: TOMORROW })).id
}
/** The execution that the guide's event started, failed at its first step. */
async function failedExecution(): Promise<Uuid> {
  const [row] = await api.sql<{ id: Uuid }[]>`
    update executions
    set status = 'failed', step_id = 'hello', visit = 1, finished_at = now()
    returning id`
  await api.sql`update flow_entries set live = 0`
  return row!.id
}
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()

interface Expected {
  call: string
  /** Makes what `$ID` stands for. */
  make?: () => Promise<Uuid>
  status: number
  body?: object
  text?: RegExp
}

const hundredContacts = async (): Promise<Uuid> => {
  const contacts = Array.from({ length: 99 }, (_, n) => ({ email: `reader-${n}@example.com` }))
  await api.alice.post('/v1/contacts/batch', { contacts })
  return ''
}

/** What each call of the guide answers, in its order. */
const EXPECTED: Expected[] = [
  {
    call: 'POST /v1/suppressions',
    status: 201,
    body: { channel: 'sms', phone: '+4915112345678', reason: 'opted_out' },
  },
  { call: 'POST /v1/email/send', status: 202, body: { id: expect.any(String), status: 'queued' } },
  {
    call: 'POST /v1/sms/send',
    status: 202,
    body: { id: expect.any(String), status: 'queued', parts: 1 },
  },
  { call: BATCH, status: 201, body: { status: 'queued', subject: 'Hello', totalRecipients: 1 } },
  { call: 'POST /v1/batch/preview', status: 200, body: { recipients: 1 } },
  { call: `GET ${ONE}`, make: async () => batchIn('queued'), status: 200, body: { sent: 0 } },
  {
    call: `DELETE ${ONE}`,
    make: async () => batchIn('processing'),
    status: 200,
    body: { success: true, status: 'cancelled' },
  },
  {
    call: `POST ${ONE}/pause`,
    make: async () => batchIn('processing'),
    status: 200,
    body: { paused: true },
  },
  { call: `POST ${ONE}/resume`, make: pausedBatch, status: 200, body: { paused: false } },
  {
    call: `PATCH ${ONE}`,
    make: scheduledBatch,
    status: 200,
    body: { status: 'scheduled', scheduledFor: TOMORROW },
  },
  { call: `POST ${ONE}/duplicate`, make: failedBatch, status: 201, body: { paused: true } },
  { call: `GET ${ONE}/report`, make: failedBatch, status: 200, body: { funnel: { sent: 0 } } },
  { call: `GET ${ONE}/clicks`, make: failedBatch, status: 200, body: { data: [] } },
  {
    call: `POST ${ONE}/retry-failed`,
    make: failedBatch,
    status: 201,
    body: { totalRecipients: 1 },
  },
  {
    call: BATCH,
    make: hundredContacts,
    status: 201,
    body: { abTest: { sharePercent: 20, winnerBy: 'clicked' } },
  },
  { call: `GET ${ONE}/report`, make: failedBatch, status: 200, text: /^<!doctype html>/i },
  {
    call: 'POST /v1/workflows',
    status: 201,
    body: { slug: 'welcome', enabled: true, webhookSecret: expect.any(String) },
  },
  {
    call: 'POST /v1/events',
    status: 200,
    body: { success: true, contactCreated: false, workflowsTriggered: 1 },
  },
  {
    call: 'GET /v1/workflows/welcome/executions',
    status: 200,
    body: { data: [{ status: 'pending' }] },
  },
  {
    call: 'GET /v1/workflows/welcome/diagram',
    status: 200,
    text: /Hello[^]*First order[^]*Thanks/,
  },
  {
    call: 'GET /v1/workflows/welcome/steps',
    status: 200,
    body: { data: [{ stepId: null, live: 1 }], countsAreExact: true },
  },
  {
    call: 'POST /v1/workflows/executions/$ID/retry',
    make: failedExecution,
    status: 200,
    body: { success: true },
  },
  {
    call: 'POST /v1/workflows/welcome/retry-failed',
    status: 202,
    body: { kind: 'retry', status: 'running' },
  },
  {
    call: 'GET /v1/workflows/welcome/operations',
    status: 200,
    body: { data: [{ kind: 'retry' }] },
  },
  { call: 'POST /v1/workflows/welcome/disable', status: 200, body: { enabled: false } },
  {
    call: 'POST /v1/workflows/welcome/cancel-executions',
    status: 202,
    body: { kind: 'cancel', status: 'running' },
  },
  {
    call: 'GET /v1/workflows/welcome/operations',
    status: 200,
    body: { data: [{ kind: 'cancel' }, { kind: 'cancel' }, { kind: 'retry' }] },
  },
]

test('every call of the guide is called, in its order', () => {
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual(
    EXPECTED.map(({ call }) => call),
  )
})

describe('a call of the guide', () => {
  /** What `{…}`, the body of the call before, stands for. */
  let bodyBefore = ''
  test.each(EXPECTED.map((each, index) => ({ ...each, index })))(
    '$index: $call',
    async ({ index, make, status, body: expected, text }) => {
      const { method, path, body, accept } = calls[index]!
      const given = (body === '{…}' ? bodyBefore : body)?.replace(
        /20\d\d-\d\d-\d\dT[\d:]+Z/,
        TOMORROW,
      )
      bodyBefore = given ?? ''
      const id = (await make?.()) ?? ''
      const answer = await api.alice.send({
        method: method as 'GET',
        url: path.replace('$ID', id),
        headers: {
          ...(accept === undefined ? {} : { accept }),
          ...(given === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(given === undefined ? {} : { payload: given }),
      })
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text ?? /./)])
      expect(answer.body).toMatchObject(expected ?? {})
    },
  )
})

describe('an answer of the guide', () => {
  const [refusal, rows, condition, winBack, wait] = textsOf('json')
  const shownIn = (text: string | undefined) => {
    const { requestId: _, ...shown } = JSON.parse(text ?? '')
    return shown
  }

  test('is what a refusal says', async () => {
    const answer = await api.alice.delete(`/v1/batch/${await batchIn('completed')}`)
    expect(answer.status).toBe(409)
    expect(answer.body).toEqual({ ...shownIn(refusal), requestId: expect.any(String) })
  })

  test('is what a request of many rows says', async () => {
    const events = ['ada@example.com', 'nobody'].map((contactEmail) => ({
      name: 'x',
      contactEmail,
    }))
    const answer = await api.alice.post('/v1/events/batch', { events })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject(shownIn(rows))
  })

  test.each([condition, winBack])('is a condition that a segment can have', async (text) => {
    await api.alice.post('/v1/topics', { name: 'News', slug: 'news' })
    const answer = await api.alice.post('/v1/segments/preview', { condition: shownIn(text) })
    expect([answer.status, answer.body.count]).toEqual([200, 0])
  })

  test('is a wait that a workflow can have', async () => {
    const step = { id: 'order', type: 'wait_for_event', name: 'Order', config: shownIn(wait) }
    const answer = await api.alice.post('/v1/workflows', smallFlow({ steps: [step] }))
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  })

  test('is the last of its kind', () => {
    expect(textsOf('json').length).toBe(5)
    expect(textsOf('ts').length).toBe(1)
    expect(
      blocks.map(({ language }) => language).filter((each) => !/^(?:sh|json|ts)$/.test(each)),
    ).toEqual([])
  })
})

test('an A/B test is refused where the guide says that too few would get a variant', async () => {
  const call = calls.find(({ body }) => body?.includes('abTest'))
  const connected = await connectAccount(api.charlie)
  expect(connected.created).toBe(true)
  const contacts = Array.from({ length: 99 }, (_, n) => ({ email: `reader-${n}@example.com` }))
  await api.charlie.post('/v1/contacts/batch', { contacts })
  const create = async (): Promise<Answer> =>
    api.charlie.post(BATCH.slice(5), JSON.parse(call?.body ?? ''))
  expect((await create()).status).toBe(400)
  await createContact(api.charlie, { email: 'the-hundredth@example.com' })
  expect((await create()).status).toBe(201)
})

test('the program of the guide runs', async () => {
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const [program = ''] = textsOf('ts')
  const [, names = ''] = /^import \{ ([^}]+) \} from 'letterloom-client'\n/.exec(program) ?? []
  const imported = names.split(', ')
  expect(imported.map((name) => name in clientPackage)).toEqual(imported.map(() => true))
  const said: number[] = []
  const known: Record<string, unknown> = {
    ...clientPackage,
    key: api.alice.key,
    id: await failedBatch(),
    console: { log: (count: number) => said.push(count) },
  }
  const body = program
    .replace(/^import .*\n/, '')
    .replace('http://127.0.0.1:3000', `http://127.0.0.1:${port}`)
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction(...Object.keys(known), body)(...Object.values(known))
  expect(said).toEqual([1])
})

/** An operation that a span of code names: `GET /v1/x/{id}?y=z {"a": …}`, or only its path. */
const NAMED =
  /^(?:(GET|POST|PUT|PATCH|DELETE) )?(…)?(\/(?:v1\/|tools)?[^\s?]*)(?:\?(\S+))?(?: (\{.*))?$/

/** Operations that a path may be about: what stands in braces is any part of it. */
function operationsAt(method: string | undefined, isEnd: boolean, path: string): Operation[] {
  const parts = path.replace(/[,.]$/, '').split('/').slice(1)
  return operations.filter((operation) => {
    const own = operation.path.split('/').slice(1)
    const compared = isEnd ? own.slice(-parts.length) : own
    return (
      (method === undefined || operation.method === method.toLowerCase()) &&
      compared.length === parts.length &&
      compared.every(
        (part, index) =>
          part.startsWith('{') || parts[index]?.startsWith('{') || part === parts[index],
      )
    )
  })
}

const named = spans.flatMap((span) => {
  const [, method, isEnd, path = '', query, body] = NAMED.exec(span) ?? []
  const isOurs = isEnd !== undefined || /^\/(?:v1\/|tools)/.test(path)
  return isOurs ? [{ span, method, isEnd: isEnd !== undefined, path, query, body }] : []
})

test('the files that set up an account are answered as the guide asks for them', async () => {
  const asked = named.filter(({ path }) => path.endsWith('/setup'))
  expect(asked.length).toBe(2)
  for (const { path, query } of asked) {
    const { status, text } = await api.alice.get(`${path.replace('{id}', connectionId)}?${query}`)
    expect([query, status, text]).toEqual([query, 200, expect.stringContaining('Resources')])
  }
})

test('the guide names many operations', () => {
  expect(named.length).toBeGreaterThan(40)
})

test.each(named)(
  '`$span` is there, and takes what it says',
  ({ method, isEnd, path, query, body }) => {
    const found = operationsAt(method, isEnd, path)
    expect(found.length).toBeGreaterThan(0)
    const given = [...new URLSearchParams(query ?? '').keys()]
    const fits = found.filter(({ parameters }) => {
      const own = parameters.filter((each) => each.in === 'query')
      const isKnown = given.every((name) => own.some((each) => each.name === name))
      const needed = own.filter(({ required }) => required)
      return isKnown && (query === undefined || needed.every(({ name }) => given.includes(name)))
    })
    expect(fits.length).toBeGreaterThan(0)
    const fields = [...(body ?? '').matchAll(/"(\w+)":/g)].map(([, field]) => field)
    const bodies = JSON.stringify(fits.map(({ requestBody }) => requestBody))
    expect(fields.filter((field) => !bodies.includes(`"${field}"`))).toEqual([])
  },
)

describe('a command of the guide', () => {
  const program = new Command('letterloom')
  for (const add of [
    addFlowCommands,
    addMetricsCommands,
    addOperatorCommands,
    addSegmentCommands,
    addTemplateCommands,
    addToolCommands,
  ]) {
    add(program)
  }
  const written = [
    ...commands.filter(([name]) => name === 'letterloom').map((words) => words.slice(1)),
    ...spans.filter((span) => /^letterloom \w/.test(span)).map((span) => span.split(' ').slice(1)),
  ]

  test('is one of many', () => {
    expect(written.length).toBeGreaterThan(6)
  })

  test.each(written.map((words) => ({ line: words.join(' '), words })))(
    '`$line` is there',
    ({ words }) => {
      let command = program
      let rest = words
      for (;;) {
        const next = command.commands.find((each) => each.name() === rest[0])
        if (!next) break
        command = next
        rest = rest.slice(1)
      }
      expect(command).not.toBe(program)
      expect(command.commands).toEqual([])
      const flags = rest.filter((word) => word.startsWith('--'))
      const known = command.options.map(({ long }) => long)
      expect(flags.filter((flag) => !known.includes(flag))).toEqual([])
      const values = flags.filter(
        (flag) => command.options.find(({ long }) => long === flag)?.required === true,
      )
      const given = rest.length - flags.length - values.length
      const needed = command.registeredArguments.filter(({ required }) => required)
      const most = command.registeredArguments.some(({ variadic }) => variadic)
        ? Number.POSITIVE_INFINITY
        : command.registeredArguments.length
      expect([given >= needed.length, given <= most]).toEqual([true, true])
    },
  )
})
