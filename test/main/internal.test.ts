import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { type Program, runProgram } from '../support/process.ts'

const LISTENS = 'liveness, readiness and metrics'
/** Nobody listens there. */
const NOWHERE = '127.0.0.1:1'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

async function withProgram(
  command: string,
  env: Record<string, string>,
  look: (get: (path: string) => Promise<Response>, program: Program) => Promise<void>,
): Promise<void> {
  const program = runProgram(command, { DATABASE_URL: database.url, DRAIN_SECONDS: '0', ...env })
  try {
    const port = await program.portOf(LISTENS)
    await look((path) => fetch(`http://127.0.0.1:${port}${path}`), program)
  } finally {
    program.child.kill('SIGTERM')
    await program.ended
  }
}

describe('the internal port of the API', () => {
  test('is ready with Postgres and Temporal, and tells metrics by route without tenants', async () => {
    await withProgram(
      'api',
      { TEMPORAL_ADDRESS: inject('temporalAddress') },
      async (get, program) => {
        const api = await program.portOf('the API listens')
        await fetch(`http://127.0.0.1:${api}/health?who=lovelace`)
        await fetch(`http://127.0.0.1:${api}/some/strangers/path`)
        expect((await get('/livez')).status).toBe(200)
        expect(await (await get('/readyz')).json()).toEqual({
          isReady: true,
          isDraining: false,
          postgres: 'ok',
          temporal: 'ok',
          notices: 'off',
        })
        const metrics = await (await get('/metrics')).text()
        expect(metrics).toMatch(
          /^letterloom_http_request_seconds_count\{method="GET",route="\/health",status="200"\} 1$/m,
        )
        expect(metrics).toMatch(/route="none",status="404"\} 1$/m)
        // It is more than none where Postgres was slow to answer.
        expect(metrics).toMatch(/^letterloom_rate_limiter_fail_open_total \d+$/m)
        expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
        expect(metrics).not.toMatch(/lovelace|strangers|organization/)
        expect((await get('/v1/contacts')).status).toBe(404)
        // What is for operators is not on the port of the world.
        for (const path of ['livez', 'readyz', 'metrics']) {
          expect((await fetch(`http://127.0.0.1:${api}/${path}`)).status).toBe(404)
        }
      },
    )
  })

  test('is ready without Temporal, which it reports: reads work, writes wait in the outbox', async () => {
    await withProgram('api', { TEMPORAL_ADDRESS: NOWHERE }, async (get) => {
      const answer = await get('/readyz')
      expect(answer.status).toBe(200)
      expect(await answer.json()).toMatchObject({ isReady: true, temporal: 'unreachable' })
    })
  })

  test('is not ready while a migration is missing or Postgres is away, and lives on', async () => {
    const other = await createDatabase()
    await withProgram(
      'api',
      { DATABASE_URL: other.url, TEMPORAL_ADDRESS: NOWHERE },
      async (get) => {
        expect((await get('/readyz')).status).toBe(200)
        await other.sql`delete from schema_migrations where number = 2`
        const outdated = await get('/readyz')
        expect(outdated.status).toBe(503)
        expect(await outdated.json()).toMatchObject({ postgres: 'outdated' })
        await other.drop()
        const away = await get('/readyz')
        expect(away.status).toBe(503)
        expect(await away.json()).toMatchObject({ postgres: 'unreachable' })
        expect((await get('/livez')).status).toBe(200)
      },
    )
  })
})

test('a worker has one too', async () => {
  await withProgram('worker', { TEMPORAL_ADDRESS: inject('temporalAddress') }, async (get) => {
    expect((await get('/livez')).status).toBe(200)
    expect(await (await get('/readyz')).json()).toMatchObject({ isReady: true, temporal: 'ok' })
    expect(await (await get('/metrics')).text()).toContain('process_resident_memory_bytes')
  })
})

test('without a port there is none', async () => {
  const program = runProgram('api', {
    DATABASE_URL: database.url,
    INTERNAL_PORT: '',
    DRAIN_SECONDS: '0',
  })
  await program.portOf('the API listens')
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
  await until(async () => program.text().includes('stopped'))
  expect(program.text()).not.toContain(LISTENS)
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

test.each([
  ['api', 'INTERNAL_PORT'],
  ['api', 'PORT'],
  ['worker', 'INTERNAL_PORT'],
])('%s ends with a line that says why when its %s is taken', async (command, setting) => {
  await withTakenPort(async (port) => {
    const program = runProgram(command, {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      DRAIN_SECONDS: '0',
      [setting]: String(port),
    })
    expect(await program.ended).toBe(1)
    expect(program.text()).toContain(
      `${setting}: cannot listen on 127.0.0.1:${port}: somebody else listens there`,
    )
    // Nobody was served by a process that could not be watched.
    expect(program.text()).not.toContain('the API listens')
  })
})

test('a program that is told to stop twice ends at once', async () => {
  const program = runProgram('api', { DATABASE_URL: database.url, DRAIN_SECONDS: '60' })
  await program.portOf('the API listens')
  program.child.kill('SIGTERM')
  await until(async () => program.text().includes('shutdown requested'))
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(1)
})
