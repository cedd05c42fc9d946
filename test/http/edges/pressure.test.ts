import { setImmediate } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MOST_IN_FLIGHT, MOST_LOOP_DELAY_MS } from '../../../api/http/edges/pressure.ts'
import { buildApp } from '../../../api/app.ts'
import { type Answer, type Api, inject, startApi, tally } from '../../support/api.ts'
import { until } from '../../support/engine.ts'
import { createDatabase } from '../../support/database.ts'
import { logIn } from '../../support/people.ts'
import { connectAs } from '../../support/logins.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const refusals = async () => {
  const { values } = await api.deps.metrics.refusedUnderPressure.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]))
}

test('a flood onto a slow database is answered 503 beyond a thousand, the rest 200; then all is well', async () => {
  const extra = 200
  const answers: Promise<Answer>[] = []
  await api.sql.begin(async (tx) => {
    await tx`lock table contacts in access exclusive mode`
    for (let i = 0; i < MOST_IN_FLIGHT + extra; i++) answers.push(api.alice.get('/v1/contacts'))
    // Refused at once, while the others still wait.
    const refused = await Promise.all(answers.slice(MOST_IN_FLIGHT))
    expect(tally(refused.map(({ status }) => status))).toEqual({ 503: extra })
    expect(refused[0]?.body).toMatchObject({ code: 'INTERNAL_ERROR', reason: 'overloaded' })
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    // Refused before anybody looks at the credentials; and who asks whether we live is answered.
    expect((await inject(api.app, { url: '/v1/contacts' })).status).toBe(503)
    expect((await inject(api.app, { url: '/health' })).status).toBe(200)
  })
  const all = await Promise.all(answers)
  expect(tally(all.map(({ status }) => status))).toEqual({ 200: MOST_IN_FLIGHT, 503: extra })
  expect((await api.alice.get('/v1/contacts')).status).toBe(200)
  expect(await refusals()).toEqual({ in_flight: extra + 1 })
})

test('logins that wait for their delay leave room for everybody else', async () => {
  const email = 'nobody@example.com'
  for (let n = 0; n < 3; n++) expect((await logIn(api.app, { email })).status).toBe(401)
  let open = () => {}
  const gate = new Promise<void>((_, reject) => {
    open = () => reject(new Error('the test is over'))
  })
  let delayed = 0
  const pause = () => {
    delayed++
    return gate
  }
  const app = await buildApp({ ...api.deps, pause })
  const refused: Answer[] = []
  const tries = Array.from({ length: MOST_IN_FLIGHT }, async () => {
    const answer = await logIn(app, { email })
    if (answer.status === 503) refused.push(answer)
    return answer
  })
  await until(async () => delayed + refused.length === MOST_IN_FLIGHT)
  expect(delayed).toBe(MOST_IN_FLIGHT / 10)
  expect(refused[0]?.body.reason).toBe('busy')
  const headers = { authorization: `Bearer ${api.alice.key}` }
  expect((await inject(app, { url: '/v1/organization', headers })).status).toBe(200)
  // An error, or a hundred passwords would be looked at.
  open()
  await Promise.all(tries)
  await app.close()
})

// Shorter and longer than a sample of the event loop's delay.
test.each([400, 1_200])(
  'an event loop that stands still for %i ms again and again answers 503 before doing work, and recovers',
  async (stillMs) => {
    const app = await buildApp({ ...api.deps, mostLoopDelayMs: MOST_LOOP_DELAY_MS })
    let worked = 0
    app.get('/work', { config: { public: true, unlimited: true } }, () => {
      worked++
      return {}
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const work = () => fetch(`http://127.0.0.1:${port}/work`).then(({ status }) => status)
    expect(await work()).toBe(200)
    const statuses: number[] = []
    for (let round = 1; round <= 60 && !statuses.includes(503); round++) {
      const end = performance.now() + stillMs
      while (performance.now() < end);
      await setImmediate()
      // Between two looks for longer than three samples: a look gives the loop some rest.
      if (round % 9 === 0) statuses.push(await work())
    }
    expect(statuses).toContain(503)
    expect(worked).toBe(1 + statuses.filter((status) => status === 200).length)
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
    await until(async () => (await work()) === 200)
    expect(Object.keys(await refusals())).toContain('event_loop')
    await app.close()
  },
)

test('a statement that takes too long is answered 503 with Retry-After', async () => {
  const database = await createDatabase()
  const sql = connectAs(database.url, {
    name: 'slow',
    role: 'letterloom_api',
    max: 1,
    statementTimeoutMs: 100,
  })
  const app = await buildApp({ ...api.deps, sql })
  app.get('/slow', { config: { public: true } }, () => sql`select pg_sleep(5)`)
  const answer = await inject(app, { url: '/slow' })
  expect([answer.status, answer.body.code]).toEqual([503, 'INTERNAL_ERROR'])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect(answer.text).not.toMatch(/statement|timeout/i)
  await app.close()
  await sql.end()
  await database.drop()
})
