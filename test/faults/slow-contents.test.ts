import { afterAll, beforeAll, expect, it } from 'vitest'
import { SENDER } from '../../src/main/dev/system.ts'
import { batchRow } from '../support/seed.ts'
import { connectSender, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { isFull } from '../support/size.ts'
import { startTestSystem, type TestSystem } from '../support/system.ts'

const SLOW_BATCHES = 40
const LONGEST_MS = 900_000
/** An ordinary batch takes one or two seconds alone; it took 7.5 minutes beside them. */
const MOST_MORE_MS = 20_000

let system: TestSystem
beforeAll(async () => {
  if (!isFull) return
  system = await startTestSystem({}, 'production')
})
afterAll(async () => {
  if (isFull) await system.stop()
})

/** Milliseconds until a batch to one person is over. */
async function batchMs({ client }: Sender, contactId: string): Promise<number> {
  const begunAt = performance.now()
  const { id } = await startBatch(client, contactId, '<p>Hello</p>')
  await until(async () => (await batchRow(system.sql, id)).status === 'completed', LONGEST_MS)
  return performance.now() - begunAt
}

const startBatch = (client: Sender['client'], contactId: string, htmlContent: string) =>
  client.post('/v1/batch', {
    body: {
      audienceType: 'contacts',
      contactIds: [contactId],
      from: SENDER,
      subject: 'News',
      htmlContent,
    },
  })

const personOf = async ({ client }: Sender, email: string): Promise<string> =>
  (await client.post('/v1/contacts', { body: { email } })).id

/** Takes longer than a mail may, in a way of its own. */
const slowContent = (n: number): string =>
  `<p>{% for i in (1..99999) %}{% for j in (1..${1_000 + n}) %}{{ contact.firstName | default: "x" | append: j | replace: "x", i }}{% endfor %}{% endfor %}</p>`

it.skipIf(!isFull)(
  'forty slow contents of one organization, and the batch of another does not wait for them',
  async () => {
    const hostile = await connectSender(system, 50)
    const ordinary = await connectSender(system, 50)
    const reader = await personOf(ordinary, 'reader@example.com')
    const target = await personOf(hostile, 'target@example.com')
    await batchMs(ordinary, reader)
    const aloneMs = await batchMs(ordinary, reader)
    const slow = await Promise.all(
      Array.from({ length: SLOW_BATCHES }, (_, n) =>
        startBatch(hostile.client, target, slowContent(n)),
      ),
    )
    const besideMs: number[] = []
    for (let tries = 0; tries < 3; tries++) besideMs.push(await batchMs(ordinary, reader))
    const open = await Promise.all(slow.map(({ id }) => batchRow(system.sql, id)))
    expect(open.filter(({ status }) => status === 'processing').length).toBeGreaterThan(3)
    expect(Math.max(...besideMs)).toBeLessThan(aloneMs + MOST_MORE_MS)
  },
  1_800_000,
)
