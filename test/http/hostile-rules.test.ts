import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectAccount, wasVerified } from '../support/api.ts'
import { flowInput, smallFlow, webhookConfig } from '../support/flow-inputs.ts'
import { type Target, watchedApi, type Watched } from '../support/hostile-target.ts'
import { RAW } from '../support/hostile.ts'
import { idOf } from '../support/matrix.ts'
import { partOf, sized, tenthOf } from '../support/size.ts'

// What fits a schema, and is dear to those who look at it afterwards.

const TIMEOUT_MS = 300_000
/** A thousand are as many as one request may have. */
const ROWS = sized(350, 1_000)
const ACCOUNT = '210987654321'

let watched: Watched
let webhookSecret: string
beforeAll(async () => {
  watched = await watchedApi()
  const connected = await connectAccount(watched.api.alice, { accountId: ACCOUNT })
  await wasVerified(watched.api.sql, connected.connectionId)
  webhookSecret = connected.webhookSecret
})
afterAll(() => watched.close())

const times = <T>(length: number, make: (n: number) => T): T[] =>
  Array.from({ length }, (_, n) => make(n))
const keys = <T>(count: number, make: (n: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, (n) => [`k${n.toString(36)}`, make(n)]))

async function targetOf(operationId: string): Promise<Target> {
  const operation = watched.operations.find((each) => each.operationId === operationId)
  if (!operation) throw new Error(`there is no operation ${operationId}`)
  return watched.targetOf(operation)
}

const step = (n: number, type: string, config: object) => ({
  id: `s${n}`,
  type,
  name: `S${n}`,
  config,
})
const waiting = { events: ['opened'], timeout: { amount: 1, unit: 'days' }, stepId: 's0' }
const mail = { from: 'a@example.com', subject: 'S', html: '<p>x</p>' }
const ways = (count: number, from: (n: number) => number, to: (n: number) => number) =>
  times(count, (n) => ({ from: `s${from(n)}`, to: `s${to(n)}` }))
const condition = (nested: unknown) => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'email', operator: 'exists' }], nested }],
})
const filters = (filter: object) => ({
  logic: 'AND',
  groups: [{ filters: times(100, () => filter) }],
})
const conditional = (given: object) =>
  smallFlow({ steps: [step(0, 'condition', { condition: given })], transitions: [] })

const FLOWS: Record<string, () => object> = {
  'a thousand empty steps': () => smallFlow({ steps: times(1_000, () => ({})) }),
  'two hundred empty steps': () => smallFlow({ steps: times(200, () => ({})) }),
  'two hundred steps of no type': () => smallFlow({ steps: times(200, (n) => step(n, 'x', {})) }),
  'a chain of the longest': () =>
    smallFlow({
      steps: times(200, (n) => step(n, 'update_contact', { set: { firstName: 'x' } })),
      transitions: ways(
        199,
        (n) => n,
        (n) => n + 1,
      ),
    }),
  'one loop through all': () =>
    smallFlow({
      steps: times(200, (n) => step(n, 'update_contact', { set: { firstName: 'x' } })),
      transitions: ways(
        200,
        (n) => n,
        (n) => (n + 1) % 200,
      ),
    }),
  'as many ways as may be': () =>
    smallFlow({
      steps: times(50, (n) =>
        step(n, 'split', { branches: times(20, (b) => ({ name: `b${b}`, weight: 1 })) }),
      ),
      transitions: times(1_000, (n) => ({
        from: `s${Math.floor(n / 20)}`,
        to: `s${(n * 7) % 50}`,
        branch: `b${n % 20}`,
      })),
    }),
  'waits for a mail far before': () =>
    smallFlow({
      steps: [
        step(0, 'send_email', mail),
        ...times(199, (n) => step(n + 1, 'wait_for_email_engagement', waiting)),
      ],
      transitions: times(199, (n) => ({
        from: `s${n}`,
        to: `s${n + 1}`,
        ...(n === 0 ? {} : { branch: 'opened' }),
      })),
    }),
  'steps of the same id': () =>
    smallFlow({
      steps: times(200, () => step(1, 'exit', { outcome: 'completed' })),
      transitions: [],
    }),
  'many headers': () =>
    smallFlow({
      steps: [step(0, 'webhook', { ...webhookConfig, headers: keys(60_000, () => 'x') })],
      transitions: [],
    }),
  'fifty headers of long names': () =>
    smallFlow({
      steps: [
        step(0, 'webhook', {
          ...webhookConfig,
          headers: Object.fromEntries(times(50, (n) => [`${'h'.repeat(15_000)}${n}`, 'x'])),
        }),
      ],
      transitions: [],
    }),
  'a long address of a webhook': () =>
    smallFlow({
      steps: [step(0, 'webhook', { ...webhookConfig, url: `https://${'a.'.repeat(1_000)}` })],
      transitions: [],
    }),
  'changes of long keys': () => {
    const changes = Object.fromEntries(
      times(100, (n) => [`properties.${'p'.repeat(1_500)}${n}`, n]),
    )
    const config = { set: changes, increment: changes, append: changes, remove: changes }
    return smallFlow({ steps: [step(0, 'update_contact', config)], transitions: [] })
  },
  'a condition of unknown keys': () => conditional(condition(keys(70_000, () => 1))),
  'a condition of too many filters': () =>
    conditional(condition({ logic: 'OR', groups: [{ filters: times(200_000, () => ({})) }] })),
  'a condition of too many groups': () =>
    conditional(condition({ logic: 'OR', groups: times(200_000, () => ({})) })),
  'a condition of wrong filters': () =>
    conditional(
      filters({
        field: `properties.${'x'.repeat(200)}`,
        operator: 'equals',
        value: keys(900, () => []),
      }),
    ),
  'a condition of long lists': () =>
    conditional(
      filters({ field: 'email', operator: 'inList', value: times(1_000, (n) => `${n}@e.x`) }),
    ),
  'a nest of conditions': () => {
    let nest: unknown = { logic: 'AND', groups: [] }
    for (let n = 0; n < 20; n++) nest = condition(nest)
    return conditional(nest as object)
  },
  'exits by many events': () =>
    flowInput({ settings: { exitOn: { events: times(50, (n) => `${'e'.repeat(250)}${n}`) } } }),
  'a long cron': () =>
    smallFlow({ triggerType: 'schedule', triggerConfig: { cron: '0-59/1,'.repeat(28) } }),
}

test.each(tenthOf(Object.keys(FLOWS).map((name, n) => [name, n] as const)))(
  'a workflow: %s',
  async (name, n) => {
    const body = FLOWS[name]?.() ?? {}
    const writes = [
      ['createWorkflow', body],
      ['pushWorkflows', { workflows: [{ slug: 'dear', ...body }] }],
    ] as const
    for (const [operation, sent] of partOf(writes, n, writes.length)) {
      await watched.hold(name, await targetOf(operation), JSON.stringify(sent))
    }
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

const CONTACTS: Record<string, (n: number) => object> = {
  telephones: (n) => ({ phone: `+49 (151) 1234-${String(n).padStart(4, '0')}` }),
  'numbers that are none': () => ({ phone: '+((((((1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1' }),
  'numbers in other digits': () => ({ phone: `+${'٤٩'.repeat(24)}` }),
  'topics that there are not': () => ({
    email: 'a@example.com',
    topicSlugs: times(400, (n) => `s${n}`),
  }),
  'deep properties': (n) => ({
    email: `d${n}@example.com`,
    properties: { a: { b: { c: { d: { e: { f: times(50, () => ({})) } } } } } },
  }),
  'too deep ones': (n) => ({
    email: `e${n}@example.com`,
    properties: { a: [[[[[[[[[[[[]]]]]]]]]]]] },
  }),
  'as many properties as may be': (n) => ({
    email: `f${n}@example.com`,
    properties: keys(300, () => 1),
  }),
  'unknown fields': () => keys(700, () => 1),
  'wrong types': () => ({ topicIds: times(900, () => 1), properties: [] }),
  'addresses that are none': () => ({ email: 'a@'.repeat(120) }),
  'text that cannot be stored': () => ({ topicSlugs: times(300, () => '\0') }),
  'the same address': () => ({ email: 'same@example.com', externalId: 'same' }),
}

test.each(tenthOf(Object.keys(CONTACTS)))(
  'many contacts: %s',
  async (name) => {
    const contacts = times(ROWS, (n) => CONTACTS[name]?.(n))
    await watched.hold(name, await targetOf('upsertContacts'), JSON.stringify({ contacts }))
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

const EVENTS: Record<string, (n: number) => object> = {
  'of nobody': () => ({ name: 'n' }),
  'of strangers': (n) => ({ name: 'n', contactEmail: `s${n}@example.com` }),
  'of new contacts': (n) => ({
    name: 'n',
    contactEmail: `n${n}@example.com`,
    createIfMissing: true,
    contactName: 'a '.repeat(100),
  }),
  'of times that are none': () => ({
    name: 'n',
    contactEmail: 'a@example.com',
    occurredAt: 't'.repeat(4_000),
  }),
  'of precise times': () => ({
    name: 'n',
    contactEmail: 'a@example.com',
    occurredAt: `2026-11-21T10:56:09.${'1'.repeat(4_000)}Z`,
  }),
  'with many properties': () => ({
    name: 'n',
    contactEmail: 'a@example.com',
    properties: keys(400, (n) => n),
  }),
  'of unknown fields': () => keys(700, () => 1),
  'that cannot be stored': () => ({ name: 'n', properties: keys(300, () => '\0') }),
  'with the same id': () => ({ name: 'n', contactEmail: 'a@example.com', eventId: 'same' }),
}

test.each(tenthOf(Object.keys(EVENTS)))(
  'many events: %s',
  async (name) => {
    const events = times(ROWS, (n) => EVENTS[name]?.(n))
    await watched.hold(name, await targetOf('ingestEvents'), JSON.stringify({ events }))
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

test(
  'many events, each with many filters of many workflows',
  async () => {
    const { api, hold, tooLong } = watched
    const value = times(300, (n) => `${n}`)
    const filter = {
      logic: 'OR',
      groups: times(100, () => ({
        filters: [{ field: 'event.properties.n', operator: 'inList', value }],
      })),
    }
    for (let n = 0; n < 5; n++) {
      const { status } = await api.alice.post('/v1/workflows', {
        ...smallFlow({ triggerType: 'event', triggerConfig: { eventName: 'filtered', filter } }),
        name: `Filtered ${n}`,
        enabled: true,
      })
      expect(status).toBe(201)
    }
    await api.alice.post('/v1/contacts', { email: 'filtered@example.com' })
    const event = {
      name: 'filtered',
      contactEmail: 'filtered@example.com',
      properties: { n: 'none of them' },
    }
    const events = times(ROWS, () => event)
    const target = await targetOf('ingestEvents')
    const answer = await hold('with filters', target, JSON.stringify({ events }))
    expect(answer.body.processed).toBe(ROWS)
    expect(tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

test(
  'delivery events from a sender who has the secret',
  async () => {
    const post = (payload: string) => ({
      method: 'POST' as const,
      url: `/webhooks/ses/${ACCOUNT}`,
      headers: { 'content-type': 'application/json', 'x-webhook-secret': webhookSecret },
      payload: Buffer.from(payload),
    })
    const bytes = 255 * 1024
    for (const [name, write] of tenthOf(Object.entries(RAW))) {
      const raw = write(bytes - 200)
      const envelope = `{"id":"e","account":"${ACCOUNT}","region":"eu-central-1","detail":{"x":${raw}}}`
      for (const payload of [raw, envelope]) {
        await watched.holdRequest(`an event: ${name}`, payload, () => post(payload))
      }
    }
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

const PIECES = ['topics=a&', '&', '=', '%', '%00', '%ff', 'a', '+', '--x\r\n', '\0']

test(
  'forms of the public pages',
  async () => {
    const { api } = watched
    for (const [kind, url] of [
      ['token', '/unsubscribe/'],
      ['preferencesToken', '/preferences/'],
    ] as const) {
      const token = await idOf(api, kind, 'own')
      for (const piece of tenthOf(PIECES)) {
        const payload = piece.repeat(65_000 / piece.length)
        for (const type of [
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
        ]) {
          await watched.holdRequest(`${url}, ${JSON.stringify(piece)} as ${type}`, payload, () => ({
            method: 'POST',
            url: `${url}${token}`,
            headers: { 'content-type': type },
            payload: Buffer.from(payload),
          }))
        }
      }
    }
    expect(watched.tooLong()).toEqual([])
  },
  TIMEOUT_MS,
)

describe('a file', () => {
  /** More than a row may have, and twenty of the pieces that are read at once. */
  const BYTES = 320 * 1024
  /** Of rows that each cost something: six of those pieces. */
  const ROW_BYTES = sized(96, 320) * 1024
  const of = (piece: string, bytes = BYTES) => piece.repeat(bytes / piece.length)
  const form = (text: string) =>
    `--x\r\ncontent-disposition: form-data; name="file"; filename="f.csv"\r\n\r\n${text}\r\n--x--\r\n`
  const FILES: Record<string, [type: string, text: string]> = {
    'short rows that are wrong': ['text/csv', `email\n${of('x\n', ROW_BYTES)}`],
    'empty rows': ['text/csv', `email\n${of('\n')}`],
    'rows of many cells': ['text/csv', `email\n${of(`${'x,'.repeat(20_000)}\n`)}`],
    'one row': ['text/csv', `email\n${of('x')}`],
    'a header of many columns': ['text/csv', of('c,')],
    'a quote that never ends': ['text/csv', `email\n"${of('x\n')}`],
    quotes: ['text/csv', `email\n${of('"",')}`],
    'doubled quotes': ['text/csv', `email\n"${of('""')}"`],
    'good rows': [
      'text/csv',
      `email,phone,plan\n${times(sized(6_000, 20_000), (n) => `r${n}@example.com,+4915112345678,x`).join('\n')}`,
    ],
    'columns of properties': [
      'text/csv',
      `email,${times(499, (n) => `p${n}`).join(',')}\n${of(`a@example.com${',x'.repeat(499)}\n`)}`,
    ],
    'lines that are no JSON': ['application/x-ndjson', of('x\n', ROW_BYTES)],
    'lines of empty objects': ['application/x-ndjson', of('{}\n', ROW_BYTES)],
    'a line that never ends': ['application/x-ndjson', of('[')],
    'long lines': [
      'application/x-ndjson',
      of(`{"properties":{${times(8_000, (n) => `"k${n}":1`).join(',')}}}\n`),
    ],
    'lines of many unknown keys': [
      'application/x-ndjson',
      of(`{${times(8_000, (n) => `"k${n}":1`).join(',')}}\n`),
    ],
    'NULs in lines': ['application/x-ndjson', of(`{"a":[${of('"\\u0000",', 60_000)}1]}\n`)],
    'a form': ['multipart/form-data; boundary=x', form(`email\n${of('x\n', ROW_BYTES)}`)],
    'boundaries that are none': ['multipart/form-data; boundary=x', form(of('\r\n--'))],
    'a header of a part that never ends': [
      'multipart/form-data; boundary=x',
      `--x\r\n${of('a: b\r\n')}`,
    ],
    'many parts': [
      'multipart/form-data; boundary=x',
      of('--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n'),
    ],
  }
  test.each(tenthOf(Object.keys(FILES)))(
    '%s',
    async (name) => {
      const { api } = watched
      const [type, text] = FILES[name] ?? ['', '']
      await api.sql`delete from imports`
      const answer = await watched.holdRequest(name, JSON.stringify(text), () => ({
        method: 'POST',
        url: '/v1/contacts/import',
        headers: { authorization: `Bearer ${api.alice.key}`, 'content-type': type },
        payload: Buffer.from(text),
      }))
      expect([202, 400, 409, 413]).toContain(answer.status)
      expect(watched.tooLong()).toEqual([])
    },
    TIMEOUT_MS,
  )
})
