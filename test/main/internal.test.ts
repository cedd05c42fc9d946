import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { answered } from '../support/answered.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { type Program, runProgram } from '../support/process.ts'
import { sized } from '../support/size.ts'
import { loginUrl } from '../../src/store/db/logins.ts'

vi.setConfig({ testTimeout: 360_000 })

const LISTENS = 'liveness, readiness and metrics'
/** Nobody listens there. */
const NOWHERE = '127.0.0.1:1'
const LOGINS = { api: 'letterloom_api', worker: 'letterloom_worker' } as const

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

type Get = (path: string) => Promise<Response>

/** To be polled: a busy machine may not answer in the two seconds that a probe has. */
const readiness = (get: Get) => async () => {
  const answer = await get('/readyz')
  return { status: answer.status, ...((await answer.json()) as object) }
}

/** Starts a program, looks at its internal port, and has it stop: answers the exit code. */
async function withProgram(
  command: keyof typeof LOGINS,
  env: Record<string, string>,
  look: (get: Get, program: Program) => Promise<void>,
): Promise<number | null> {
  const program = runProgram(command, {
    DATABASE_URL: loginUrl(database.url, LOGINS[command]),
    DRAIN_SECONDS: '0',
    ...env,
  })
  try {
    const port = await program.portOf(LISTENS)
    await look((path) => fetch(`http://127.0.0.1:${port}${path}`), program)
  } catch (error) {
    // Told once only, some would wait for minutes, and nobody would hear of the error.
    program.child.kill('SIGKILL')
    throw error
  }
  program.child.kill('SIGTERM')
  return program.ended
}

describe('the internal port of the API', () => {
  test('is ready with Postgres and Temporal, tells metrics by route without tenants, and ends at once when told to stop twice', async () => {
    const env = { TEMPORAL_ADDRESS: inject('temporalAddress'), DRAIN_SECONDS: '600' }
    const code = await withProgram('api', env, async (get, program) => {
      const api = await program.portOf('the API listens')
      await fetch(`http://127.0.0.1:${api}/health?who=lovelace`)
      // One that has just started refuses for a moment on a busy machine.
      await answered(() => fetch(`http://127.0.0.1:${api}/some/strangers/path`))
      expect((await get('/livez')).status).toBe(200)
      await expect.poll(readiness(get)).toEqual({
        status: 200,
        isReady: true,
        isDraining: false,
        postgres: 'ok',
        lacks: [],
        temporal: 'ok',
        notices: 'off',
      })
      const metrics = await (await get('/metrics')).text()
      expect(metrics).toMatch(
        /^letterloom_http_requests_total\{method="GET",route="\/health",status="2xx"\} 1$/m,
      )
      expect(metrics).toMatch(/route="none",status="4xx"\} 1$/m)
      expect(metrics).toMatch(/^letterloom_http_answers_total\{status="404"\} 1$/m)
      expect(metrics).toMatch(/^letterloom_http_request_seconds_count\{area="health"\} 1$/m)
      expect(metrics).toMatch(/^letterloom_postgres_use_seconds_count\{pool="letterloom-api"\} /m)
      // It is more than none where Postgres was slow to answer.
      expect(metrics).toMatch(/^letterloom_rate_limiter_fail_open_total \d+$/m)
      expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
      expect(metrics).not.toMatch(/lovelace|strangers|organization/)
      expect((await get('/v1/contacts')).status).toBe(404)
      // What is for operators is not on the port of the world.
      for (const path of ['livez', 'readyz', 'metrics']) {
        expect((await fetch(`http://127.0.0.1:${api}/${path}`)).status).toBe(404)
      }
      program.child.kill('SIGTERM')
      await until(async () => program.text().includes('shutdown requested'))
    })
    // It would have waited ten minutes for its balancer.
    expect(code).toBe(1)
  })

  test('is ready without Temporal, which it reports; is not while a migration or its database is missing, and lives on', async () => {
    const other = await createDatabase()
    const env = { DATABASE_URL: loginUrl(other.url, LOGINS.api), TEMPORAL_ADDRESS: NOWHERE }
    await withProgram('api', env, async (get) => {
      // Reads work, writes wait in the outbox.
      const ready = { status: 200, isReady: true, temporal: 'unreachable' }
      await expect.poll(readiness(get)).toMatchObject(ready)
      await other.admin`delete from schema_migrations where number = 2`
      await expect.poll(readiness(get)).toMatchObject({ status: 503, postgres: 'outdated' })
      await other.drop()
      expect(await readiness(get)()).toMatchObject({
        status: 503,
        postgres: 'refused',
        lacks: [expect.stringMatching(/^database .* does not exist$/)],
      })
      expect((await get('/livez')).status).toBe(200)
    })
  })
})

test.each(['api', 'worker'] as const)(
  '%s waits for a Postgres that is away, serves nobody meanwhile, and ends when it is told to',
  async (command) => {
    const env = {
      DATABASE_URL: `postgres://nobody:x@${NOWHERE}/nothing`,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
    }
    const code = await withProgram(command, env, async (get, program) => {
      expect((await get('/livez')).status).toBe(200)
      await until(async () => program.text().includes('Postgres cannot be reached yet'))
      await expect.poll(readiness(get)).toMatchObject({ status: 503, postgres: 'unreachable' })
      expect(program.text()).not.toMatch(/the API listens|worker runs/)
    })
    expect(code).toBe(0)
  },
)

test('says what the login of a program lacks, and is ready when it has it', async () => {
  const own = await createDatabase()
  const name = `login_${randomUUID().replaceAll('-', '')}`
  const { admin } = own
  await admin.unsafe(`create role ${name} login noinherit password 'x'`)
  const url = Object.assign(new URL(own.url), { username: name, password: 'x' })
  const env = { DATABASE_URL: url.href, TEMPORAL_ADDRESS: inject('temporalAddress') }
  const lacks = (...sentences: string[]) => ({
    status: 503,
    postgres: 'refused',
    lacks: sentences,
  })
  try {
    await withProgram('api', env, async (get) => {
      await expect
        .poll(readiness(get))
        .toMatchObject(lacks('permission denied to set role "letterloom_api"'))
      await admin.unsafe(`grant letterloom_api to ${name}`)
      await expect.poll(readiness(get)).toMatchObject({ status: 200, postgres: 'ok', lacks: [] })
      await admin.unsafe(`
        alter role ${name} password 'y';
        select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`)
      await expect
        .poll(readiness(get))
        .toMatchObject(lacks(`password authentication failed for user "${name}"`))
    })
  } finally {
    await own.drop()
    await database.admin.unsafe(`drop role ${name}`)
  }
})

test('a worker has one too', async () => {
  const env = { TEMPORAL_ADDRESS: inject('temporalAddress') }
  const code = await withProgram('worker', env, async (get) => {
    expect((await get('/livez')).status).toBe(200)
    await expect.poll(readiness(get)).toMatchObject({ isReady: true, temporal: 'ok' })
    expect(await (await get('/metrics')).text()).toContain('process_resident_memory_bytes')
  })
  expect(code).toBe(0)
})

/** Listens on a port of its own while `use` runs. */
async function withTakenPort(use: (port: number) => Promise<void>): Promise<void> {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  try {
    await use((other.address() as AddressInfo).port)
  } finally {
    other.close()
  }
}

// An API without a port for operators has none, which is seen where its other port is taken.
const TAKEN = [
  ['api', 'PORT', { INTERNAL_PORT: '' }],
  ['worker', 'INTERNAL_PORT', {}],
  ['api', 'INTERNAL_PORT', {}],
] as const

test.each(TAKEN.slice(0, sized(2, TAKEN.length)))(
  '%s ends with a line that says why when its %s is taken',
  async (command, setting, more) => {
    await withTakenPort(async (port) => {
      const program = runProgram(command, {
        DATABASE_URL: loginUrl(database.url, LOGINS[command]),
        TEMPORAL_ADDRESS: inject('temporalAddress'),
        DRAIN_SECONDS: '0',
        ...more,
        [setting]: String(port),
      })
      expect(await program.ended).toBe(1)
      expect(program.text()).toContain(
        `${setting}: cannot listen on 127.0.0.1:${port}: the port is in use`,
      )
      // Nobody was served by a process that could not be watched.
      expect(program.text()).not.toContain('the API listens')
      expect(program.text()).not.toContain(LISTENS)
    })
  },
)
