import { Agent, request as httpRequest } from 'node:http'
import { connect as openSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest'
import { uuidv7 } from '../../src/ids.ts'
import * as apiKeys from '../../src/store/access/api-keys.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { newApiKey } from '../../src/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Program, runProgram } from '../support/process.ts'

const CLIENTS = 40
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
})
afterAll(() => database.drop())

beforeEach(async () => {
  program = runProgram('api', {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    DRAIN_SECONDS: '1',
  })
  port = await program.portOf('the API listens')
  internal = await program.portOf('liveness, readiness and metrics')
})
afterEach(() => void program.child.kill('SIGKILL'))

interface Outcome {
  status?: number
  closes?: boolean
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
        response.resume().on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            closes: response.headers.connection === 'close',
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

test('told to stop under load, it answers every request it was given and loses none', async () => {
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
  await vi.waitFor(() => expect(outcomes.size).toBeGreaterThan(500), 30_000)
  expect(await ready()).toBe(200)
  program.child.kill('SIGTERM')
  await sleep(300)
  expect(await ready()).toBe(503)
  await Promise.all(clients)
  expect(await program.ended).toBe(0)

  const all = [...outcomes.values()]
  const answered = [...outcomes].filter(([, { status }]) => status === 201).map(([id]) => id)
  const refused = all.filter(({ error, reused }) => error === 'ECONNREFUSED' && !reused)
  // Whoever has no answer had no connection, and so can try elsewhere without a second thought.
  expect(all.filter((each) => each.status !== 201 && !refused.includes(each))).toEqual([])
  expect(refused).toHaveLength(CLIENTS)
  expect(all.filter(({ closes }) => closes === true).length).toBeGreaterThanOrEqual(CLIENTS)
  const rows = await database.sql<{ externalId: string }[]>`
    select external_id from contacts where organization_id = ${organizationId}`
  expect(rows.map(({ externalId }) => externalId).sort()).toEqual(answered.sort())
  // Beside other tests a heartbeat may be late; nothing that was asked depends on it.
  const late = 'the heartbeat of receiving could not be written'
  const warned = program.lines().filter(({ level, msg }) => Number(level) >= 40 && msg !== late)
  expect(warned).toEqual([])
})

test('what was begun is finished, however long it takes, and then it ends', async () => {
  // Somebody who connected and never says a word must not keep the process.
  openSocket(port, '127.0.0.1').on('error', () => {})
  const agent = new Agent({ keepAlive: true })
  expect((await create(agent, uuidv7())).status).toBe(201)
  // A lock holds the request back until after the port is closed.
  const slow = await database.sql.begin(async (tx) => {
    await tx`lock table contacts in exclusive mode`
    const outcome = create(agent, uuidv7())
    await sleep(200)
    program.child.kill('SIGTERM')
    await sleep(2_500)
    expect(await create(new Agent(), uuidv7())).toMatchObject({ error: 'ECONNREFUSED' })
    return { outcome }
  })
  expect(await slow.outcome).toMatchObject({ status: 201, closes: true })
  expect(await program.ended).toBe(0)
})
