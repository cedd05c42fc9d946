import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { freePort } from '../../src/dev/ports.ts'
import { startPostgres } from '../../src/dev/postgres.ts'
import { connect } from '../../src/store/db/sql.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { until } from '../support/engine.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'letterloom-dev-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
})
const started = new Set<ChildProcess>()
afterAll(async () => {
  // A test that fails in the middle must not leave a whole system running.
  for (const child of started) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  }
  await rm(folder, { recursive: true, force: true })
})

interface Started {
  child: ChildProcess
  api: string
  inbox: string
  temporalUi: string
  key: string
  /** Internal addresses of API and worker, if a port for them was set. */
  internal: string[]
}

/** `letterloom dev` as a user starts it, until it has printed its addresses. */
async function startDev(
  more: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<Started> {
  const child = endWithUs(
    spawn(process.execPath, [CLI, 'dev', ...options], {
      env: {
        ...process.env,
        LETTERLOOM_HOME: folder,
        LETTERLOOM_CACHE: inject('cacheFolder'),
        PORT: '0',
        POSTGRES_PORT: '0',
        TEMPORAL_PORT: '0',
        TEMPORAL_UI_PORT: '0',
        SANDBOX_PORT: '0',
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  started.add(child)
  let output = ''
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString()
  })
  child.stderr.on('data', (data: Buffer) => {
    output += data.toString()
  })
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`dev ended:\n${output}`)
    return output.includes('Ctrl-C stops everything')
  }, 180_000)
  const read = (name: string): string =>
    new RegExp(`^  ${name}\\s+(\\S+)`, 'm').exec(output)?.[1] ?? `no ${name} in ${output}`
  return {
    child,
    api: read('API'),
    inbox: read('Inbox'),
    temporalUi: read('Temporal UI'),
    key: read('API key'),
    internal: [...output.matchAll(/readiness and metrics on (\S+)/g)].map(([, url]) => url ?? ''),
  }
}

const answers = async (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

const post = async ({ api, key }: Started, path: string, body: object) =>
  fetch(`${api}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const addresses = ({ api, inbox, temporalUi }: Started) => [
  `${api}/health`,
  `${api}/docs`,
  inbox,
  temporalUi,
]

describe('letterloom dev', () => {
  it('starts everything, sends a mail, stops on Ctrl-C and goes on where it was', async () => {
    const first = await startDev()
    for (const url of addresses(first)) expect(await answers(url), url).toBe(true)
    const created = await post(first, '/v1/contacts', {
      email: 'ada@example.com',
      firstName: 'Ada',
    })
    expect(created.status).toBe(201)
    const batch = await post(first, '/v1/batch', {
      audienceType: 'all',
      from: 'news@letterloom.example',
      subject: 'Hello {{ contact.firstName }}',
      htmlContent: '<p>Hello {{ contact.firstName }}</p>',
    })
    expect(batch.status).toBe(201)
    await until(async () => (await (await fetch(first.inbox)).text()).includes('Hello Ada'))
    const domains = await fetch(`${first.api}/v1/domains`, {
      headers: { authorization: `Bearer ${first.key}` },
    })
    expect(await domains.json()).toMatchObject({
      data: [{ identity: 'letterloom.example', verificationStatus: 'SUCCESS' }],
      accounts: [{ reachable: true }],
    })
    first.child.kill('SIGINT')
    expect(await once(first.child, 'exit')).toEqual([0, null])
    for (const url of addresses(first)) expect(await answers(url), url).toBe(false)

    const wanted = await freePort()
    const second = await startDev({ INTERNAL_PORT: String(wanted) })
    expect(second.internal).toContain(`http://127.0.0.1:${wanted}`)
    expect(new Set(second.internal).size).toBe(2)
    for (const url of second.internal) expect(await answers(`${url}/livez`), url).toBe(true)
    expect(second.key).toBe(first.key)
    const again = await post(second, '/v1/contacts', { email: 'ada@example.com' })
    expect(again.status).toBe(409)

    // kill -9: nothing that it started may outlive it, and the next start finds everything well.
    second.child.kill('SIGKILL')
    await once(second.child, 'exit')
    for (const url of addresses(second)) await until(async () => !(await answers(url)))
    const third = await startDev()
    expect((await post(third, '/v1/contacts', { email: 'ada@example.com' })).status).toBe(409)
    third.child.kill('SIGINT')
    expect(await once(third.child, 'exit')).toEqual([0, null])

    // What an earlier development version has kept is refused, and made anew when that is asked.
    const postgres = await startPostgres({
      folder: join(folder, 'postgres'),
      port: await freePort(0),
      log: () => {},
    })
    const sql = connect(postgres.url, { name: 'test', max: 1 })
    await sql`update schema_migrations set name = '0001_foundation.sql' where number = 1`
    await sql.end()
    await postgres.stop()
    await expect(startDev()).rejects.toThrow('`npm start -- --fresh`')
    const fresh = await startDev({}, ['--fresh'])
    expect(fresh.key).not.toBe(first.key)
    expect((await post(fresh, '/v1/contacts', { email: 'ada@example.com' })).status).toBe(201)
    fresh.child.kill('SIGINT')
    expect(await once(fresh.child, 'exit')).toEqual([0, null])
  }, 180_000)
})
