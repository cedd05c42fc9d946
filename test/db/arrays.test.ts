import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readArray, writeArray } from '../../src/store/db/arrays.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const storable = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''))

test('any texts go to Postgres and come back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(storable), { maxLength: 8 }), async (texts) => {
      const [row] = await database.sql<{ texts: unknown; count: number }[]>`
        select ${texts}::text[] as texts, cardinality(${texts}::text[]) as count`
      expect(row).toEqual({ texts, count: texts.length })
    }),
    { numRuns: 200, examples: [[['NULL', 'null', '', '{}', 'a,b', '"', '\\', ' ', '\n', null]]] },
  )
})

test('numbers, booleans, ids, days and times come back as what they are', async () => {
  const [row] = await database.sql`
    select ${[1, -2]}::int[] as integers, ${[1.5, 2]}::float8[] as doubles,
      array[9007199254740991, null]::bigint[] as bigints, array[1, 2]::smallint[] as smallints,
      array[true, false, null] as booleans, array['2026-11-21'::date] as days,
      array['2026-11-21 10:00:00.12+00'::timestamptz(3)] as times,
      ${['01a1fe7f-57aa-77ea-b875-c7ad2caee552']}::uuid[] as uuids, '{}'::uuid[] as none`
  expect(row).toEqual({
    integers: [1, -2],
    doubles: [1.5, 2],
    bigints: [9_007_199_254_740_991, null],
    smallints: [1, 2],
    booleans: [true, false, null],
    days: ['2026-11-21'],
    times: ['2026-11-21T10:00:00.120Z'],
    uuids: ['01a1fe7f-57aa-77ea-b875-c7ad2caee552'],
    none: [],
  })
})

test('an array that was written already is left unchanged', () => {
  expect(writeArray('{a,b}')).toBe('{a,b}')
  expect(readArray(String)('{}')).toEqual([])
})

test('no array of the schema has a type that is not read', async () => {
  const unread = await database.sql<{ name: string }[]>`
    select distinct format_type(a.atttypid, a.atttypmod) as name
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and t.typcategory = 'A'
      and t.oid <> all (array[1000, 1005, 1007, 1009, 1016, 1022, 1182, 1185, 2951]::oid[])`
  expect(unread).toEqual([])
})
