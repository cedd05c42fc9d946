import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuildFigures } from '../../src/core/metrics/rebuild-figures.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import * as mailUnsubscribes from '../../src/store/consent/mail-unsubscribes.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as inboundEvents from '../../src/store/delivery/inbound-events.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults, type Result } from '../../src/store/delivery/record-results.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { type Api, startApi } from '../support/api.ts'
import { kept, oracle } from '../support/figures.ts'
import { newAccountId, REGION, seedBatch, seedContacts, type Seeded } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { detailOf, tell, type ToldMail } from '../support/told-mails.ts'
import { connectAs } from '../support/logins.ts'

/** Eight writers at once, each of whose sets overlaps those of the others. */
const CONTACTS = 120
const DURATION_MS = sized(2_000, 600_000)
/** Stored events that wait; more make no set larger. */
const MOST_WAITING = 2_000

const keyring = parseKeyring(newKeyringText())
let api: Api
let seeded: Seeded
let contactIds: Uuid[]
/** Buckets of the batches that were sent. */
const sent: { batchId: Uuid; bucket: Uuid }[] = []

beforeAll(async () => {
  api = await startApi({ keyring })
  const { organizationId } = api.alice
  const [accountId, connectionId] = [newAccountId(), uuidv7()]
  await api.sql`
    insert into connections (organization_id, id, account_id, region, external_id, is_verified)
    values (${organizationId}, ${connectionId}, ${accountId}, ${REGION}, ${uuidv7()}, true)`
  seeded = { organizationId, connectionId, accountId }
  contactIds = await seedContacts(api.sql, organizationId, CONTACTS)
  await sendBatch(api.sql)
})
afterAll(() => api.close())

/** Sends a batch to everybody; some calls are answered, of the others only events tell. */
async function sendBatch(sql: Sql): Promise<void> {
  const { organizationId, connectionId } = seeded
  const batchId = await seedBatch(sql, seeded)
  const run = { organizationId, batchId, attempt: 1 }
  await freezePage(sql, { ...run, pageSize: 10_000, chunkSize: 50 })
  const bucket = (await batchRuns.context(sql, organizationId, batchId))?.bucket ?? ''
  sent.push({ batchId, bucket })
  for (let from = 0; from < CONTACTS; from += 40) {
    const claimId = uuidv7()
    const range = { from: batchRowId(bucket, from), to: batchRowId(bucket, from + 40), limit: 40 }
    const claim = { ...run, bucket, connectionId, claimId, ...range }
    const { recipients } = await claimRange(sql, claim)
    const results = recipients.flatMap(({ id }, n): Result[] =>
      n % 3 === 0 ? [] : [{ id, outcome: 'sent', messageId: `m-${id}`, subject: 'News' }],
    )
    // Those who have unsubscribed are not in it: the last range may be empty.
    if (results.length === 0) continue
    await recordResults(sql, { organizationId, bucket, claimId, batchId }, results)
  }
}

const oneOf = <T>(list: readonly T[]): T => list[randomInt(list.length)] as T

/** Events of mails of any batch, in any order. */
async function storeSome(sql: Sql): Promise<void> {
  const [{ waiting } = { waiting: 0 }] = await sql<{ waiting: number }[]>`
    select count(*)::int as waiting from inbound_events where applied_at is null`
  if (waiting > MOST_WAITING) {
    await sleep(50)
    return
  }
  const { organizationId, connectionId } = seeded
  const events = Array.from({ length: 60 }, () => {
    const { bucket } = oneOf(sent)
    const seq = randomInt(CONTACTS)
    const id = batchRowId(bucket, seq)
    const at = new Date(Date.now() - randomInt(3_600_000)).toISOString()
    const mail = { bucket, id, source: 'batch', recipient: null } as const
    const told = oneOf(tell(randomInt(1_000), { messageId: `m-${id}${oneOf(['', '-2'])}`, at }))
    const of: ToldMail = { ...mail, batch: 0, domain: '', answered: null, told: [told] }
    const body = JSON.stringify({ detail: detailOf(of, told, organizationId) })
    return { organizationId, connectionId, envelopeId: `${randomInt(100_000)}`, body }
  })
  await inboundEvents.store(sql, events)
}

async function unsubscribeSome(sql: Sql): Promise<void> {
  const { organizationId } = seeded
  await transact(sql, async (tx) => {
    const named = { batchId: oneOf(sent).batchId, contactId: oneOf(contactIds) }
    const mail = await mailUnsubscribes.lockMail(tx, organizationId, named)
    if (mail) await mailUnsubscribes.markMail(tx, organizationId, mail)
  })
}

async function changeContacts(): Promise<void> {
  const contacts = Array.from({ length: 20 }, () => ({
    email: `reader-${1 + randomInt(CONTACTS)}@example.com`,
    firstName: `Ada ${randomInt(9)}`,
    emailStatus: oneOf(['active', 'unsubscribed']),
    resubscribe: true,
  }))
  const { status, text } = await api.alice.post('/v1/contacts/batch', { contacts })
  if (status >= 500) throw new Error(text)
}

const apply = (sql: Sql) => applyEvents(sql, keyring, 5 + randomInt(100))
const WRITERS: ((sql: Sql) => Promise<unknown>)[] = [
  apply,
  apply,
  apply,
  storeSome,
  unsubscribeSome,
  changeContacts,
  async (sql) => {
    await sendBatch(sql)
    // A batch a while: events are of all of them.
    await sleep(Math.min(10_000, DURATION_MS / 5))
  },
  async (sql) => {
    await rebuildFigures(sql, seeded.organizationId, 50)
    await sleep(100)
  },
]

test(
  'eight writers of overlapping sets: no deadlock reaches one of them, and the figures are right',
  async () => {
    const failed: unknown[] = []
    const rounds = WRITERS.map(() => 0)
    const until = performance.now() + DURATION_MS
    await Promise.all(
      WRITERS.map(async (write, n) => {
        const sql = connectAs(api.databaseUrl, {
          name: 'writer',
          max: 2,
          role: 'letterloom_worker',
        })
        while (performance.now() < until && failed.length === 0) {
          await write(sql).catch((error: unknown) => failed.push(error))
          rounds[n] = (rounds[n] ?? 0) + 1
        }
        await sql.end()
      }),
    )
    expect(failed).toEqual([])
    expect(Math.min(...rounds)).toBeGreaterThan(0)
    const sql = connectAs(api.databaseUrl, { name: 'writer', max: 2, role: 'letterloom_worker' })
    while ((await applyEvents(sql, keyring)) > 0);
    const odd = await sql`select error from inbound_events where error is not null`
    expect(odd).toEqual([])
    expect(await kept(sql, seeded.organizationId)).toEqual(await oracle(sql, seeded.organizationId))
    expect((await rebuildFigures(sql)).corrected).toBe(0)
    await sql.end()
  },
  DURATION_MS + 240_000,
)
