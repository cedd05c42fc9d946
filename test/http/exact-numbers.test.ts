import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resultOf } from '../../activities/flows/steps/webhook-answer.ts'
import {
  findInexactNumbers,
  isExactNumber,
  withExactNumbers,
} from '../../src/domain/json-numbers.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { importFile } from '../support/imports.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const TOO_LONG = 'is a number that cannot be stored exactly. Send it as a string'

describe('a number', () => {
  test.each([
    '0',
    '-0',
    '-0.0',
    '0.1',
    '49.90',
    '1e5',
    '1E+5',
    '100000e-5',
    '9007199254740991',
    '9007199254740992',
    '-9007199254740994',
    '18014398509481984',
    '1000000000000000000000',
    '1e23',
    '1.7976931348623157e308',
    '5e-324',
    '123456789012345.67',
    '3.141592653589793',
    '0.30000000000000004',
    // As programs write a double that print 17 digits.
    '0.10000000000000001',
    '3.1415926535897931',
    '0.0000',
    '1.50000000000000000000',
  ])('%s is kept', (written) => {
    expect(isExactNumber(written)).toBe(true)
    expect(findInexactNumbers(`{"a":${written}}`, 9)).toEqual([])
  })

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '9007199254740993e0',
    '0.9007199254740993e16',
    '12345678901234567890',
    '1e400',
    '-1E400',
    '1e-400',
    '4e-324',
    '0.1234567890123456789',
    '3.14159265358979323846',
    '1234567890123456.78',
    '1'.repeat(500),
  ])('%s is not', (written) => {
    expect(isExactNumber(written)).toBe(false)
    const text = `{"a":[1,{"b":"9007199254740993, 9007199254740993"},{"c" : ${written}}]}`
    expect(findInexactNumbers(text, 9).map(({ keys }) => keys)).toEqual([['a', 2, 'c']])
  })

  test('that JavaScript writes is kept, wherever it stands', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(isExactNumber(JSON.stringify(number))).toBe(true)
        expect(isExactNumber(number.toPrecision(17)) || Number.isInteger(number)).toBe(true)
      }),
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(findInexactNumbers(text, 9)).toEqual([])
        expect(withExactNumbers(text)).toBe(text)
        const put = `{"x":${text},"y":[${text},9007199254740993]}`
        expect(findInexactNumbers(put, 9).map(({ keys }) => keys)).toEqual([['y', 1]])
        expect(JSON.parse(withExactNumbers(put))).toEqual({
          x: JSON.parse(text),
          y: [JSON.parse(text), '9007199254740993'],
        })
      }),
    )
  })
})

const send = (url: string, payload: string) =>
  api.alice.send({ method: 'POST', url, headers: { 'content-type': 'application/json' }, payload })

test.each([
  [
    '/v1/contacts',
    '{"email":"n@x.example","properties":{"crm":9007199254740993}}',
    'properties.crm',
  ],
  ['/v1/contacts', '{"email":"n@x.example","properties":{"a":[{"b":1e999}]}}', 'properties.a[0].b'],
  [
    '/v1/events',
    '{"name":"n","contactEmail":"n@x.example","properties":{"id":12345678901234567890}}',
    'properties.id',
  ],
  [
    '/v1/segments/preview',
    '{"condition":{"logic":"AND","groups":[{"filters":[{"field":"properties.a","operator":"equals","value":9007199254740993}]}]}}',
    'condition.groups[0].filters[0].value',
  ],
])('%s with such a number is refused with its path: %s', async (url, payload, path) => {
  const { status, body } = await send(url, payload)
  expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED'])
  expect(body.details).toEqual([{ path, message: TOO_LONG }])
})

test('only the row with the number fails, and names its place', async () => {
  const rows =
    '{"contacts":[{"email":"good@x.example"},{"email":"bad@x.example","properties":{"id":9007199254740993}}]}'
  const { status, body } = await send('/v1/contacts/batch', rows)
  expect([status, body.created, body.failed]).toEqual([200, 1, 1])
  expect(body.errorDetails[0]).toMatchObject({
    index: 1,
    code: 'VALIDATION_FAILED',
    details: [{ path: 'contacts[1].properties.id', message: TOO_LONG }],
  })
  expect((await api.alice.get('/v1/contacts/bad@x.example')).status).toBe(404)

  const { id } = await createContact(api.alice, { email: 'events@x.example' })
  const events = `{"events":[{"name":"n","contactId":"${id}","properties":{"x":1e400}},{"name":"n","contactId":"${id}"}]}`
  const told = await send('/v1/events/batch', events)
  expect(told.body).toMatchObject({ processed: 1, errorDetails: [{ index: 0 }] })
  expect(told.body.errorDetails[0].message).toContain('events[0].properties.x is a number')
})

test('a row of a file fails alone, and what is kept is what was sent', async () => {
  const ndjson = [
    '{"email":"n1@x.example","properties":{"id":9007199254740993}}',
    '{"email":"n2@x.example","properties":{"id":9007199254740992,"text":"9007199254740993"}}',
  ].join('\n')
  const type = { 'content-type': 'application/x-ndjson' }
  const lines = await importFile(api, api.alice, ndjson, {}, type)
  expect(lines).toMatchObject({ created: 1, failed: 1 })
  const report = await api.alice.get(`/v1/contacts/imports/${lines.id}/errors`)
  expect(report.text).toContain(`properties.id ${TOO_LONG}`)
  const { properties } = (await api.alice.get('/v1/contacts/n2@x.example')).body
  expect(properties).toEqual({ id: 9007199254740992, text: '9007199254740993' })

  const csv =
    'email,crm,properties\nc1@x.example,9007199254740993,\nc2@x.example,,"{""a"":{""id"":1e999}}"\n'
  const cells = await importFile(api, api.alice, csv)
  expect(cells).toMatchObject({ created: 1, failed: 1 })
  expect((await api.alice.get('/v1/contacts/c1@x.example')).body.properties).toEqual({
    crm: '9007199254740993',
  })
  expect((await api.alice.get(`/v1/contacts/imports/${cells.id}/errors`)).text).toContain(
    `properties.a.id ${TOO_LONG}`,
  )
})

test('in the answer of a webhook such a number is kept as a text', () => {
  const body = Buffer.from('{"order":9007199254740993,"total":49.9}')
  const url = 'https://hooks.example'
  const answer = { url, status: 200, headers: new Map<string, string>(), body, isCut: false }
  expect(resultOf(answer)).toEqual({
    status: 200,
    body: { order: '9007199254740993', total: 49.9 },
  })
})
