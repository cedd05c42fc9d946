import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodemailer from 'nodemailer'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { connect, type Sql } from '../../src/store/db/sql.ts'
import { answered } from '../support/answered.ts'
import { chromium, openPage } from '../support/browser.ts'
import { keyboardOf } from '../support/console-browser.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { until } from '../support/engine.ts'

const CLI = new URL('../../dist/src/main/cli.js', import.meta.url).pathname

/** For all that it starts. */
const START_MS = 300_000

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
  smtp: string
  key: string
  /** Of the owner, in the web console. */
  password: string
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
        SMTP_PORT: '0',
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
  }, START_MS)
  const read = (name: string): string =>
    new RegExp(`^  ${name}\\s+(\\S+)`, 'm').exec(output)?.[1] ?? `no ${name} in ${output}`
  return {
    child,
    api: read('API'),
    inbox: read('Inbox'),
    temporalUi: read('Temporal UI'),
    smtp: read('SMTP').replace(',', ''),
    key: read('API key'),
    password: /^  Console .* \/ (\S+)$/m.exec(output)?.[1] ?? `no password in ${output}`,
    internal: [...output.matchAll(/readiness and metrics on (\S+)/g)].map(([, url]) => url ?? ''),
  }
}

const answers = async (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

const post = async ({ api, key }: Started, path: string, body: object) =>
  answered(() =>
    fetch(`${api}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

/** As the console's page does with what was printed. */
async function signInTo({ api, password }: Started): Promise<unknown> {
  const answer = await fetch(`${api}/console/session`, {
    method: 'POST',
    headers: { origin: api, 'x-letterloom-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'owner@letterloom.example', password }),
  })
  return answer.json()
}

/**
 * The first minutes of somebody who has only what was printed, no mouse and no documentation:
 * people are added, a batch is written, sent and watched to its end.
 */
async function useConsole({ api, password }: Started, file: string): Promise<void> {
  const page = await openPage(file, `${api}/console`)
  try {
    const { fill, press, untilSaid } = keyboardOf(page)
    await page.until('document.querySelector("input[name=email]")')
    await fill('email', 'owner@letterloom.example')
    await fill('password', password)
    await page.press('Enter')
    await untilSaid('Next steps')
    await press('Add contacts')
    await press('Import a file')
    await press('Add 1,000 example people')
    await page.until('document.querySelector("tbody tr")?.innerText.includes("Completed")')
    await press('Batches')
    await press('New batch')
    await page.until('document.querySelector("input[name=from]")?.value !== ""')
    await fill('subject', 'The first batch')
    await untilSaid('people get it')
    await press('Review')
    await untilSaid('1,000 people get the mail')
    await fill('typed', '1000')
    await press('Send to 1,000 people')
    await untilSaid('1,000 mails left.')
    expect(page.complaints).toEqual([])
  } finally {
    await page.close()
  }
}

const addresses = ({ api, inbox, temporalUi }: Started) => [
  `${api}/health`,
  `${api}/docs`,
  `${api}/console`,
  inbox,
  temporalUi,
]

/** The database of a system that does not run. */
async function withDatabase(use: (sql: Sql) => Promise<void>): Promise<void> {
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(0),
    log: () => {},
  })
  const sql = connect(postgres.url, { name: 'test', max: 1 })
  await use(sql)
  await sql.end()
  await postgres.stop()
}

describe('letterloom dev', () => {
  it('refuses what an earlier version has kept, begins anew, sends a mail, and goes on where it was when it was killed', async () => {
    await withDatabase(async (sql) => {
      await sql`create table schema_migrations (number integer primary key, name text, hash text)`
      await sql`insert into schema_migrations values (1, '0001_foundation.sql', 'x')`
    })
    await writeFile(join(folder, 'api-key'), 'loom_of_an_earlier_start')
    await expect(startDev()).rejects.toThrow('`npm start -- --fresh`')
    const wanted = await freePort()
    const first = await startDev({ INTERNAL_PORT: String(wanted) }, ['--fresh'])
    expect(first.key).not.toBe('loom_of_an_earlier_start')
    for (const url of addresses(first)) await until(() => answers(url))
    expect(first.internal).toContain(`http://127.0.0.1:${wanted}`)
    expect(new Set(first.internal).size).toBe(2)
    for (const url of first.internal) {
      await until(() => answers(`${url}/livez`))
    }
    expect(await signInTo(first)).toMatchObject({
      role: 'owner',
      organization: { name: 'Letterloom Dev' },
    })
    expect((await stat(join(folder, 'console-password'))).mode & 0o077).toBe(0)
    if (chromium !== undefined) await useConsole(first, chromium)
    const created = await post(first, '/v1/contacts', {
      email: 'ada@example.com',
      firstName: 'Ada',
    })
    expect(created.status).toBe(201)
    const [host = '', port = ''] = first.smtp.split(':')
    const transport = nodemailer.createTransport({
      host,
      port: Number(port),
      auth: { user: 'letterloom', pass: first.key },
    })
    const { response } = await transport.sendMail({
      from: 'news@letterloom.example',
      to: 'ada@example.com',
      subject: 'By SMTP',
      text: 'Hello',
    })
    expect(response).toMatch(/^250 2\.6\.0 Accepted as /)
    const batch = await post(first, '/v1/batch', {
      audienceType: 'all',
      from: 'news@letterloom.example',
      subject: 'Hello {{ contact.firstName }}',
      htmlContent: '<p>Hello {{ contact.firstName }}</p>',
    })
    expect(batch.status).toBe(201)
    await until(async () => (await (await fetch(first.inbox)).text()).includes('Hello Ada'))
    const domains = await answered(() =>
      fetch(`${first.api}/v1/domains`, { headers: { authorization: `Bearer ${first.key}` } }),
    )
    expect(await domains.json()).toMatchObject({
      data: [{ identity: 'letterloom.example', verificationStatus: 'SUCCESS' }],
      accounts: [{ reachable: true }],
    })

    // kill -9: nothing that it started may outlive it, and the next start finds everything well.
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    for (const url of addresses(first)) await until(async () => !(await answers(url)))
    const second = await startDev()
    expect([second.key, second.password]).toEqual([first.key, first.password])
    expect((await post(second, '/v1/contacts', { email: 'ada@example.com' })).status).toBe(409)

    // Ctrl-C: everything has ended in good order when it has.
    second.child.kill('SIGINT')
    expect(await once(second.child, 'exit')).toEqual([0, null])
    for (const url of addresses(second)) expect(await answers(url), url).toBe(false)
    await withDatabase(async (sql) => {
      const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
        select count(*)::int as count from contacts where email = 'ada@example.com'`
      expect(count).toBe(1)
    })
  }, 600_000)
})
