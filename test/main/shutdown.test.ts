import { Agent, request as httpRequest } from 'node:http'
import { connect as openSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as apiKeys from '../../src/store/access/api-keys.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { newApiKey } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { type Program, runProgram } from '../support/process.ts'
import { sized } from '../support/size.ts'
import { loginUrl } from '../../src/store/db/logins.ts'

const CLIENTS = sized(10, 40)
/** Requests that are answered before it is told to stop. */
const ANSWERED = sized(100, 500)
/** How long a request is held back after the port is closed. */
const HELD_MS = 1_500
/** What is late on a busy machine; nothing that is asked here depends on it. */
const LATE = [
  'the heartbeat of receiving could not be written',
  'rate limits are open: their store fails',
]
const organizationId = uuidv7()
const { key, prefix, hash } = newApiKey()

let database: TestDatabase
let program: Program
let port: number
let internal: number
beforeAll(async () => {
  database = await createDatabase()
  const { sql } = database
  await organizations.create(sql, { id: organizationId, name: 'Alice', plan: 'enterprise' })
  const scopes = ['full']
  await apiKeys.create(sql, { organizationId, id: uuidv7(), name: 'x', prefix, hash, scopes })
  program = runProgram('api', {
    DATABASE_URL: loginUrl(database.url, 'letterloom_api'),
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    DRAIN_SECONDS: '1',
  })
  port = await program.portOf('the API listens')
  internal = await program.portOf('liveness, readiness and metrics')
})
afterAll(async () => {
  program.child.kill('SIGKILL')
  await database.drop()
})

interface Outcome {
  status?: number
  closes?: boolean
  /** A busy machine may say so; it is an answer, too. */
  isOverloaded?: boolean
  /** Of the socket: the request was not answered. */
  error?: string
  /** It was sent on a connection that had answered before. */
  reused: boolean
}

function create(agent: Agent, externalId: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const body = JSON.stringify({ externalId, email: `${externalId}@example.com` })
    const request = httpRequest(
      {
        agent,
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/v1/contacts',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = ''
        response.on('data', (data: Buffer) => (text += data.toString()))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            closes: response.headers.connection === 'close',
            isOverloaded: response.statusCode === 503 && text.includes('"overloaded"'),
            reused: request.reusedSocket,
          }),
        )
      },
    )
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ error: error.code ?? error.message, reused: request.reusedSocket }),
    )
    request.end(body)
  })
}

const ready = () => fetch(`http://127.0.0.1:${internal}/readyz`).then(({ status }) => status)

/** A request that Postgres holds back: its contact is another transaction's until `release`. */
async function heldRequest(agent: Agent) {
  const externalId = uuidv7()
  let letGo = (): void => {}
  const isOver = new Promise<void>((resolve) => (letGo = resolve))
  let isInserted = false
  const rolledBack = database.sql
    .begin(async (tx) => {
      await tx`
        insert into contacts (organization_id, id, external_id, email)
        values (${organizationId}, ${uuidv7()}, ${externalId}, ${`${externalId}@example.com`})`
      isInserted = true
      await isOver
      throw new Error('rolled back')
    })
    .catch(() => {})
  await until(async () => isInserted)
  const outcome = create(agent, externalId)
  await until(async () => {
    const [waiting] = await database.admin`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return waiting !== undefined
  })
  const release = (): Promise<void> => {
    letGo()
    return rolledBack
  }
  return { externalId, outcome, release }
}

test('told to stop under load, it answers every request it was given, however long that takes, and loses none', async () => {
  // Somebody who connected and never says a word must not keep the process.
  openSocket(port, '127.0.0.1').on('error', () => {})
  const outcomes = new Map<string, Outcome>()
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const client = async (): Promise<void> => {
    for (;;) {
      const externalId = uuidv7()
      const outcome = await create(agent, externalId)
      outcomes.set(externalId, outcome)
      // Nobody listens any more: a load balancer would have gone elsewhere.
      if (outcome.error === 'ECONNREFUSED') return
    }
  }
  const clients = Array.from({ length: CLIENTS }, client)
  await until(async () => outcomes.size > ANSWERED)
  await until(async () => (await ready()) === 200)
  const slow = await heldRequest(new Agent({ keepAlive: true }))
  program.child.kill('SIGTERM')
  await until(async () => (await ready()) === 503)
  await Promise.all(clients)
  expect(await create(new Agent(), uuidv7())).toMatchObject({ error: 'ECONNREFUSED' })
  await sleep(HELD_MS)
  await slow.release()
  expect(await slow.outcome).toMatchObject({ status: 201, closes: true })
  outcomes.set(slow.externalId, await slow.outcome)
  expect(await program.ended).toBe(0)

  const all = [...outcomes.values()]
  const answered = [...outcomes].filter(([, { status }]) => status === 201).map(([id]) => id)
  const refused = all.filter(({ error, reused }) => error === 'ECONNREFUSED' && !reused)
  // The kernel had taken its connection when the port was closed, and the process had not.
  const reset = all.filter(({ error, reused }) => error === 'ECONNRESET' && !reused)
  // Whoever has no answer had no connection, and so can try elsewhere without a second thought.
  const unanswered = new Set([...refused, ...reset])
  const odd = all.filter((each) => each.status !== 201 && !each.isOverloaded)
  expect(odd.filter((each) => !unanswered.has(each))).toEqual([])
  expect(refused).toHaveLength(CLIENTS)
  expect(all.filter(({ closes }) => closes === true).length).toBeGreaterThanOrEqual(CLIENTS)
  const rows = await database.sql<{ externalId: string }[]>`
    select external_id from contacts where organization_id = ${organizationId}`
  expect(rows.map(({ externalId }) => externalId).sort()).toEqual(answered.sort())
  const warned = program
    .lines()
    .filter(({ level, msg }) => Number(level) >= 40 && !LATE.includes(String(msg)))
  const isOverload = ({ err }: Record<string, unknown>) =>
    JSON.stringify(err ?? null).includes('"overloaded"')
  expect(warned.filter((line) => !isOverload(line))).toEqual([])
})
