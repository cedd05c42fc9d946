import { afterAll, beforeAll, expect, test } from 'vitest'
import { LINE } from '../../src/domain/text.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, createContact, startApi } from '../support/api.ts'
import { HOSTILE } from '../support/conditions.ts'
import { sized } from '../support/size.ts'

/** Each is put around every hostile text. */
const AROUND: ((text: string) => string)[] = [
  (text) => text,
  ...['a', "'", '"', ')', "')", "'::text)", '\\', '$1', '%', '\0', '\ud800', '{', '[', ' '].map(
    (begin) => (text: string) => `${begin}${text}`,
  ),
  ...['a', "'", '"', ' --', '/*', '\\', '}', '\0', '\udc00', ' or true', '::int', ';select 1'].map(
    (end) => (text: string) => `${text}${end}`,
  ),
  (text) => `'${text}'`,
  (text) => `"${text}"`,
  (text) => `$$${text}$$`,
  (text) => `'); ${text}; --`,
  (text) => `E'${text}\\'`,
  (text) => `x.${text}.y`,
  (text) => text.repeat(Math.max(1, Math.floor(200 / text.length))),
]
const ALL = AROUND.flatMap((around) => HOSTILE.map(around))
const MOST = sized(HOSTILE.length, 2_000)
/** Evenly spread over all of them. */
const STRINGS = ALL.filter(
  (_, at) => Math.floor((at * MOST) / ALL.length) !== Math.floor(((at - 1) * MOST) / ALL.length),
)

/** A hostile text may take so many times as long as a harmless one of its length. */
const MOST_TIMES = 5
const FLOOR_MS = 30

let api: Api
let client: Client
let own: Set<Uuid>
beforeAll(async () => {
  api = await startApi()
  client = api.alice
  // In full size it asks more than a plan allows.
  await api.sql`
    insert into plan_overrides (organization_id, requests_per_minute)
    values (${client.organizationId}, 1000000)`
  own = new Set()
  for (const name of ['ada', 'bob', 'cleo']) {
    own.add((await createContact(client, { email: `${name}@example.com` })).id)
  }
  // A stranger who has what is asked for.
  for (const [at, company] of HOSTILE.entries()) {
    const email = `stranger-${at}@example.com`
    await createContact(api.charlie, { email, company, properties: { plan: company } })
  }
})
afterAll(() => api.close())

/** A condition that has the text wherever a caller's text can stand, and holds of nobody. */
const asking = (text: string) => ({
  logic: 'OR',
  groups: [
    { field: `properties.${text}`, operator: 'equals', value: text },
    { field: `properties.${text}`, operator: 'greaterThan', value: 5 },
    { field: `event.${text}`, operator: 'triggered' },
    { field: `event.${text}`, operator: 'triggeredAtLeast', value: 1 },
    { field: `event.${text}`, operator: 'triggeredWithin', value: 1, unit: 'days' },
    { field: 'topics', operator: 'hasTopic', value: text.slice(0, 100) },
    { field: 'properties.plan', operator: 'inList', value: ['x', text] },
    ...['equals', 'contains', 'startsWith', 'endsWith'].flatMap((operator) =>
      ['company', 'properties.plan'].map((field) => ({ field, operator, value: text })),
    ),
  ].map((filter) => ({ filters: [filter] })),
})
/** The same with operators that hold of everybody. */
const denying = (text: string) => ({
  logic: 'AND',
  groups: [
    {
      filters: [
        { field: `properties.${text}`, operator: 'notExists' },
        { field: `event.${text}`, operator: 'notTriggered' },
        { field: 'topics', operator: 'notHasTopic', value: text.slice(0, 100) },
        { field: 'company', operator: 'notInList', value: [text, 'x'] },
        { field: 'company', operator: 'notContains', value: text },
        { field: 'properties.plan', operator: 'notEquals', value: text },
      ],
    },
  ],
})

async function preview(condition: object) {
  const began = performance.now()
  const answer = await client.post('/v1/segments/preview', { condition, limit: 10 })
  return { ...answer, ms: performance.now() - began }
}

/** Whether it is no slower than a harmless text; a busy machine may be slow once. */
async function isQuick(text: string, ms: number): Promise<boolean> {
  for (let left = 4, latest = ms; left > 0; left--) {
    const harmless = await preview(asking('a'.repeat(text.length)))
    if (Math.max(latest, FLOOR_MS) / Math.max(harmless.ms, FLOOR_MS) <= MOST_TIMES) return true
    latest = (await preview(asking(text))).ms
  }
  return false
}

/** Those of which it holds, and the others. */
function split(texts: readonly string[], holds: (text: string) => boolean): [string[], string[]] {
  return [texts.filter(holds), texts.filter((text) => !holds(text))]
}

test(`no hostile text breaks out of a condition, is slow or finds a stranger`, async () => {
  expect(STRINGS.length).toBeGreaterThanOrEqual(HOSTILE.length)
  // Nothing has such a text, and no statement is asked about one.
  const [unstorable, storable] = split(STRINGS, (text) => /\p{Surrogate}|\0/u.test(text))
  for (const text of unstorable) {
    expect((await preview(asking(text))).status, JSON.stringify(text)).toBe(422)
  }
  for (const text of storable) {
    const shown = JSON.stringify(text)
    const found = await preview(asking(text))
    expect([found.status, found.body.count], `${shown}: ${found.text}`).toEqual([200, 0])
    expect(await isQuick(text, found.ms), `${shown} is slow: ${found.ms} ms`).toBe(true)
    const others = await preview(denying(text))
    expect([others.status, others.body.count], `${shown}: ${others.text}`).toEqual([200, own.size])
    expect(new Set(others.body.sample.map(({ id }: { id: Uuid }) => id)), shown).toEqual(own)
  }
}, 900_000)

test('no hostile text breaks out of a name, a description or a search', async () => {
  const isName = (text: string) => new RegExp(LINE).test(`x${text}`) && text.length < 100
  for (const text of STRINGS) {
    const shown = JSON.stringify(text)
    const condition = asking(text)
    const sent = { name: `x${text}`, description: text, condition }
    const made = await client.post('/v1/segments', sent)
    const isMade = isName(text) && made.status === 201
    const [right, wrong] = [{ ...sent, memberCount: 0 }, {}]
    expect(made.body, shown).toMatchObject(isMade ? right : wrong)
    expect(isMade ? [201] : [400, 422], `${shown}: ${made.text}`).toContain(made.status)
    const removed = isMade ? await client.delete(`/v1/segments/${made.body.id}`) : made
    expect(removed.status).toBe(isMade ? 200 : made.status)
    const query = encodeURIComponent(Buffer.from(text).toString())
    const listed = await client.get(`/v1/segments?search=${query}`)
    expect([200, 400], `${shown}: ${listed.text}`).toContain(listed.status)
    expect(listed.body.segments ?? []).toEqual([])
  }
  const left = await api.sql`select from segments where id <> ${uuidv7()}`
  expect(left.length).toBe(0)
}, 900_000)
