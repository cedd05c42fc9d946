import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createOrganization } from '../../src/core/access/organizations.ts'
import type { Child } from '../../src/main/dev/children.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { makeFolder, removeFolder } from '../support/folders.ts'
import { type Program, runProgram } from '../support/process.ts'
import { type ApiPorts, hasProxy, startProxy } from '../../tools/production/proxy.ts'

const CALLERS = 4
/** A migration of which nothing else depends, to be run once more. */
const MIGRATION = '0141_open-transactions.sql'

if (!hasProxy) console.log('skipped: haproxy is not installed')
describe.skipIf(!hasProxy)('behind the proxy of the compose file', () => {
  let database: TestDatabase
  let folder: string
  let apis: ApiPorts[]
  let proxy: string
  let haproxy: Child
  let key: string
  const programs = new Map<ApiPorts, Program>()

  beforeAll(async () => {
    database = await createDatabase()
    ;({ key } = await createOrganization(database.sql, {
      name: 'Alice Ltd',
      ownerEmail: 'alice@example.com',
      ownerName: 'Alice',
      plan: 'enterprise',
    }))
    const newPorts = async () => ({ api: await freePort(), internal: await freePort() })
    apis = [await newPorts(), await newPorts()]
    await Promise.all(apis.map(start))
    folder = await makeFolder('proxy')
    const port = await freePort()
    proxy = `http://127.0.0.1:${port}`
    haproxy = await startProxy({ folder, port, apis, log: () => {} })
    await until(async () => {
      if (haproxy.hasExited()) throw new Error(`haproxy ended:\n${haproxy.lastLines()}`)
      return (await fetch(proxy).catch(() => undefined)) !== undefined
    })
  })
  afterAll(async () => {
    await haproxy.stop()
    for (const { child } of programs.values()) child.kill('SIGKILL')
    await removeFolder(folder)
    await database.drop()
  })

  async function start(ports: ApiPorts): Promise<void> {
    const program = runProgram('api', {
      DATABASE_URL: loginUrl(database.url, 'letterloom_api'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      PORT: String(ports.api),
      INTERNAL_PORT: String(ports.internal),
      TRUSTED_PROXIES: 'peer',
    })
    programs.set(ports, program)
    await program.portOf('the API listens')
  }

  async function end(ports: ApiPorts, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const program = programs.get(ports)
    program?.child.kill(signal)
    await program?.ended
  }

  async function migrateOnceMore(): Promise<void> {
    await database.admin`delete from schema_migrations where name = ${MIGRATION}`
    await database.admin`drop function open_transactions()`
    const owner = connect(loginUrl(database.url, 'letterloom_owner'), { name: 'migrate', max: 1 })
    expect(await migrate(owner)).toEqual([MIGRATION])
    await owner.end()
  }

  test('both API processes are replaced, with a migration in between, and no request fails', async () => {
    const over = new AbortController()
    /** A busy machine makes processes refuse for too much to do, before they do anything. */
    const refusal = async (answer: Response) => {
      const text = await answer.text()
      if (!text.includes('"overloaded"')) failures.push(text)
    }
    const failures: string[] = []
    let written = 0
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = 0; !over.signal.aborted; n++) {
        const answer = await fetch(`${proxy}/v1/contacts`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ email: `reader-${caller}-${n}@example.com` }),
        }).catch((error: unknown) => String(error))
        if (typeof answer === 'string') failures.push(answer)
        else if (answer.ok) written++
        else if (answer.status === 503) await refusal(answer)
        else failures.push(`${answer.status} ${await answer.text()}`)
      }
    })
    const progress = async (least: number) => {
      const from = written
      await until(async () => written >= from + least || failures.length > 0)
    }
    await progress(10)
    for (const ports of apis) {
      await end(ports, 'SIGTERM')
      await progress(10)
      await start(ports)
      await migrateOnceMore()
      await progress(10)
    }
    over.abort()
    await Promise.all(callers)
    expect(failures).toEqual([])
    const [stored] = await database.sql<{ contacts: number }[]>`
      select count(*)::integer as contacts from contacts`
    expect(stored?.contacts).toBe(written)
  })

  test('a caller is who connects to the proxy, whatever it says', async () => {
    const remaining: number[] = []
    for (let n = 1; n <= 6; n++) {
      const headers = { 'x-forwarded-for': `198.51.100.${n}` }
      const answer = await fetch(`${proxy}/health`, { headers })
      remaining.push(Number(answer.headers.get('ratelimit-remaining')))
    }
    const [first = 0] = remaining
    expect(first).toBeGreaterThan(6)
    expect(Math.min(...remaining)).toBeLessThan(first)
  })

  test('requests that are too large, and all that come while no process is there, are refused as the API refuses', async () => {
    const long = await fetch(`${proxy}/health?${'a'.repeat(9_000)}`)
    expect([long.status, await long.json()]).toMatchObject([414, { code: 'REQUEST_FAILED' }])
    for (const ports of apis) await end(ports, 'SIGKILL')
    const answer = await fetch(`${proxy}/health`)
    const { headers } = answer
    expect([answer.status, headers.get('retry-after')]).toEqual([503, '2'])
    expect(await answer.json()).toEqual({
      error: expect.any(String),
      code: 'INTERNAL_ERROR',
      requestId: headers.get('x-request-id'),
    })
  })
})
