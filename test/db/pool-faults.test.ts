import { createServer, connect as dial, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { connect, type Executor, type Sql, within } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'

const CALLERS = 8
const STORM_MS = 3_000

let database: TestDatabase
const organizations = Array.from({ length: 6 }, uuidv7)

beforeAll(async () => {
  database = await createDatabase()
  await database.admin`create table marks (organization uuid, id uuid, seen text)`
})
afterAll(() => database.drop())

/** Marks rows for random organizations while whatever runs is cancelled. */
async function markInStorm(
  name: string,
  mark: (sql: Sql, organization: string, id: string) => Promise<unknown>,
): Promise<{ done: number; refused: string[] }> {
  const sql = connect(database.url, { name, max: 3 })
  const over = new AbortController()
  const refused: string[] = []
  let done = 0
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!over.signal.aborted) {
      const organization = organizations[Math.floor(Math.random() * organizations.length)]!
      const id = uuidv7()
      await mark(within(sql, organization), organization, id).then(
        () => done++,
        () => refused.push(id),
      )
    }
  })
  const end = Date.now() + STORM_MS
  while (Date.now() < end) {
    await database.admin`
      select pg_cancel_backend(pid) from pg_stat_activity where application_name = ${name}`
  }
  over.abort()
  await Promise.all(callers)
  await sql.end({ timeout: 1 })
  return { done, refused }
}

const insert = (sql: Executor, organization: string, id: string) => sql`
  insert into marks
  values (${organization}, ${id}, current_setting('letterloom.organization'))`

/** What is in the table after a storm, and how much of it should not be. */
async function marks(refused: readonly string[]) {
  const [row] = await database.admin<Record<string, number>[]>`
    select count(*) as kept, count(*) filter (where organization::text <> seen) as foreign,
      count(*) filter (where id = any(${refused}::uuid[])) as refused
    from marks`
  return row
}

test('during a storm of cancellations no query runs for another organization or after its refusal', async () => {
  await database.admin`truncate marks`
  const { done, refused } = await markInStorm('pool-storm', insert)
  expect(await marks(refused)).toEqual({ kept: done, foreign: 0, refused: 0 })
  // There was a storm, and something got through it.
  expect(Math.min(done, refused.length)).toBeGreaterThan(0)
})

test('during a storm of cancellations failed transactions leave nothing', async () => {
  await database.admin`truncate marks`
  const { done, refused } = await markInStorm('pool-storm-tx', (sql, organization, id) =>
    sql.begin(async (tx) => {
      await insert(tx, organization, id)
      await tx`select 1`
    }),
  )
  expect(await marks(refused)).toEqual({ kept: done, foreign: 0, refused: 0 })
  expect(Math.min(done, refused.length)).toBeGreaterThan(0)
})

test('a server that is gone without a word is given up, and another connection taken', async () => {
  const hole = await blackHole(new URL(database.url))
  const sql = connect(hole.url, { name: 'pool-hole', max: 2, statementTimeoutMs: 2_000 })
  await Promise.all([sql`select pg_sleep(0.1)`, sql`select pg_sleep(0.1)`])
  hole.swallow()
  const ends = await Promise.allSettled([sql`select 1`, sql`select 2`, sql`select 3`])
  // Two were on connections that answer nothing more; the third waited for a connection.
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  await sql.end({ timeout: 1 })
  hole.close()
})

test('a pool ends whose server is frozen, and leaves no socket open', async () => {
  const hole = await blackHole(new URL(database.url))
  const sql = connect(hole.url, { name: 'pool-frozen', max: 4 })
  await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.1)`))
  hole.swallow()
  const asked = Promise.allSettled([sql`select 1`])
  await sql.end({ timeout: 1 })
  expect(await asked).toMatchObject([{ reason: { code: 'CONNECTION_ENDED' } }])
  await until(async () => hole.held() === 0)
  hole.close()
})

test('a pool whose connecting hangs ends, and leaves no socket open', async () => {
  const hole = await blackHole(new URL(database.url))
  hole.swallow('all')
  const sql = connect(hole.url, { name: 'pool-unanswered', max: 2 })
  const asked = Promise.allSettled([sql`select 1`])
  await until(async () => hole.open() === 1)
  await sql.end({ timeout: 0 })
  expect(await asked).toMatchObject([{ reason: { code: expect.stringMatching(/^CONNECTION_/) } }])
  await until(async () => hole.held() === 0)
  hole.close()
})

/** Passes everything on until told to; then what is open hears nothing more. */
async function blackHole(target: URL) {
  const open = new Set<Socket>()
  let swallowed = new Set<Socket>()
  let swallowsAll = false
  // As of a frozen server: what is closed here stays half open there.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const postgres = dial(Number(target.port), target.hostname)
    open.add(client)
    if (swallowsAll) swallowed.add(client)
    client.on('end', () => swallowed.has(client) || client.end())
    client.on('close', () => open.delete(client))
    client.on('data', (data) => swallowed.has(client) || postgres.write(data))
    postgres.on('data', (data) => swallowed.has(client) || client.write(data))
    for (const socket of [client, postgres]) {
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy()
          postgres.destroy()
        })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    swallow: (which?: 'all') => {
      swallowed = new Set(open)
      swallowsAll = which === 'all'
    },
    open: () => open.size,
    /** How many the pool still holds: to one that is closed nothing can be written. */
    held: () => {
      for (const socket of open) socket.write('x')
      return open.size
    },
    close: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
