import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../src/main/dev/ports.ts'
import { until } from '../support/engine.ts'
import { seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { startTestSystem, type TestSystem } from '../support/system.ts'

const MOST_SERIES = 1_000
const ORGANIZATIONS = sized(50, 1_000)
const BATCHES = sized(10, 100)

let system: TestSystem
let internalPort: number
beforeAll(async () => {
  // API and worker have the port that is set and the next.
  do internalPort = await freePort()
  while ((await freePort(internalPort + 1)) !== internalPort + 1)
  system = await startTestSystem({
    INTERNAL_PORT: String(internalPort),
    INTERNAL_HOST: '127.0.0.1',
  })
})
afterAll(() => system.stop())

async function series(port: number): Promise<string[]> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return page.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('a process has at most a thousand series, however many organizations and batches there are', async () => {
  const { sql } = system
  for (let n = 0; n < ORGANIZATIONS; n++) {
    const seeded = await seedOrganization(sql, { rate: 1 + (n % 50) })
    if (n >= BATCHES) continue
    await seedContacts(sql, seeded.organizationId, 2)
    await seedBatch(sql, seeded)
  }
  // Nobody is at the other end of their accounts, so that calls fail in all ways that there are.
  await until(async () => {
    const [row] = await sql<{ waiting: number }[]>`
      select count(*)::integer as waiting from batches where status in ('queued', 'preparing')`
    return row?.waiting === 0
  })

  // Every operation is asked for, by somebody unknown and by unknown names.
  const { paths } = (await (await fetch(`${system.apiUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, object>>
  }
  const asked = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ path, method: method.toUpperCase() })),
  )
  expect(asked.length).toBeGreaterThan(100)
  for (const { path, method } of asked) {
    for (const name of ['one', 'another']) {
      await fetch(system.apiUrl + path.replaceAll(/\{\w+\}/g, name), { method, redirect: 'manual' })
    }
  }

  const ofApi = await series(internalPort)
  const ofWorker = await series(internalPort + 1)
  expect(ofApi.filter((line) => line.includes('route=')).length).toBeGreaterThan(100)
  expect(ofWorker.filter((line) => line.startsWith('temporal_')).length).toBeGreaterThan(10)
  expect(ofApi.length).toBeLessThanOrEqual(MOST_SERIES)
  expect(ofWorker.length).toBeLessThanOrEqual(MOST_SERIES)
})
