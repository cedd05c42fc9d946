import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanLine } from '../../src/domain/text.ts'
import type { Json } from '../../src/store/db/sql.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, createContact, startApi } from '../support/api.ts'
import { importFile } from '../support/imports.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const exported = async (client: Client, query = '') =>
  (await client.get(`/v1/contacts/export${query}`)).text
const stored = (organizationId: Uuid) => api.sql`
  select * from contacts where organization_id = ${organizationId} order by id`

/** What spreadsheets, CSV and JSON each take for something else. */
const PIECES = [
  '=1+1',
  '＝',
  '＠',
  '+',
  '-',
  '@',
  "'",
  "''",
  '"',
  ',',
  ';',
  '\n',
  '\r\n',
  '\t',
  '\r',
  ' ',
  '\\',
  '🦔',
  'ß',
  '{}',
  '__proto__',
  'null',
  '0',
]
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 5 })), {
    maxLength: 6,
  })
  .map((parts) =>
    parts
      .join('')
      .slice(0, 90)
      .replace(/\p{Surrogate}|\0/gu, ''),
  )
const optional = nasty.map((text) => cleanLine(text) || null)
const person = fc.record({
  firstName: optional,
  lastName: optional,
  company: optional,
  jobTitle: optional,
  phone: fc.option(
    fc.integer({ min: 10_000_000, max: 99_999_999 }).map((n) => `+4915${n}`),
    {
      nil: null,
    },
  ),
  emailStatus: fc.constantFrom('active', 'unsubscribed', 'bounced', 'suppressed', 'complained'),
  properties: fc
    .dictionary(
      nasty,
      fc.oneof(
        nasty,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(nasty, { maxLength: 3 }),
      ),
      { maxKeys: 4 },
    )
    .map(inNfc),
})

/** Properties as every way in stores them. */
function inNfc(properties: Record<string, unknown>): Record<string, Json> {
  const made: Record<string, Json> = JSON.parse(JSON.stringify(properties).normalize('NFC'))
  return made
}

test('an export that is imported again changes nothing, whatever it contains', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(person, { selector: ({ phone }) => phone ?? {}, minLength: 1, maxLength: 12 }),
      fc.constantFrom('csv', 'ndjson'),
      async (people, format) => {
        const client = await newOrganization()
        const { organizationId } = client
        for (const [n, { properties, ...columns }] of people.entries()) {
          const email = `p${n}@example.com`
          await api.sql`insert into contacts ${api.sql({
            organizationId,
            id: uuidv7(),
            email,
            externalId: `=${n}`,
            ...columns,
            smsStatus: columns.phone === null ? null : 'opted_out',
            properties: api.sql.json(properties),
          })}`
        }
        const before = await stored(organizationId)
        const file = await exported(client, `?format=${format}`)
        const after = await importFile(api, client, file, { format })
        expect(after).toMatchObject({ rows: people.length, updated: people.length, failed: 0 })
        expect(await stored(organizationId)).toEqual(before)
      },
    ),
    { numRuns: 40 },
  )
})

async function newOrganization(): Promise<Client> {
  const id = uuidv7()
  await api.sql`insert into organizations ${api.sql({ id, name: 'Round trip', plan: 'enterprise' })}`
  return api.client(id, ['full'])
}

test('no cell of an export begins like a formula, and phone numbers stay as they are', async () => {
  const client = await newOrganization()
  await createContact(client, {
    email: '=cmd@example.com',
    phone: '+4915112345678',
    firstName: '@SUM(1)',
    lastName: "'quoted",
    company: '\tTab',
    jobTitle: '-1',
  })
  const [, line] = (await exported(client)).split('\r\n')
  expect(line).toContain(`"'=cmd@example.com","+4915112345678","'@SUM(1)","'quoted","Tab","'-1",`)
})

test('full width and line breaks begin no formula, and no separator of any country ends a cell', async () => {
  const client = await newOrganization()
  const names = { firstName: '＝1+1', lastName: '＠SUM(1)', company: '\n=1', jobTitle: 'a;=cmd()' }
  await api.sql`insert into contacts ${api.sql({
    organizationId: client.organizationId,
    id: uuidv7(),
    email: 'wide@example.com',
    properties: api.sql.json({ plus: '＋1', minus: '－1' }),
    ...names,
  })}`
  const text = await exported(client)
  expect(text).toContain(`"'＝1+1","'＠SUM(1)","'\n=1","a;=cmd()"`)
})

test('a line break in a cell ends no line, for whoever reads', async () => {
  const client = await newOrganization()
  const names = { firstName: 'a\n=cmd()', lastName: 'b\r@SUM(1)', company: 'c\r\n-1' }
  // As an earlier version stored them.
  await api.sql`insert into contacts ${api.sql({
    organizationId: client.organizationId,
    id: uuidv7(),
    email: 'lines@example.com',
    ...names,
  })}`
  const text = await exported(client)
  for (const name of Object.values(names)) expect(text).toContain(`"${name}"`)
})

test('an export has every contact once, newest first, through many pages', async () => {
  const client = await newOrganization()
  await api.sql`
    insert into contacts (organization_id, id, email)
    select ${client.organizationId}, gen_random_uuid(), 'n' || n || '@example.com'
    from generate_series(1, 2500) as n`
  const lines = (await exported(client, '?format=ndjson')).trim().split('\n')
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id)
  expect(new Set(ids).size).toBe(2_500)
  expect(ids).toEqual(ids.toSorted().toReversed())
})

test('the filters of the list hold; other organizations are not in it', async () => {
  await createContact(api.alice, { email: 'active@example.com' })
  await createContact(api.alice, { email: 'gone@example.com', emailStatus: 'unsubscribed' })
  await createContact(api.charlie, { email: 'foreign@example.com', emailStatus: 'unsubscribed' })
  const text = await exported(api.alice, '?emailStatus=unsubscribed')
  expect(text).toContain('gone@example.com')
  expect(text).not.toContain('active@example.com')
  expect(text).not.toContain('foreign@example.com')
})

test('reading contacts is not enough to export them, and each export is noted', async () => {
  const reader = await api.client(api.alice.organizationId, ['read'])
  expect((await reader.get('/v1/contacts/export')).status).toBe(403)
  await exported(api.alice, '?format=ndjson')
  const { data } = (await api.alice.get('/v1/audit-events?action=contacts.exported&limit=1')).body
  expect(data[0]).toMatchObject({ detail: { format: 'ndjson' } })
})
