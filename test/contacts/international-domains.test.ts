import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evaluate } from '../../src/domain/audience/condition-eval.ts'
import type { Condition, Filter } from '../../src/domain/audience/condition.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { isAddress, normalAddress, readAddress } from '../../src/domain/text.ts'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'
import { importFile } from '../support/imports.ts'

/*
 * The domain of an address may be written in U-labels (`bücher.example`) or A-labels
 * (`xn--bcher-kva.example`, RFC 5890): it is one address, stored and mailed in A-labels.
 */

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const A = 'xn--bcher-kva.example'
const find = async (name: string) =>
  (await api.alice.get(`/v1/contacts/${encodeURIComponent(name)}`)).body

describe('an address', () => {
  test.each([
    ['ada@bücher.example', `ada@${A}`],
    [' Ada@BÜCHER.example ', `Ada@${A}`],
    ['ada@bu\u0308cher.example', `ada@${A}`],
    ['ada@bücher。example', `ada@${A}`],
    ['ada@XN--BCHER-KVA.example', `ada@${A}`],
    ['ada@faß.example', 'ada@xn--fa-hia.example'],
    ['ada@mail.例え.テスト', 'ada@mail.xn--r8jz45g.xn--zckzah'],
    ['ada@example.com', 'ada@example.com'],
  ])('%s is mailed as %s', (given, mailed) => {
    expect(readAddress(given)).toBe(mailed)
    expect(normalAddress(given)).toBe(mailed.toLowerCase())
  })

  test.each([
    'ada@xn--bücher.example', // half of each form
    'ada@xn--zzzzz999.example', // stands for nothing
    'ada@xn--.example',
    'ada@-bücher.example',
    'ada@bücher－.example',
    'ada@אa.example', // right-to-left and left-to-right in one label
    'ada@\u0301a.example', // begins with a mark
    'ada@１２７.０.０.１',
    'ada@bücher',
    'ada@bücher..example',
    'ada@bücher.example.',
    'ada@bücher.example/path',
    'ada@bücher.example:25',
    'ada@bü%63her.example',
    'ada@bü_cher.example',
    'ada@bü／cher.example',
    'ada@b@bücher.example',
    `ada@${'ü'.repeat(64)}.example`,
    `ada@${`${'ü'.repeat(40)}.`.repeat(6)}example`, // longer than 255 in A-labels
    'bücher@example.com', // a local part outside ASCII
    '\u212aate@example.com', // in small letters it would be ASCII
  ])('%s is none', (given) => {
    expect(isAddress(given)).toBe(false)
  })
})

describe('one contact, whichever form is given', () => {
  test('when it is created, changed, found and written in sets', async () => {
    const { id } = await createContact(api.alice, { email: 'one@bücher.example' })
    expect(await find(id)).toMatchObject({ email: `one@${A}` })
    expect(await find('one@bücher.example')).toMatchObject({ id })
    expect((await api.alice.post('/v1/contacts', { email: `one@${A}` })).status).toBe(409)

    const contacts = [{ email: `one@${A}` }, { email: 'one@Bücher.example', firstName: 'Ada' }]
    const { body } = await api.alice.post('/v1/contacts/batch', { contacts })
    expect(body.results).toMatchObject([{ id }, { id }])
    const other = await createContact(api.alice, { email: 'other@example.com' })
    const taken = await api.alice.patch(`/v1/contacts/${other.id}`, {
      email: 'one@bücher.example',
    })
    expect(taken.status).toBe(409)
    const { body: list } = await api.alice.get(
      `/v1/contacts?search=${encodeURIComponent('one@bücher.example')}`,
    )
    expect(list.contacts).toMatchObject([{ id }])
  })

  test('in imports of both kinds', async () => {
    const { id } = await createContact(api.alice, { email: `imported@${A}` })
    const csv = await importFile(api, api.alice, 'email,company\nimported@bücher.example,CSV\n')
    expect(csv).toMatchObject({ created: 0, updated: 1, failed: 0 })
    const row = JSON.stringify({ email: 'imported@BÜCHER.example', jobTitle: 'Poet' })
    const type = { 'content-type': 'application/x-ndjson' }
    const ndjson = await importFile(api, api.alice, row, {}, type)
    expect(ndjson).toMatchObject({ created: 0, updated: 1, failed: 0 })
    expect(await find(id)).toMatchObject({ company: 'CSV', jobTitle: 'Poet' })
  })

  test('in events', async () => {
    const { id } = await createContact(api.alice, { email: `event@${A}` })
    const { status, body } = await api.alice.post('/v1/events', {
      name: 'signed_up',
      contactEmail: 'event@bücher.example',
      createIfMissing: true,
    })
    expect([status, body.contactCreated]).toEqual([200, false])
    expect((await api.alice.get(`/v1/contacts/${id}/events`)).body.data).toHaveLength(1)
  })

  test('on the suppression list', async () => {
    const { id } = await createContact(api.alice, { email: `gone@${A}` })
    const path = `/v1/suppressions/${encodeURIComponent('gone@bücher.example')}`
    const input = { email: 'gone@bücher.example', reason: 'unsubscribed' }
    expect((await api.alice.post('/v1/suppressions', input)).body).toMatchObject({
      email: `gone@${A}`,
    })
    expect(await find(id)).toMatchObject({ emailStatus: 'unsubscribed' })
    expect((await api.alice.delete(path)).status).toBe(200)
  })

  test('in single mail, which goes to the A-labels', async () => {
    const { id } = await createContact(api.alice, { email: 'mailed@bücher.example' })
    await connectAccount(api.alice)
    const { status, body } = await api.alice.post('/v1/email/send', {
      to: 'mailed@bücher.example',
      from: 'Books <shop@bücher.example>',
      replyTo: 'help@bücher.example',
      subject: 'Receipt',
      html: '<p>Thanks</p>',
    })
    expect(status).toBe(202)
    expect((await api.alice.get(`/v1/email/${body.id}`)).body).toMatchObject({
      to: `mailed@${A}`,
      from: `Books <shop@${A}>`,
      replyTo: `help@${A}`,
    })
    const rows = await api.sql`select contact_id, recipient from messages where id = ${body.id}`
    expect(rows).toEqual([{ contactId: id, recipient: `mailed@${A}` }])
    const logs = `/v1/email/logs?recipient=${encodeURIComponent('mailed@bücher.example')}`
    expect((await api.alice.get(logs)).body.logs).toMatchObject([{ id: body.id }])
  })

  test('in conditions, whole or in part', async () => {
    await createContact(api.alice, { email: `asked@mail.${A}` })
    const filters: Omit<Filter, 'field'>[] = [
      { operator: 'equals', value: 'Asked@mail.bücher.example' },
      { operator: 'inList', value: ['nobody@example.com', 'asked@mail.BÜCHER.example'] },
      { operator: 'startsWith', value: 'asked@mail.bücher.' },
      { operator: 'endsWith', value: '@mail.bücher.example' },
      { operator: 'endsWith', value: '.bu\u0308cher.example' },
      { operator: 'contains', value: 'mail.bücher' },
    ]
    for (const filter of filters) {
      const groups = [{ filters: [{ field: 'email', ...filter }] }]
      const condition: Condition = { logic: 'AND', groups }
      const { body } = await api.alice.post('/v1/segments/preview', { condition })
      expect(body.count, JSON.stringify(filter)).toBe(1)
      const contact = { id: uuidv7(), properties: {}, email: `asked@mail.${A}` }
      expect(evaluate(condition, { contact, now: new Date().toISOString() })).toBe(true)
    }
  })

  test('in the personal data of an import report, in either form', async () => {
    const { id } = await createContact(api.alice, { email: 'reported@bücher.example' })
    const rows = ['reported@bücher.example', `reported@${A}`, 'unreported@bücher.example']
    const broken = rows.map((email) => JSON.stringify({ email, emailStatus: 'happy' })).join('\n')
    await importFile(api, api.alice, broken, {}, { 'content-type': 'application/x-ndjson' })
    const { body } = await api.alice.get(`/v1/contacts/${id}/export`)
    expect(body.importErrors.map(({ row }: { row: number }) => row)).toEqual([1, 2])
  })
})

test('a label in half of each form is refused by name', async () => {
  const { status, body } = await api.alice.post('/v1/contacts', { email: 'a@xn--bücher.example' })
  expect([status, body.details]).toEqual([
    422,
    [{ path: 'email', message: expect.stringContaining('must be an email address') }],
  ])
})
