import { afterAll, beforeAll, expect, it } from 'vitest'
import { newKeyringText } from '../../src/keys/tokens.ts'
import { type Api, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type QueueConnection, queueUrl, startQueues } from '../support/event-queues.ts'
import { startEventWorker } from '../support/event-workers.ts'
import { REGION } from '../support/seed.ts'
import { sized } from '../support/size.ts'

const QUEUES = sized(12, 50)
const MESSAGES_EACH = 10
/** Of a worker's 192 MB, without what Temporal's part of it takes. */
const HEAP_MEGABYTES = 110
/** As in production: nothing that waits for room is received twice. */
const TIMINGS = { leaseMs: 30_000, receivingGapMs: 15_000 }

let api: Api
let queues: Awaited<ReturnType<typeof startQueues>>
beforeAll(async () => {
  api = await startApi()
  queues = await startQueues(api.sql, api.databaseUrl)
})
afterAll(async () => {
  await queues.stop()
  await api.close()
})

async function connect(client: Api['alice']): Promise<QueueConnection> {
  const made = await queues.connect(client.organizationId, { maxReceiveCount: 100 })
  await client.patch(`/v1/connections/${made.connectionId}`, { eventQueueUrl: queueUrl(made) })
  return made
}

/** Puts events of a size into a queue. */
const put = (
  { accountId, queue }: QueueConnection,
  events: number,
  characters: number,
) => api.admin`
  insert into sandbox.queue_messages (id, account, region, queue, body)
  select gen_random_uuid(), ${accountId}, ${queue.region}, ${queue.name},
    format('{"id":"%s","account":"%s","region":"%s","detail":{"eventType":"Delivery","mail":'
        || '{"messageId":"m%s","timestamp":"%s","destination":["ada@example.com"]},"more":"%s"}}',
      gen_random_uuid(), ${accountId}::text, ${REGION}::text, n, ${new Date().toISOString()}::text,
      repeat('x', ${characters}))
  from generate_series(1, ${events}::int) as n`
const applied = async (connectionIds: string[]): Promise<number> => {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::int as count
    from inbound_events
    where connection_id = any(${connectionIds}::uuid[]) and applied_at is not null`
  return row?.count ?? 0
}

it('a worker lives when many queues of one organization bring events of a mebibyte, and applies the others’ events', async () => {
  const large = await Promise.all(Array.from({ length: QUEUES }, () => connect(api.alice)))
  const small = await connect(api.charlie)
  for (const each of large) await put(each, MESSAGES_EACH, 1_048_000)
  await put(small, 200, 1)
  const worker = await startEventWorker({
    databaseUrl: api.databaseUrl,
    keys: newKeyringText(),
    polls: true,
    timings: TIMINGS,
    heapMegabytes: HEAP_MEGABYTES,
  })
  const ids = large.map(({ connectionId }) => connectionId)
  await until(async () => worker.hasEnded() || (await applied([small.connectionId])) === 200)
  expect(await applied(ids)).toBeLessThan(QUEUES * MESSAGES_EACH)
  await until(async () => worker.hasEnded() || (await applied(ids)) === QUEUES * MESSAGES_EACH)
  expect(worker.hasEnded()).toBe(false)
  await worker.stop()
})
