import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, type Client, createContact, startApi } from '../support/api.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'

let api: Api
let client: Client
beforeAll(async () => {
  api = await startApi()
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Own', 'starter')`
  client = await api.client(id, ['full'])
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const people = [
    { at: at(3), n: 5, tag: 'ab' },
    { at: at(30).replace('Z', '+0000'), n: '7', tag: ['ab'] },
    { at: '11/26/2026', n: '1,000', tag: 5 },
    { at: '11/26/2026', n: 'many', tag: true },
    { at: 'soon', n: true, tag: { a: 1 } },
    { at: 1_795_000_000, n: '1,000', tag: '' },
    { at: ['2026-11-26'], n: 12, tag: null },
    { at: { deep: { er: 'x' } }, n: {}, tag: 5 },
    { at: '', n: '' },
    { other: 1 },
  ]
  for (const [i, properties] of people.entries()) {
    await createContact(client, { email: `p${i}@example.com`, properties })
  }
  await createContact(api.charlie, { email: 'p@example.com', properties: { at: 'theirs' } })
})
afterAll(() => api.close())

const preview = async (...filters: object[]) => {
  const condition = { logic: 'AND', groups: [{ filters }] }
  const { status, body } = await client.post('/v1/segments/preview', { condition })
  expect([status, body.code]).toEqual([200, undefined])
  return body
}

describe('a preview tells the values that an operator cannot read', () => {
  const times = ['11/26/2026', '', '1795000000']
  test.each<[object, number, string[]]>([
    [{ operator: 'withinNext', value: 7, unit: 'days' }, 7, times],
    [{ operator: 'within', value: 7, unit: 'days' }, 7, times],
    [{ operator: 'notWithin', value: 7, unit: 'days' }, 7, times],
    [{ operator: 'lessThan', value: 'now' }, 7, times],
    [{ operator: 'greaterThan', value: '2026-11-26' }, 7, times],
    [{ operator: 'greaterThan', value: 5, field: 'properties.n' }, 6, ['1,000', '', 'many']],
    [{ operator: 'contains', value: 'a', field: 'properties.tag' }, 4, ['5', 'true', '{"a": 1}']],
    [{ operator: 'startsWith', value: 'a', field: 'properties.tag' }, 5, ['5', '["ab"]', 'true']],
    [{ operator: 'withinNext', value: 7, unit: 'days', field: 'properties.at.deep.er' }, 1, ['x']],
  ])('%j: %d', async (more, count, examples) => {
    const filter = { field: 'properties.at', ...more }
    const { skippedValues } = await preview(filter)
    const { field, operator } = filter as { field: string; operator: string }
    expect(skippedValues).toEqual([{ field, operator, count, examples }])
  })

  test('and counts beside them whom it finds', async () => {
    const soon = { field: 'properties.at', operator: 'withinNext', value: 7, unit: 'days' }
    const { count, skippedValues } = await preview(soon)
    expect([count, skippedValues[0].count]).toEqual([1, 7])
  })

  test('each field once, though several filters ask it', async () => {
    const { skippedValues } = await preview(
      { field: 'properties.at', operator: 'greaterThan', value: '2026-01-01' },
      { field: 'properties.n', operator: 'lessThan', value: 5 },
      { field: 'properties.at', operator: 'lessThan', value: 'now' },
    )
    expect(skippedValues.map(({ field }: { field: string }) => field)).toEqual([
      'properties.at',
      'properties.n',
    ])
  })

  test('and nothing where every value can be read', async () => {
    const { skippedValues } = await preview(
      { field: 'properties.at', operator: 'equals', value: '11/26/2026' },
      { field: 'properties.at', operator: 'exists' },
      { field: 'createdAt', operator: 'within', value: 7, unit: 'days' },
      { field: 'properties.none', operator: 'greaterThan', value: 7 },
    )
    expect(skippedValues).toEqual([])
  })
})
