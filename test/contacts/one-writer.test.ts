import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUpdateContact } from '../../activities/flows/steps/update-contact.ts'
import { MOST_PROPERTIES } from '../../src/domain/contacts/properties.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { importFile } from '../support/imports.ts'
import { seedExecution, seedExitFlow, visit } from '../support/waiting.ts'

/*
 * One table of inputs goes through every way in which a contact is written: the same row, the same
 * refusals, the same words for what was kept.
 */

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

type Body = Record<string, unknown>

/** What came of a write. */
interface Outcome {
  /** Null: it was written. */
  refusal: string | null
  emailStatusKept: boolean
  /** Undefined: this way has no place for it. */
  smsStatusKept: boolean | undefined
}
type Way = (contact: { id: string; email: string }, body: Body) => Promise<Outcome>

const ndjson = { 'content-type': 'application/x-ndjson' }
const linesOf = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')
const importRows = (rows: readonly object[]) =>
  importFile(api, api.alice, linesOf(rows), {}, ndjson)

const single = ({ status, body }: { status: number; body: Body }): Outcome => ({
  refusal: status < 300 ? null : String(body['error']),
  emailStatusKept: body['emailStatusKept'] === true,
  smsStatusKept: body['smsStatusKept'] === true,
})

const patch: Way = async ({ id }, body) => single(await api.alice.patch(`/v1/contacts/${id}`, body))
const batch: Way = async ({ email }, body) => {
  const answer = await api.alice.post('/v1/contacts/batch', { contacts: [{ email, ...body }] })
  const [row] = answer.body.results
  return {
    refusal: row.error ?? null,
    emailStatusKept: row.emailStatusKept === true,
    smsStatusKept: row.smsStatusKept === true,
  }
}
const importing: Way = async ({ email }, body) => {
  const { id, failed, emailStatusKept } = await importRows([{ email, ...body }])
  const report: string = (await api.alice.get(`/v1/contacts/imports/${id}/errors`)).text
  return {
    refusal: failed === 0 ? null : report,
    emailStatusKept: emailStatusKept === 1,
    smsStatusKept: undefined,
  }
}
/** Writes fields and properties; nothing that says who the contact is or what they consent to. */
const flowStep: Way = async ({ id: contactId }, { properties = {}, ...fields }) => {
  const { organizationId } = api.alice
  const flowId = await seedExitFlow(api.sql, organizationId)
  const executionId = await seedExecution(api.sql, { organizationId, flowId, contactId })
  const named = Object.entries(properties as Body).map(([key, value]) => [
    `properties.${key}`,
    value,
  ])
  const set = { ...fields, ...(Object.fromEntries(named) as Body) }
  const handler = createUpdateContact({ keyring: api.deps.keyring })
  const step = { id: 'set', name: 'Set', type: 'update_contact', config: { set } } as const
  const seed = { sql: api.sql, organizationId, executionId, contactId }
  const outcome = await visit({ ...seed, handler, step })
  return {
    refusal: 'error' in outcome ? outcome.error : null,
    emailStatusKept: false,
    smsStatusKept: undefined,
  }
}
const WAYS: Record<string, Way> = { patch, batch, import: importing, 'flow step': flowStep }

const storedOf = async (email: string) => {
  const [row] = await api.sql<Record<string, unknown>[]>`
    select first_name, company, phone, email_status, sms_status, properties,
      email_unsubscribed_at is not null as left, email_bounced_at is not null as bounced,
      sms_consented_at is not null as consented, sms_opted_out_at is not null as opted_out,
      resubscribed_at is not null as resubscribed
    from contacts
    where organization_id = ${api.alice.organizationId} and email = ${email}`
  return row
}

const keys = (count: number, prefix = 'k'): Body =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, n]))
const deep = (levels: number): Body => (levels === 1 ? { a: 1 } : { a: deep(levels - 1) })

interface Case {
  name: string
  before?: Body
  given: Body
  /** What is stored then; as before where it is refused. */
  after?: Body
  refusal?: string
  emailStatusKept?: true
  smsStatusKept?: true
}
/** Another for each contact, since no two have the same. */
const NUMBER = 'number'
const ANOTHER_NUMBER = 'another number'

const CASES: Case[] = [
  {
    name: 'null takes a property away',
    before: { properties: { a: 1, b: 2 } },
    given: { properties: { a: null } },
    after: { properties: { b: 2 } },
  },
  {
    name: 'null of a property that is not there is nothing',
    before: { properties: { a: 1 } },
    given: { properties: { none: null, b: 2 } },
    after: { properties: { a: 1, b: 2 } },
  },
  {
    name: 'properties are merged one level deep',
    before: { properties: { a: { x: 1 }, b: [1] }, firstName: 'Ada' },
    given: { properties: { a: { y: 2 } }, company: 'Engines' },
    after: { properties: { a: { y: 2 }, b: [1] }, firstName: 'Ada', company: 'Engines' },
  },
  {
    name: 'properties that would be too many together are refused',
    before: { properties: keys(300, 'old') },
    given: { properties: keys(300, 'new'), firstName: 'Lost' },
    after: { properties: keys(300, 'old') },
    refusal: `properties must not have more than ${MOST_PROPERTIES} keys`,
  },
  {
    name: 'properties that would be too long together are refused',
    before: { properties: { old: 'x'.repeat(20_000) } },
    given: { properties: { new: 'x'.repeat(20_000) } },
    after: { properties: { old: 'x'.repeat(20_000) } },
    refusal: 'properties must not be longer than 32768 characters as JSON',
  },
  {
    name: 'properties that are nested too deeply are refused',
    given: { properties: { a: deep(8) } },
    refusal: 'properties must not be nested deeper than 8',
  },
  {
    name: 'as many properties as may be, with others taken away',
    before: { properties: keys(MOST_PROPERTIES) },
    given: { properties: { k0: null, more: 1 } },
    after: { properties: { ...keys(MOST_PROPERTIES), k0: undefined, more: 1 } },
  },
  {
    name: 'without a number there is no status of text messages',
    given: { smsStatus: 'opted_in' },
    after: { smsStatus: null, consented: false },
  },
  {
    name: 'a number awaits consent',
    given: { phone: NUMBER },
    after: { phone: NUMBER, smsStatus: 'pending_consent' },
  },
  {
    name: 'consent is dated',
    before: { phone: NUMBER },
    given: { smsStatus: 'opted_in' },
    after: { phone: NUMBER, smsStatus: 'opted_in', consented: true },
  },
  {
    name: 'who opted out of text messages stays so, and it is told',
    before: { phone: NUMBER, smsStatus: 'opted_out' },
    given: { smsStatus: 'opted_in', firstName: 'Ada' },
    after: { phone: NUMBER, smsStatus: 'opted_out', optedOut: true, firstName: 'Ada' },
    smsStatusKept: true,
  },
  {
    name: 'a person who opted out is resubscribed if the caller vouches for them',
    before: { phone: NUMBER, smsStatus: 'opted_out' },
    given: { smsStatus: 'opted_in', resubscribe: true },
    after: { phone: NUMBER, smsStatus: 'opted_in', optedOut: true, consented: true },
  },
  {
    name: 'another number begins anew',
    before: { phone: NUMBER, smsStatus: 'opted_out' },
    given: { phone: ANOTHER_NUMBER },
    after: { phone: ANOTHER_NUMBER, smsStatus: 'pending_consent' },
  },
  {
    name: 'who left stays away, and it is told',
    before: { emailStatus: 'unsubscribed' },
    given: { emailStatus: 'active', firstName: 'Ada' },
    after: { emailStatus: 'unsubscribed', left: true, firstName: 'Ada' },
    emailStatusKept: true,
  },
  {
    name: 'a person who unsubscribed is resubscribed if the caller vouches for them',
    before: { emailStatus: 'unsubscribed' },
    given: { emailStatus: 'active', resubscribe: true },
    after: { left: true, resubscribed: true },
  },
  {
    name: 'a worse status is dated',
    before: { emailStatus: 'unsubscribed' },
    given: { emailStatus: 'bounced' },
    after: { emailStatus: 'bounced', left: true, bounced: true },
  },
]

const saying = (refusal: string | undefined): unknown =>
  refusal === undefined ? null : expect.stringContaining(refusal)

const UNTOUCHED = {
  firstName: null,
  company: null,
  phone: null,
  emailStatus: 'active',
  smsStatus: null,
  properties: {},
  left: false,
  bounced: false,
  consented: false,
  optedOut: false,
  resubscribed: false,
}

let people = 0
const newPerson = () => {
  const n = ++people
  const email = `one-${n}@example.com`
  const numbers: Record<string, string> = {
    [NUMBER]: `+4915${10_000_000 + n}`,
    [ANOTHER_NUMBER]: `+4915${20_000_000 + n}`,
  }
  const filled = (body: Body): Body => {
    const number = numbers[String(body['phone'])]
    return number === undefined ? body : { ...body, phone: number }
  }
  return { email, filled }
}

/** Says something that a flow does not write. */
const isBeyondFlows = ({ given }: Case) =>
  ['phone', 'emailStatus', 'smsStatus'].some((field) => field in given)

describe.each(Object.entries(WAYS))('%s', (wayName, way) => {
  const fitting = CASES.filter((each) => wayName !== 'flow step' || !isBeyondFlows(each))
  test.each(fitting)('$name', async ({ before = {}, given, after, ...told }) => {
    const { email, filled } = newPerson()
    const { id } = await createContact(api.alice, { email, ...filled(before) })
    const outcome = await way({ id, email }, filled(given))
    const { refusal, emailStatusKept = false, smsStatusKept = false } = told
    expect(outcome).toEqual({
      refusal: saying(refusal),
      emailStatusKept,
      smsStatusKept: outcome.smsStatusKept === undefined ? undefined : smsStatusKept,
    })
    expect(await storedOf(email)).toEqual({ ...UNTOUCHED, ...filled(after ?? {}) })
  })
})

const NEW: Record<string, (email: string, body: Body) => Promise<Outcome>> = {
  create: async (email, body) => single(await api.alice.post('/v1/contacts', { email, ...body })),
  put: async (email, body) => {
    const { id } = await createContact(api.alice, {
      email,
      firstName: 'Gone',
      properties: { x: 1 },
    })
    return single(await api.alice.put(`/v1/contacts/${id}`, { email, ...body }))
  },
  batch: (email, body) => batch({ id: '', email }, body),
  import: (email, body) => importing({ id: '', email }, body),
}

describe.each(Object.entries(NEW))('a whole contact by %s', (_name, write) => {
  test.each<[string, Body, Body]>([
    [
      'keeps no property that is null',
      { properties: { a: null, b: [null] } },
      {
        properties: { b: [null] },
      },
    ],
    ['has no status of text messages without a number', { smsStatus: 'opted_in' }, {}],
    [
      'has the given statuses, dated',
      { phone: NUMBER, smsStatus: 'opted_in', emailStatus: 'bounced' },
      {
        phone: NUMBER,
        smsStatus: 'opted_in',
        consented: true,
        emailStatus: 'bounced',
        bounced: true,
      },
    ],
  ])('%s', async (_what, given, after) => {
    const { email, filled } = newPerson()
    const outcome = await write(email, filled(given))
    expect(outcome.refusal).toBeNull()
    expect(await storedOf(email)).toEqual({ ...UNTOUCHED, ...filled(after) })
  })
})

describe('several rows of one contact in one set', () => {
  const rows = [
    { properties: { a: 1, b: 2 } },
    { properties: { a: null, c: 3 }, firstName: 'Ada' },
    { properties: keys(MOST_PROPERTIES - 1), firstName: 'Refused' },
    { properties: { d: 4 }, company: 'Engines' },
  ]
  const after = { properties: { b: 2, c: 3, d: 4 }, firstName: 'Ada', company: 'Engines' }

  test('a batch applies them in order and keeps all but the one that is too much', async () => {
    const { email } = newPerson()
    const contacts = rows.map((row) => ({ email, ...row }))
    const { body } = await api.alice.post('/v1/contacts/batch', { contacts })
    expect(body).toMatchObject({ success: false, created: 1, updated: 2, failed: 1 })
    expect(body.results[2]).toMatchObject({ index: 2, error: expect.stringContaining('500 keys') })
    expect(await storedOf(email)).toEqual({ ...UNTOUCHED, ...after })
  })

  test('an import does the same', async () => {
    const { email } = newPerson()
    const done = await importRows(rows.map((row) => ({ email, ...row })))
    expect(done).toMatchObject({ status: 'completed', created: 1, updated: 2, failed: 1 })
    expect(await storedOf(email)).toEqual({ ...UNTOUCHED, ...after })
  })
})

test('a row that is too much fails alone, and its neighbours are kept', async () => {
  const people = [newPerson(), newPerson(), newPerson()].map(({ email }) => email)
  const full = people[1]!
  await createContact(api.alice, { email: full, properties: keys(MOST_PROPERTIES) })
  const contacts = people.map((email) => ({ email, firstName: 'Ada', properties: { more: 1 } }))
  const { body } = await api.alice.post('/v1/contacts/batch', { contacts })
  expect(body).toMatchObject({ created: 2, updated: 0, failed: 1 })
  expect(await storedOf(full)).toEqual({ ...UNTOUCHED, properties: keys(MOST_PROPERTIES) })
  expect(await storedOf(people[2]!)).toMatchObject({ firstName: 'Ada', properties: { more: 1 } })
})

test('concurrent writers lose no property, and the limit holds', async () => {
  const ROUNDS = 4
  for (let round = 0; round < ROUNDS; round++) {
    const { email } = newPerson()
    const properties = keys(MOST_PROPERTIES - 30)
    const { id } = await createContact(api.alice, { email, properties })
    const writers = Array.from({ length: 12 }, (_, n) => {
      const way = Object.values(WAYS)[n % 4]!
      const added = keys(5, `w${n}-`)
      return way({ id, email }, { properties: added }).then(({ refusal }) => ({ refusal, added }))
    })
    const written = await Promise.all(writers)
    const kept = written.filter(({ refusal }) => refusal === null)
    expect(kept).toHaveLength(6)
    const stored = await storedOf(email)
    expect(stored?.['properties']).toEqual(
      Object.assign({ ...properties }, ...kept.map(({ added }) => added)),
    )
  }
})
