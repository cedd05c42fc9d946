import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTACT_FIELDS, LINE_FIELDS } from '../../src/domain/contacts/contact-fields.ts'
import { updateContact } from '../../src/domain/flows/contact-update.ts'
import { columnName } from '../../src/store/db/sql.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { smallFlow } from '../support/flow-inputs.ts'
import { importFile } from '../support/imports.ts'

let api: Api
let templateId: string
beforeAll(async () => {
  api = await startApi()
  const template = { name: 'T', subject: 'S', source: '<p>{{ contact.firstName }}</p>' }
  templateId = (await api.alice.post('/v1/templates', template)).body.id
})
afterAll(() => api.close())

const preview = (contact: object) =>
  api.alice.post(`/v1/templates/${templateId}/preview`, { contact })
const flowThatSets = (set: object) =>
  smallFlow({ steps: [{ id: 's', type: 'update_contact', name: 'S', config: { set } }] })

describe.each(LINE_FIELDS)('%s', (field) => {
  const { most } = CONTACT_FIELDS[field]
  // Characters of two UTF-16 units each.
  const longest = '😀'.repeat(most)
  const tooLong = `${longest}😀`
  const email = `${field}@example.com`.toLowerCase()
  const blank = Object.fromEntries(LINE_FIELDS.map((name) => [name, null]))

  test(`has at most ${most} characters, whichever way it is written`, async () => {
    const { id } = await createContact(api.alice, { email })
    const write = async (value: string) => {
      const values = { [field]: value }
      const one = { email: `new-${email}`, ...values }
      await api.sql`delete from contacts where email = ${one.email}`
      const answers = [
        await api.alice.post('/v1/contacts', one),
        await api.alice.patch(`/v1/contacts/${id}`, values),
        await api.alice.put(`/v1/contacts/${id}`, { email, ...values }),
        await preview(values),
        await api.alice.post('/v1/workflows', flowThatSets(values)),
      ]
      const batch = await api.alice.post('/v1/contacts/batch', { contacts: [one] })
      const imported = await importFile(api, api.alice, `email,${field}\n${email},${value}\n`)
      const nobody = { ...blank, preferredChannel: null, properties: {} }
      const changed = updateContact(nobody as never, { set: values })
      return {
        statuses: answers.map(({ status }) => status),
        failed: [batch.body.failed, imported.failed],
        changed: 'after' in changed ? changed.after[field] : changed.reason,
      }
    }
    expect(await write(` ${longest} `)).toEqual({
      statuses: [201, 200, 200, 200, 201],
      failed: [0, 0],
      changed: longest,
    })
    expect(await write(tooLong)).toEqual({
      statuses: [422, 422, 422, 422, 400],
      failed: [1, 1],
      changed: 'field_refused',
    })
  })
})

test('a blank text is no value, in a contact, in a flow and in a preview', async () => {
  const { id } = await createContact(api.alice, { email: 'blank@example.com', firstName: 'Ada' })
  const { body } = await api.alice.patch(`/v1/contacts/${id}`, { firstName: ' ' })
  expect(body.firstName).toBeNull()
  const before = { firstName: 'Ada', lastName: null, preferredChannel: null, properties: {} }
  expect(updateContact(before as never, { set: { firstName: ' ' } })).toMatchObject({
    after: { firstName: null },
  })
  for (const firstName of ['', ' ', null]) {
    const shown = await preview({ firstName })
    expect(shown.body.problem).toMatchObject({ reason: 'missing_value' })
  }
  expect((await preview({ firstName: 'Ada' })).body.html).toContain('Ada')
})

test('the columns of the table are the columns of contacts that callers write', async () => {
  const rows = await api.admin<{ column: string }[]>`
    select column_name as column
    from information_schema.columns
    where table_name = 'contacts' and column_name <> all(${KEPT}::text[])`
  expect(rows.map(({ column }) => column).toSorted()).toEqual(
    Object.keys(CONTACT_FIELDS).map(columnName).toSorted(),
  )
})

/** Columns that callers do not write. */
const KEPT = [
  'organization_id',
  'id',
  'created_at',
  'updated_at',
  'resubscribed_at',
  'email_status_changed_at',
  'email_opted_out_at',
  'email_verified_at',
  'email_unsubscribed_at',
  'email_bounced_at',
  'email_complained_at',
  'email_suppressed_at',
  'sms_consented_at',
  'sms_opted_out_at',
]
