import { expect, test } from 'vitest'
import { buildSerializers } from '../../api/http/serializers.ts'

const ROUTE = { method: 'GET', url: '/a', httpStatus: '200' }
const stringIn = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
})

test('a schema is compiled once, for all routes of all apps, and another one by itself', () => {
  const [schema, other] = [stringIn('a'), stringIn('b')]
  const [compile, compileElsewhere] = [buildSerializers({}, {}), buildSerializers({}, {})]
  const serialize = compile({ ...ROUTE, schema })
  expect(compileElsewhere({ ...ROUTE, url: '/b', httpStatus: '404', schema })).toBe(serialize)
  expect(serialize({ a: 'x', b: 'y' })).toBe('{"a":"x"}')
  expect(compile({ ...ROUTE, schema: other })({ a: 'x', b: 'y' })).toBe('{"b":"y"}')
})
