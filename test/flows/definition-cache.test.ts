import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDefinitionCache } from '../../src/store/flows/definition-cache.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedFlow, type SeededFlow } from '../support/flows.ts'
import { seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

let database: TestDatabase
let sql: Sql
let organizationId: string
/** Flows whose definitions were read from Postgres, in order. */
const read: unknown[] = []

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, {
    name: 'cache',
    role: 'letterloom_worker',
    max: 1,
    onQuery: (query, parameters) => {
      if (query.includes('from flow_versions')) read.push(parameters[1])
    },
  })
  organizationId = (await seedOrganization(sql)).organizationId
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const seed = (length: number) =>
  seedFlow(sql, organizationId, {
    steps: [{ id: 'mail', type: 'send_email', config: { html: 'x'.repeat(length) } }],
  })

it('reads a version once, and the one that was not asked for the longest again', async () => {
  const flows: SeededFlow[] = await Promise.all([seed(1_000), seed(1_000), seed(1_000)])
  const [one = '', two = '', three = ''] = flows.map(({ flowId }) => flowId)
  const cache = createDefinitionCache(3_000)
  const load = (flowId: string) => cache.load(sql, organizationId, flowId, 1)
  expect(await load(one)).toEqual(flows[0]?.definition)
  await load(two)
  await load(one)
  expect(read).toEqual([one, two])
  // There is room for two: what goes is `two`, since `one` was asked for after it.
  await load(three)
  await load(one)
  expect(read).toEqual([one, two, three])
  await load(two)
  expect(read).toEqual([one, two, three, two])
})

it('knows what there is not, and nobody else is given', async () => {
  const { flowId } = await seed(10)
  const cache = createDefinitionCache()
  expect(await cache.load(sql, organizationId, flowId, 1)).toBeDefined()
  expect(await cache.load(sql, organizationId, flowId, 2)).toBeUndefined()
  const stranger = (await seedOrganization(sql)).organizationId
  expect(await cache.load(sql, stranger, flowId, 1)).toBeUndefined()
})

it('keeps nothing that is larger than its room', async () => {
  const { flowId } = await seed(5_000)
  const cache = createDefinitionCache(3_000)
  read.length = 0
  for (let each = 0; each < 3; each++) await cache.load(sql, organizationId, flowId, 1)
  expect(read).toHaveLength(3)
})
