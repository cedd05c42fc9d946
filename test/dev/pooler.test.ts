import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../src/main/dev/ports.ts'
import { serverUser } from '../../src/main/dev/postgres-user.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { keepsSessions } from '../../src/store/db/kept-sessions.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { connect, within } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { until } from '../support/engine.ts'
import { makeFolder, removeFolder } from '../support/folders.ts'
import { runProgram } from '../support/process.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'

const PGBOUNCER = 'pgbouncer'
const isInstalled = spawnSync(PGBOUNCER, ['--version']).status === 0
const LOGINS = ['letterloom_api', 'letterloom_worker'] as const
const CALLERS = 8

let database: TestDatabase
let alice: Uuid
const stops: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  database = await createDatabase()
  ;({ organizationId: alice } = await seedOrganization(database.sql))
  const { organizationId: charlie } = await seedOrganization(database.sql)
  await seedContacts(database.sql, alice, 2)
  await seedContacts(database.sql, charlie, 3)
})
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})
afterAll(() => database.drop())

/** Starts PgBouncer in front of the database; returns a login's address there. */
async function startPooler(mode: 'session' | 'transaction', more = '') {
  const folder = await makeFolder('pooler')
  stops.push(() => removeFolder(folder))
  const server = new URL(database.url)
  const port = await freePort()
  const users = join(folder, 'users')
  const config = join(folder, 'pgbouncer.ini')
  const lines = LOGINS.map((login) => {
    const { password } = new URL(loginUrl(database.url, login))
    return `"${login}" "${decodeURIComponent(password)}"`
  })
  await writeFile(users, `${lines.join('\n')}\n`)
  await writeFile(
    config,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 30
ignore_startup_parameters = role,options,extra_float_digits,statement_timeout
${more}
`,
  )
  for (const file of [users, config]) await chmod(file, 0o644)
  const pooler = endWithUs(spawn(PGBOUNCER, [config], { stdio: 'ignore', ...(await serverUser()) }))
  stops.push(async () => {
    pooler.kill('SIGKILL')
    if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, 'exit')
  })
  await until(async () => {
    const socket = createConnection(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    return isOpen
  })
  return (login: (typeof LOGINS)[number]): string => {
    const url = new URL(loginUrl(database.url, login))
    url.port = String(port)
    return url.href
  }
}

/** Runs `act` while others keep the sessions of the server busy. */
async function underLoad(url: string, act: () => Promise<void>): Promise<void> {
  const sql = connect(url, { name: 'others', max: CALLERS })
  const over = new AbortController()
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!over.signal.aborted) await within(sql, uuidv7())`select pg_sleep(0.001)`.catch(() => {})
  })
  try {
    await act()
  } finally {
    over.abort()
    await Promise.all(callers)
    await sql.end()
  }
}

test('without a pooler each connection has a session of its own, however busy the server is', async () => {
  const url = loginUrl(database.url, 'letterloom_api')
  await underLoad(url, async () => {
    for (let n = 0; n < sized(3, 50); n++) expect(await keepsSessions(url)).toBe(true)
  })
})

describe.skipIf(!isInstalled)('behind PgBouncer', () => {
  test.each(['', 'server_round_robin = 1'])(
    'a pool of transactions is found, idle or busy %s',
    async (more) => {
      const urlOf = await startPooler('transaction', more)
      const url = urlOf('letterloom_api')
      expect(await keepsSessions(url)).toBe(false)
      await underLoad(url, async () => {
        for (let n = 0; n < sized(5, 100); n++) expect(await keepsSessions(url)).toBe(false)
      })
    },
  )

  test('API and worker end there with a sentence, before they have served anybody', async () => {
    const urlOf = await startPooler('transaction')
    for (const [command, login] of [
      ['api', 'letterloom_api'],
      ['worker', 'letterloom_worker'],
    ] as const) {
      const program = runProgram(command, {
        DATABASE_URL: urlOf(login),
        TEMPORAL_ADDRESS: inject('temporalAddress'),
        DRAIN_SECONDS: '0',
      })
      expect([command, await program.ended]).toEqual([command, 1])
      expect(program.text()).toMatch(/^DATABASE_URL leads to a pooler of transactions, .+$/m)
      expect(program.text()).not.toMatch(/the API listens|worker runs/)
    }
  })

  test('a pool of sessions is as good as none, also for row-level security and searches', async () => {
    const urlOf = await startPooler('session')
    const url = urlOf('letterloom_api')
    await underLoad(url, async () => {
      for (let n = 0; n < sized(3, 50); n++) expect(await keepsSessions(url)).toBe(true)
    })
    const pool = { name: 'behind', max: 2 } as const
    const api = connect(url, { ...pool, role: 'letterloom_api' })
    const search = connect(url, { ...pool, role: 'letterloom_search' })
    const worker = connect(urlOf('letterloom_worker'), { ...pool, role: 'letterloom_worker' })
    try {
      for (let n = 0; n < 3; n++) {
        expect(await within(api, alice)`select id from contacts`).toHaveLength(2)
        expect(await within(api, uuidv7())`select id from contacts`).toHaveLength(0)
        expect(await search`select id from contacts`).toHaveLength(5)
        expect(await worker`select id from contacts`).toHaveLength(5)
      }
      const [set] = await search`
        select current_user as role, current_setting('statement_timeout') as timeout,
          current_setting('jit') as jit, current_setting('TimeZone') as zone`
      expect(set).toEqual({ role: 'letterloom_search', timeout: '30s', jit: 'off', zone: 'UTC' })
    } finally {
      await Promise.all([api.end(), search.end(), worker.end()])
    }
    // The session that a search has left goes to others without its role.
    const next = connect(url, { ...pool, role: 'letterloom_api', max: 8 })
    const seen = await Promise.all(
      Array.from({ length: 8 }, () => within(next, alice)`select id from contacts`),
    )
    await next.end()
    expect(seen.map(({ length }) => length)).toEqual(Array(8).fill(2))
  })
})
