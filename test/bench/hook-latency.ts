/**
 * Time from a committed change to the call of a webhook endpoint, while a hundred other endpoints
 * hang, in the whole system on this machine:
 *
 *   npm run build && npx tsx test/bench/hook-latency.ts [events] [milliseconds between them]
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { startSystem } from '../../src/main/dev/system.ts'

const [EVENTS = 200, PAUSE_MS = 100] = process.argv.slice(2).map(Number)
const ORGANIZATIONS = 10
const ENDPOINTS = 10
const PATIENCE_MS = 60_000
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN

const arrivedAt = new Map<string, number>()
let hanging = 0
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.url === '/hangs') return void hanging++
    const { data }: { data: { contact: { id: string } } } = JSON.parse(
      Buffer.concat(chunks).toString(),
    )
    arrivedAt.set(data.contact.id, performance.now())
    response.writeHead(204).end()
  })
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const folder = await mkdtemp(join(tmpdir(), 'letterloom-hook-latency-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, say)
try {
  const { sql, apiUrl } = system
  const organization = async (name: string) => {
    const { key } = await createOrganization(sql, {
      name,
      ownerEmail: `${name}@letterloom.example`,
      ownerName: 'Owner',
      plan: 'enterprise',
    })
    return createClient({ baseUrl: apiUrl, token: key })
  }
  const eventTypes = ['contact.created' as const]
  const good = await organization('good')
  await good.post('/v1/webhook-endpoints', { body: { url: `${url}/good`, eventTypes } })
  for (let n = 0; n < ORGANIZATIONS; n++) {
    const client = await organization(`hanging-${n}`)
    for (let each = 0; each < ENDPOINTS; each++) {
      await client.post('/v1/webhook-endpoints', { body: { url: `${url}/hangs`, eventTypes } })
    }
    for (let each = 0; each < 20; each++) {
      await client.post('/v1/contacts', { body: { email: `hanging-${n}-${each}@example.com` } })
    }
  }
  const committedAt = new Map<string, number>()
  for (let n = 0; n < EVENTS; n++) {
    const { id } = await good.post('/v1/contacts', { body: { email: `good-${n}@example.com` } })
    committedAt.set(id, performance.now())
    await sleep(PAUSE_MS)
  }
  const begin = performance.now()
  while (arrivedAt.size < EVENTS && performance.now() - begin < PATIENCE_MS) await sleep(50)
  const took = [...committedAt].map(([id, at]) =>
    Math.max(0, (arrivedAt.get(id) ?? Number.POSITIVE_INFINITY) - at),
  )
  say(
    `${arrivedAt.size} of ${EVENTS} events arrived beside ${ORGANIZATIONS * ENDPOINTS} endpoints that hang (${hanging} calls): p50 ${quantile(took, 0.5).toFixed(0)} ms, p95 ${quantile(took, 0.95).toFixed(0)} ms, most ${Math.max(...took).toFixed(0)} ms`,
  )
} finally {
  await system.stop()
  receiver.closeAllConnections()
  receiver.close()
  await rm(folder, { recursive: true, force: true })
}
