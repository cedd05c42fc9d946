import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openSlowSockets } from '../support/slow-sockets.ts'

const SLOW = 400
const OTHERS = 200

let database: TestDatabase
let api: ApiProcess
beforeAll(async () => {
  database = await createDatabase()
  api = await startApiProcess(database.url)
})
afterAll(async () => {
  await api.stop()
  await database.drop()
})

test('clients that never finish what they say keep nobody else from being answered', async () => {
  const slow = await openSlowSockets(api.port, SLOW)
  try {
    const statuses = []
    for (let n = 0; n < OTHERS; n++) statuses.push((await fetch(`${api.url}/openapi.json`)).status)
    expect(statuses).toEqual(Array.from({ length: OTHERS }, () => 200))
  } finally {
    slow.stop()
  }
})
