import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../src/main/dev/ports.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type RunningProgram, startProgram } from '../../src/main/dev/programs.ts'
import * as apiKeys from '../../src/store/access/api-keys.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { newApiKey, newKeyringText } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { sized } from '../support/size.ts'
import { killAndWait } from '../support/system.ts'
import { loginUrl } from '../../src/store/db/logins.ts'

const KILLS = sized(1, 8)
const CLIENTS = sized(4, 8)
/** Between two tries of a client. */
const PAUSE_MS = sized(250, 50)
/** How long a client asks: an API that was killed may take a slow machine many seconds to start. */
const LONGEST_MS = 120_000

let database: TestDatabase
let folder: string
let api: RunningProgram
let url: string
const { key, prefix, hash } = newApiKey()

beforeAll(async () => {
  database = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'letterloom-idempotency-'))
  const organizationId = uuidv7()
  const { sql } = database
  await organizations.create(sql, { id: organizationId, name: 'Killed' })
  await sql`update organizations set plan = 'enterprise' where id = ${organizationId}`
  const scopes = ['full']
  await apiKeys.create(sql, { organizationId, id: uuidv7(), name: 'k', prefix, hash, scopes })
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  api = startProgram({
    command: 'api',
    env: {
      DATABASE_URL: loginUrl(database.url, 'letterloom_api'),
      // A development key would be refused: this is a program of its own.
      LETTERLOOM_KEYS: newKeyringText().replace(/^dev:/, 'test:'),
      PUBLIC_URL: url,
      HOST: '127.0.0.1',
      PORT: String(port),
      INTERNAL_PORT: '0',
    },
    logFile: join(folder, 'api.log'),
    say: () => {},
  })
})
afterAll(async () => {
  await api.stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** As a careful client does it: the same key until there is an answer that says it is done. */
async function createSurely(name: string): Promise<string> {
  const idempotencyKey = uuidv7()
  const end = performance.now() + LONGEST_MS
  while (performance.now() < end) {
    const answer = await fetch(`${url}/v1/contacts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ externalId: name, email: `${name}@example.com` }),
    }).then(
      async (response) => ({ status: response.status, body: await response.text() }),
      () => undefined,
    )
    if (answer?.status === 201) return (JSON.parse(answer.body) as { id: string }).id
    // Never "taken": who did the work is who asks again.
    if (answer && answer.status < 500 && !answer.body.includes('idempotency_in_progress')) {
      throw new Error(`${answer.status} ${answer.body}`)
    }
    await sleep(PAUSE_MS)
  }
  throw new Error('no answer')
}

test('an API killed again and again does what was asked under a key exactly once', async () => {
  const over = new AbortController()
  const made: string[] = []
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = 0; !over.signal.aborted; n++) made.push(await createSurely(`c${client}-${n}`))
  })
  // Every kill hits an API that answers, however long it takes to start.
  for (let kill = 0; kill < KILLS; kill++) {
    const enough = made.length + CLIENTS
    await vi.waitUntil(() => made.length >= enough, { timeout: LONGEST_MS })
    await sleep(Math.random() * 400)
    await killAndWait(api)
  }
  over.abort()
  await Promise.all(clients)

  const rows = await database.sql<{ id: string }[]>`select id from contacts`
  expect(made.length).toBeGreaterThanOrEqual(KILLS * CLIENTS)
  expect(new Set(made).size).toBe(made.length)
  expect(rows).toHaveLength(made.length)
  const [{ count } = { count: 0 }] = await database.sql<{ count: number }[]>`
    select count(*) as count from idempotency_keys where status = 201`
  expect(count).toBe(rows.length)
}, 600_000)
