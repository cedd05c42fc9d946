import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered } from '../support/answered.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { openSlowSockets } from '../support/slow-sockets.ts'

const SLOW = sized(80, 400)
const OTHERS = sized(40, 200)

let database: TestDatabase
let api: ApiProcess
beforeAll(async () => {
  database = await createDatabase()
  api = await startApiProcess(database.url)
  await answered(() => fetch(`${api.url}/openapi.json`))
})
afterAll(async () => {
  await api.stop()
  await database.drop()
})

test('clients that never finish what they say keep nobody waiting, and are shown the door', async () => {
  const slow = await openSlowSockets(api.port, SLOW)
  try {
    const statuses = []
    for (let n = 0; n < OTHERS; n++) statuses.push((await fetch(`${api.url}/openapi.json`)).status)
    expect(statuses).toEqual(Array.from({ length: OTHERS }, () => 200))
    // Half of them drip a header, for which there are ten seconds; a body may take a minute. The
    // body is public's and counts per address, so some of those were refused long before.
    await until(async () => (slow.told()['408'] ?? 0) >= SLOW / 2)
    expect(slow.told()['0'] ?? 0).toBe(0)
  } finally {
    slow.stop()
  }
})
