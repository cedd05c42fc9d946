import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { connect, type Executor, type Sql, within } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { connectAs } from '../support/logins.ts'

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url, { name: 'pool-test', max: 4 })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** As a policy reads it: an error where the session was told nothing. */
const told = async (executor: Executor): Promise<string | undefined> => {
  const [row] = await executor<{ organization: string }[]>`
    select current_setting('letterloom.organization') as organization`
  return row?.organization
}

test('a thousand queries of fifty organizations at once each run under their own', async () => {
  const organizations = Array.from({ length: 50 }, uuidv7)
  const asked = Array.from({ length: 1_000 }, (_, i) => organizations[i % 50]!)
  const answers = await Promise.all(
    asked.map(async (organization, i) => {
      // Created now, awaited later: what counts is the moment it is handed over.
      const query = told(within(sql, organization))
      if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve, i % 7))
      return query
    }),
  )
  expect(answers).toEqual(asked)
})

test('transactions and single queries of several organizations do not meet', async () => {
  const organizations = Array.from({ length: 12 }, uuidv7)
  await Promise.all(
    organizations.flatMap((organization) => [
      within(sql, organization).begin(async (tx) => {
        expect(await told(tx)).toBe(organization)
        await tx`select pg_sleep(0.01)`
        expect(await told(tx)).toBe(organization)
        // Beside the transaction, on another connection.
        expect(await told(within(sql, organization))).toBe(organization)
      }),
      told(within(sql, organization)).then((seen) => expect(seen).toBe(organization)),
    ]),
  )
})

test('after an organization’s query, what runs on behalf of nobody is nobody’s', async () => {
  await Promise.all(Array.from({ length: 40 }, () => told(within(sql, uuidv7()))))
  const seen = await Promise.all(Array.from({ length: 40 }, () => told(sql)))
  expect(new Set(seen)).toEqual(new Set(['']))
  await sql.begin(async (tx) => expect(await told(tx)).toBe(''))
})

test('a lost connection is told again', async () => {
  const own = connect(database.url, { name: 'pool-killed', max: 4 })
  const organization = uuidv7()
  const bound = within(own, organization)
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 4 }, () => settled(bound)))
    const flying = Promise.allSettled(Array.from({ length: 50 }, () => told(bound)))
    await database.admin`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pool-killed'`
    // Nobody is told that there is no such row, or that we have a bug: the connection was lost.
    const ends = (await flying).map((end) =>
      end.status === 'fulfilled' ? end.value === organization : end.reason.code,
    )
    const allowed = [true, '57P01', 'CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE']
    expect(ends.filter((end) => !allowed.includes(end))).toEqual([])
    expect(await settled(bound)).toBe(organization)
  }
  await own.end()
})

/** Until the pool has found new connections. */
async function settled(executor: Executor): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await told(executor)
    } catch (error) {
      if (tries === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

test('a slow query is gone around', async () => {
  const slow = codeOf(sql`select pg_sleep(30)`)
  const quick = Promise.all(Array.from({ length: 200 }, () => told(sql))).then(
    () => 'quick' as const,
  )
  expect(await Promise.race([slow, quick])).toBe('quick')
  await database.admin`
    select pg_cancel_backend(pid) from pg_stat_activity
    where query = 'select pg_sleep(30)' and state = 'active'`
  expect(await slow).toBe('57014')
})

test('more transactions than connections wait for each other, and queries beside them do not', async () => {
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      sql.begin(async (tx) => {
        await tx`select pg_sleep(0.02)`
        await sql`select 1`
        return i
      }),
    ),
  )
  expect(results).toEqual(Array.from({ length: 20 }, (_, i) => i))
})

test('a refused query and a refused transaction leave the pool as it was', async () => {
  await expect(sql`select 1 / 0`).rejects.toThrow('division by zero')
  await expect(
    sql.begin(async (tx) => {
      await tx`create temporary table gone (id int)`
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  const [row] = await sql<{ there: boolean }[]>`select to_regclass('gone') is not null as there`
  expect(row).toEqual({ there: false })
  expect(await Promise.all(Array.from({ length: 20 }, () => told(sql)))).toHaveLength(20)
})

test('an error names the functions that asked', async () => {
  async function divides(): Promise<never> {
    await sql`select 1 / 0`
    throw new Error('it was answered')
  }
  const { stack } = await divides().catch((error: Error) => error)
  expect(stack).toMatch(/^PostgresError: division by zero\n[^]*at (?:async )?divides/)
})

test('a refused statement rolls back its transaction, caught or not', async () => {
  const names = async () =>
    (await sql<{ n: number }[]>`select n from kept order by n`).map(({ n }) => n)
  await sql`create table kept (n int)`
  await expect(
    sql.begin(async (tx) => {
      await tx`insert into kept values (1)`
      await tx`select 1 / 0`.catch(() => {})
    }),
  ).rejects.toThrow('division by zero')
  expect(await names()).toEqual([])

  const result = await sql.begin(async (tx) => {
    await tx`insert into kept values (2)`
    const inner = tx.savepoint(async (point) => {
      await point`insert into kept values (3)`
      await point`select 1 / 0`
    })
    await expect(inner).rejects.toThrow('division by zero')
    await tx.savepoint((point) => point`insert into kept values (4)`)
    // Asked for at once, they run one after the other.
    await Promise.all([5, 6, 7].map((n) => tx`insert into kept values (${n})`))
    return 'done'
  })
  expect(result).toBe('done')
  expect(await names()).toEqual([2, 4, 5, 6, 7])
})

test('a transaction whose connection is lost fails, and its handle does nothing afterwards', async () => {
  const own = connect(database.url, { name: 'pool-cut', max: 2 })
  let leaked: Executor | undefined
  const cut = own.begin(async (tx) => {
    leaked = tx
    await tx`select 1`
    await database.admin`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pool-cut'`
    await tx`create table never (n int)`
  })
  await expect(cut).rejects.toMatchObject({
    code: expect.stringMatching(/^(57P01|CONNECTION_\w+|ECONNRESET|EPIPE)$/),
  })
  await expect(leaked!`create table never (n int)`).rejects.toThrow('lost')
  const [row] = await own<{ there: boolean }[]>`select to_regclass('never') is not null as there`
  expect(row).toEqual({ there: false })
  await own.end()
})

test('fragments and helpers are part of whichever query they are put into', async () => {
  const one = sql`select ${1}::int as n`
  const rows = await within(sql, uuidv7())<{ n: number }[]>`
    ${one} union all select x from ${sql('unnested')} `.catch(() => 'no such table')
  expect(rows).toBe('no such table')
  const [row] = await sql<{ n: number }[]>`with q as (${one}) select n from q`
  expect(row).toEqual({ n: 1 })
})

test('ending lets what runs finish, refuses what has not begun, and waits no longer than told', async () => {
  const own = connect(database.url, { name: 'pool-ending', max: 3 })
  let begun = 0
  const order: string[] = []
  void own.begin(async (tx) => {
    await tx`select 1`
    begun++
    await new Promise(() => {})
  })
  const slow = own.begin(async (tx) => {
    await tx`select 1`
    begun++
    await tx`select pg_sleep(0.5)`
    return tx`select 1`.then(() => order.push('slow'))
  })
  const behind = own.begin((tx) => tx`select 1`)
  await until(async () => begun === 2)
  const ended = own.end({ timeout: 5 }).then(() => order.push('ended'))
  await expect(behind).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
  await Promise.all([slow, ended, own.end()])
  expect(order).toEqual(['slow', 'ended'])
  await until(async () => (await sessions('pool-ending')) === 0)
})

test('a pool ends whose server cuts a statement off meanwhile', async () => {
  const own = connect(database.url, { name: 'pool-ending-cut', max: 2 })
  const cut = codeOf(own`select pg_sleep(30)`)
  // Before it, a session has a statement of its own: cut off there, the query would be unsent.
  await until(async () => {
    const [row] = await database.admin<{ query: string }[]>`
      select query from pg_stat_activity
      where application_name = 'pool-ending-cut' and state = 'active'`
    return row?.query.includes('pg_sleep') === true
  })
  const ended = own.end({ timeout: 30 })
  await database.admin`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'pool-ending-cut'`
  await ended
  expect(await cut).toMatch(/^(57P01|CONNECTION_CLOSED)$/)
})

const codeOf = (query: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(query).then(
    () => 'answered',
    (error: { code: string }) => error.code,
  )

const sessions = async (name: string): Promise<number> => {
  const [row] = await database.admin<{ open: number }[]>`
    select count(*) as open from pg_stat_activity where application_name = ${name}`
  return row?.open ?? 0
}

test('a host that refuses is passed by, and where all refuse, so does the query', async () => {
  const { host } = new URL(database.url)
  const of = (hosts: string) => connect(database.url.replace(host, hosts), { name: 'pool-hosts' })
  const [some, none] = [of(`127.0.0.1:1,${host}`), of('127.0.0.1:1,127.0.0.1:1')]
  expect(await told(some)).toBe('')
  expect(await codeOf(none`select 1`)).toMatch(/^(CONNECTION_CLOSED|ECONNREFUSED)$/)
  await Promise.all([some.end(), none.end()])
})

test('a pool that has ended refuses queries', async () => {
  const own = connect(database.url, { name: 'ended', max: 2 })
  await own`select 1`
  await own.end()
  await expect(own`select 1`).rejects.toMatchObject({ code: 'CONNECTION_ENDED' })
  expect(() => within(within(sql, uuidv7()), uuidv7())).toThrow('bound')
})

test('a pool of searches is told to plan for short statements, zero included', async () => {
  const searcher = connectAs(database.url, { name: 'search', role: 'letterloom_search', max: 1 })
  const [row] = await searcher`
    select current_setting('max_parallel_workers_per_gather') as workers,
      current_setting('jit') as jit, current_setting('enable_seqscan') as seqscan`
  await searcher.end()
  expect(row).toEqual({ workers: '0', jit: 'off', seqscan: 'off' })
})
