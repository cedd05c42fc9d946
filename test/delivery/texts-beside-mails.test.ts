import { afterAll, beforeAll, expect, test } from 'vitest'
import * as sendingFigures from '../../src/core/accounts/sending-figures.ts'
import { rebuildFigures } from '../../src/core/metrics/rebuild-figures.ts'
import {
  type Api,
  type Client,
  connectAccount,
  createBatch,
  freeze,
  startApi,
} from '../support/api.ts'
import { insertSent, newBucket, type SentMail } from '../support/figures.ts'
import { sized } from '../support/size.ts'

/*
 * The ledger has texts beside mails. Whatever is counted, listed or judged of mails is the same to
 * the digit, whatever texts there are and become.
 */

let api: Api
let client: Client & { connectionId: string }
beforeAll(async () => {
  api = await startApi()
  const { connectionId } = await connectAccount(api.charlie)
  client = { ...api.charlie, connectionId }
})
afterAll(() => api.close())

const now = Date.now()
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()

/** One of each kind that some figure counts. */
const KINDS: Omit<SentMail, 'sentAt'>[] = [
  {},
  { deliveredAt: ago(1), status: 'delivered' },
  { deliveredAt: ago(1), openedAt: ago(1), humanOpenedAt: ago(1), clickedAt: ago(1) },
  { bouncedAt: ago(1), bounceType: 'Permanent', bounceSubType: 'General', status: 'bounced' },
  { bouncedAt: ago(1), bounceType: 'Transient', bounceSubType: 'General', status: 'bounced' },
  { complainedAt: ago(1), status: 'complained' },
  { unsubscribedAt: ago(1) },
  { status: 'failed' },
]

/** All that is told of mails. */
async function mailFigures(): Promise<object> {
  const logs: object[] = []
  for (let cursor = ''; ; ) {
    const { body } = await client.get(`/v1/email/logs?limit=100${cursor}`)
    logs.push(...body.logs)
    if (body.nextCursor === null) break
    cursor = `&cursor=${body.nextCursor}`
  }
  const { body: metrics } = await client.get('/v1/email/metrics?dimensions=source')
  const batchFigures = await api.sql`
    select dimension, value, sum(sent) as sent, sum(bounced) as bounced from batch_figures
    where organization_id = ${client.organizationId} group by 1, 2 order by 1, 2`
  const week = await sendingFigures.ofLastWeek(api.sql, client, now)
  return { logs, metrics, batchFigures: [...batchFigures], week }
}

test('figures, metrics, logs and health of mails are the same with texts and without', async () => {
  const { id: batchId } = await createBatch(client)
  const bucket = newBucket()
  await freeze(api.sql, batchId, bucket, 2_000)
  const places: Pick<SentMail, 'source' | 'batchId' | 'bucket'>[] = [
    { source: 'transactional' },
    { source: 'batch', batchId, bucket },
  ]
  const rows = (channel: 'email' | 'sms', count: number): SentMail[] =>
    Array.from({ length: count }, (_, n) => ({
      channel,
      sentAt: ago(30),
      ...KINDS[n % KINDS.length],
      ...places[Math.floor(n / KINDS.length) % places.length],
    }))
  await insertSent(api.sql, client, rows('email', 64))
  const before = await mailFigures()
  expect(before).toMatchObject({ metrics: { totals: { sent: 64 } }, week: { sent: 64 } })

  const texts = await insertSent(api.sql, client, rows('sms', sized(160, 1_000)))
  expect(await mailFigures()).toEqual(before)
  const ids = texts.map(({ id }) => id)
  await api.sql`
    update messages set delivered_at = now(), clicked_at = now(), status = 'clicked'
    where id = any(${ids}::uuid[])`
  expect(await mailFigures()).toEqual(before)
  expect(await rebuildFigures(api.sql, client.organizationId)).toMatchObject({ corrected: 0 })
  expect(await mailFigures()).toEqual(before)
  for (const id of ids.slice(0, 2)) {
    expect((await client.get(`/v1/email/logs/${id}`)).status).toBe(404)
  }
  await api.sql`delete from messages where id = any(${ids}::uuid[])`
  expect(await mailFigures()).toEqual(before)
})
