import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuildFigures } from '../../src/core/metrics/rebuild-figures.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as claims from '../../src/store/delivery/claims.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults, type Result } from '../../src/store/delivery/record-results.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { type Answer, type Api, connectAccount, inject, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import {
  batchOf,
  differences,
  figuresOfMails,
  peopleOf,
  readBatch,
  readMails,
  readPeople,
  readTimelines,
} from '../support/event-oracle.ts'
import { queueUrl, startQueues } from '../support/event-queues.ts'
import { startEventWorker } from '../support/event-workers.ts'
import { insertSent, kept } from '../support/figures.ts'
import { newAccountId, seedBatch, seedContacts, type Seeded } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { notification, SNS_REGION, type SnsHost, startSnsHost, topicOf } from '../support/sns.ts'
import {
  detailOf,
  entriesOf,
  knownOf,
  messageIdOf,
  oldId,
  tell,
  type ToldMail,
} from '../support/told-mails.ts'

/** So many at least: about seven are told of two batches to a contact each. */
const EVENTS = sized(300, 100_000)
const CONTACTS = Math.round(EVENTS / 6)
const COPIES = 3
const DAY_MS = 86_400_000
const CLAIMED = 500
/** Workers that are killed; two others are not. */
const DYING = sized(1, 2)
/** Events that are on their way at once by one way. */
const AT_ONCE = 40
const PATIENCE_MS = sized(180_000, 1_800_000)

const keys = newKeyringText()
let api: Api
let sns: SnsHost
let queues: Awaited<ReturnType<typeof startQueues>>
/** Alice's connection, whose events come by every way. */
let seeded: Seeded
let queue: { region: string; name: string }
let secret: string

beforeAll(async () => {
  sns = await startSnsHost()
  api = await startApi({ keyring: parseKeyring(keys), fetcher: sns.fetcher })
  queues = await startQueues(api.sql, api.databaseUrl)
  const account = { accountId: newAccountId(), region: SNS_REGION }
  const made = await connectAccount(api.alice, account)
  const { organizationId } = api.alice
  seeded = { organizationId, connectionId: made.connectionId, accountId: account.accountId }
  secret = made.webhookSecret
  queue = await queues.putQueue({
    ...account,
    externalId: made.externalId,
    maxReceiveCount: 100,
  })
  await api.alice.patch(`/v1/connections/${made.connectionId}`, {
    eventQueueUrl: queueUrl({ ...seeded, queue }),
    snsTopicArn: topicOf(account.accountId),
  })
  await api.sql`update connections set is_verified = true where id = ${made.connectionId}`
  await seedContacts(api.sql, organizationId, CONTACTS)
})
afterAll(async () => {
  await queues.stop()
  await api.close()
  await sns.close()
})

interface Envelope {
  id: string
  detail: object
}

const envelope = ({ id, detail }: Envelope): object => ({
  version: '0',
  id,
  'detail-type': 'Email',
  source: 'aws.ses',
  account: seeded.accountId,
  time: new Date().toISOString(),
  region: SNS_REGION,
  resources: [],
  detail,
})

function expectStored(answers: readonly Answer[]): void {
  const wrong = answers.filter(
    ({ body: { status } }) => status !== 'processed' && status !== 'duplicate',
  )
  expect(wrong.map(({ text }) => text)).toEqual([])
}

/** Every way by which an event may come. */
const WAYS: ((events: readonly Envelope[]) => Promise<void>)[] = [
  async (events) => {
    const posting = events.map((each) =>
      inject(api.app, {
        method: 'POST',
        url: `/webhooks/ses/${seeded.accountId}`,
        headers: { 'content-type': 'application/json', 'x-webhook-secret': secret },
        payload: envelope(each),
      }),
    )
    expectStored(await Promise.all(posting))
  },
  async (events) => {
    const posting = events.map(({ id, detail }) =>
      inject(api.app, {
        method: 'POST',
        url: `/webhooks/sns/${seeded.connectionId}`,
        headers: { 'content-type': 'text/plain; charset=UTF-8' },
        payload: JSON.stringify(notification(topicOf(seeded.accountId), detail, { MessageId: id })),
      }),
    )
    expectStored(await Promise.all(posting))
  },
  async (events) => {
    const bodies = events.map((each) => JSON.stringify(envelope(each)))
    if (bodies.length > 0) await queues.control.putMessages(seeded.accountId, queue, bodies)
  },
]

interface Sent {
  batchId: Uuid
  mails: ToldMail[]
}

interface ClaimedRows {
  organizationId: Uuid
  bucket: Uuid
  claimId: Uuid
  batchId: Uuid
}

/** A batch whose mails were all claimed; what becomes of each claim is the caller's. */
async function claimBatch(end: (claim: ClaimedRows, ids: Uuid[]) => PromiseLike<unknown>) {
  const { organizationId, connectionId } = seeded
  const batchId = await seedBatch(api.sql, seeded)
  const run = { organizationId, batchId, attempt: 1 }
  await freezePage(api.sql, { ...run, pageSize: 100_000, chunkSize: CLAIMED })
  const bucket = (await batchRuns.context(api.sql, organizationId, batchId))?.bucket ?? ''
  for (let from = 0; from < CONTACTS; from += CLAIMED) {
    const claimId = uuidv7()
    const range = { from: batchRowId(bucket, from), to: batchRowId(bucket, from + CLAIMED) }
    const claim = { ...run, bucket, connectionId, claimId, ...range, limit: CLAIMED }
    const { recipients } = await claimRange(api.sql, claim)
    const ids = recipients.map(({ id }) => id)
    await end({ organizationId, bucket, claimId, batchId }, ids)
  }
  const rows = await api.sql<{ id: Uuid; recipient: string; sentAt: string | null }[]>`
    select id, recipient, sent_at
    from messages
    where organization_id = ${organizationId} and bucket = ${bucket}
    order by id`
  return { batchId, bucket, rows }
}

const ofBatch = { source: 'batch', domain: 'example.com' } as const

/** Calls were answered. Some events of some mails have no tag of ours: their message ids tell. */
async function answeredMails(): Promise<Sent> {
  const { batchId, bucket, rows } = await claimBatch((claim, ids) => {
    const results = ids.map((id): Result => {
      return { id, outcome: 'sent', messageId: messageIdOf(id), subject: 'News' }
    })
    return recordResults(api.sql, claim, results)
  })
  const mails = rows.map(({ id, recipient, sentAt }, n): ToldMail => {
    const answered = { messageId: messageIdOf(id), sentAt: sentAt ?? '' }
    const told = tell(n, { messageId: answered.messageId, at: answered.sentAt }).map((each) => ({
      ...each,
      isUntagged: n % 10 === 7,
    }))
    // An earlier call of it was accepted as well: the answer stands.
    if (n % 40 === 9) told.push(...tell(n + 1, earlier(id, n, 2)).map(asTagged))
    return { ...ofBatch, bucket, id, batch: 0, recipient, answered, told }
  })
  return { batchId, mails }
}

const asTagged = <T>(told: T) => ({ ...told, isUntagged: false })

/** Calls broke off: only events tell. Of some nothing is heard, some were accepted twice. */
async function doubtedMails(): Promise<Sent> {
  const { connectionId } = seeded
  const { batchId, bucket, rows } = await claimBatch(({ claimId, ...claim }, messageIds) =>
    claims.doubt(api.sql, { ...claim, id: claimId, connectionId, messageIds }).then(),
  )
  const mails = rows.map(({ id, recipient }, n): ToldMail => {
    const told = n % 20 === 3 ? [] : tell(n + 7, earlier(id, n))
    if (n % 6 === 2) told.push(...tell(n + 3, earlier(id, n + (n % 4), 2)))
    return { ...ofBatch, bucket, id, batch: 1, recipient, answered: null, told }
  })
  return { batchId, mails }
}

/** The acceptance of a mail's call, a while ago. */
const earlier = (id: Uuid, n: number, call = 1) => ({
  messageId: messageIdOf(id, call),
  at: new Date(STARTED - 7_200_000 + (n % 500) * 11_000).toISOString(),
})
const STARTED = Math.floor(Date.now() / 1_000) * 1_000

/** Single mails of yesterday, in the partition of yesterday, whose events come a day late. */
async function oldMails(): Promise<ToldMail[]> {
  const mails = Array.from({ length: Math.ceil(EVENTS / 300) }, (_, n): ToldMail => {
    const time = STARTED - DAY_MS + n * 1_000
    const sentAt = new Date(time).toISOString()
    return {
      bucket: oldId(time).bucket,
      source: 'transactional',
      batch: null,
      domain: `d${n % 3}.example.com`,
      recipient: null,
      answered: null,
      sentAt,
      told: tell(n, { messageId: messageIdOf('old', n), at: sentAt }),
    }
  })
  const sent = mails.map(({ sentAt = null, bucket, domain: fromDomain }) => {
    return { sentAt, bucket, fromDomain }
  })
  const rows = await insertSent(api.sql, seeded, sent)
  return mails.map((mail, n) => ({ ...mail, ...rows[n] }))
}

function shuffle<T>(list: T[]): T[] {
  for (let n = list.length - 1; n > 0; n--) {
    const other = randomInt(n + 1)
    ;[list[n], list[other]] = [list[other] as T, list[n] as T]
  }
  return list
}

interface Copy {
  way: number
  event: Envelope
}

/** Each by every way: twice the same event, and once as another that says the same. */
function copiesOf(mails: readonly ToldMail[]): Copy[] {
  const copies = mails.flatMap((mail) =>
    mail.told.flatMap((told) => {
      const event = { id: uuidv7(), detail: detailOf(mail, told, seeded.organizationId) }
      const way = randomInt(WAYS.length)
      return [event, event, { ...event, id: uuidv7() }].map((each, n) => ({
        way: (way + n) % WAYS.length,
        event: each,
      }))
    }),
  )
  return shuffle(copies)
}

async function deliver(copies: readonly Copy[]): Promise<void> {
  for (let from = 0; from < copies.length; from += AT_ONCE * WAYS.length) {
    const page = copies.slice(from, from + AT_ONCE * WAYS.length)
    const delivering = WAYS.map((way, n) =>
      way(page.flatMap((each) => (each.way === n ? each.event : []))),
    )
    await Promise.all(delivering)
  }
}

async function allApplied(): Promise<void> {
  await until(async () => {
    const { visible, hidden } = await queues.control.queue(seeded.accountId, queue)
    const waiting = await api.sql`select from inbound_events where applied_at is null limit 1`
    return visible + hidden + waiting.length === 0
  }, PATIENCE_MS)
}

test(
  'events of every way, thrice, in any order, some a day late, by workers some of which are killed, end where an oracle says',
  async () => {
    const { organizationId } = seeded
    const [answered, doubted, old] = [await answeredMails(), await doubtedMails(), await oldMails()]
    const before = await readPeople(api.sql, organizationId)
    const ofPeople = [...answered.mails, ...doubted.mails]
    const mails = [...ofPeople, ...old]

    const work = { databaseUrl: api.databaseUrl, keys }
    const [dying, lasting] = await Promise.all([
      Promise.all(
        Array.from({ length: DYING }, () => startEventWorker({ ...work, death: 'applying' })),
      ),
      Promise.all([true, false].map((polls) => startEventWorker({ ...work, polls }))),
    ])
    const copies = copiesOf(ofPeople)
    expect(copies.length).toBeGreaterThanOrEqual(COPIES * EVENTS)
    const late = copies.splice(0, Math.ceil(copies.length / 100))
    await deliver(copies)
    const killed = await Promise.all(dying.map((each) => each.killed()))
    expect(killed).toEqual(dying.map(() => 'SIGKILL'))
    await allApplied()
    await deliver([...late, ...copiesOf(old)])
    await allApplied()
    await Promise.all(lasting.map((each) => each.stop()))

    const odd = await api.sql`
      select error, ignored from inbound_events where error is not null or ignored is not null`
    expect(odd).toEqual([])
    const known = new Map(mails.map((mail) => [mail.id ?? '', knownOf(mail)]))
    expect(differences(known, await readMails(api.sql, organizationId))).toEqual([])
    const heard = mails.filter(({ told }) => told.length > 0)
    const entries = new Map(heard.map((mail) => [mail.id ?? '', entriesOf(mail)]))
    expect(differences(entries, await readTimelines(api.sql, organizationId))).toEqual([])
    const people = peopleOf(ofPeople, before)
    expect(differences(people, await readPeople(api.sql, organizationId))).toEqual([])
    for (const { batchId, mails: own } of [answered, doubted]) {
      expect(await readBatch(api.sql, organizationId, batchId)).toEqual(batchOf(own))
    }
    expect(await kept(api.sql, organizationId)).toEqual(figuresOfMails(seeded, mails))
    expect((await rebuildFigures(api.sql)).corrected).toBe(0)
  },
  PATIENCE_MS * 2,
)
