import { startBatch } from '../../src/core/batches/create-batch.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as contents from '../../src/store/content/contents.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { NewBatch } from '../../src/store/batches/batches.ts'

export interface Seeded {
  organizationId: string
  connectionId: string
  accountId: string
}

export const REGION = 'eu-west-1'

/** An organization with a verified connection whose account may send `rate` mails a second. */
export async function seedOrganization(
  sql: Sql,
  { rate = 1_000, accountId = newAccountId() } = {},
) {
  const organizationId = uuidv7()
  const connectionId = uuidv7()
  await sql`insert into organizations (id, name) values (${organizationId}, 'Alice Ltd')`
  await sql`
    insert into connections (organization_id, id, account_id, region, external_id, is_verified,
      last_verified_at, last_event_received_at)
    values (${organizationId}, ${connectionId}, ${accountId}, ${REGION}, ${uuidv7()}, true, now(), now())`
  await sendLimits.learn(
    sql,
    { accountId, region: REGION },
    { maxSendRate: rate, max24Hour: 1e6, sentLast24Hours: 0 },
  )
  return { organizationId, connectionId, accountId }
}

/** `count` active contacts. Returns their ids in order. */
export async function seedContacts(sql: Sql, organizationId: string, count: number) {
  const ids = Array.from({ length: count }, () => uuidv7())
  await sql`
    insert into contacts (organization_id, id, email, email_status, first_name)
    select ${organizationId}, id, 'reader-' || n || '@example.com', 'active', 'Reader ' || n
    from unnest(${ids}::uuid[]) with ordinality as given (id, n)`
  return ids
}

interface BatchSeed {
  scheduledFor?: string
  timezone?: string
  throttlePerSecond?: number
  /** With two variants, A and B, whose subjects are their names. */
  abTest?: {
    sharePercent: number
    winnerBy: 'opened' | 'clicked' | 'manual'
    decideAfter: { amount: number; unit: 'minutes' } | null
  }
  contactIds?: string[]
  subject?: string
  html?: string
  unknownOutcome?: 'fail' | 'retry'
  topicId?: string
  segmentId?: string
  excludedTopicIds?: string[]
  excludedSegmentIds?: string[]
}

function audienceTypeOf({ contactIds, segmentId, topicId }: BatchSeed) {
  if (contactIds) return 'contacts'
  if (segmentId !== undefined) return 'segment'
  return topicId === undefined ? 'all' : 'topic'
}

/** A batch with the outbox row that starts it, as the API writes it. */
export async function seedBatch(
  sql: Sql,
  { organizationId, connectionId }: Seeded,
  seed: BatchSeed = {},
) {
  const id = uuidv7()
  await sql.begin(async (tx) => {
    const contentId = uuidv7()
    const content = { organizationId, subject: null, previewText: null }
    await contents.create(tx, {
      ...content,
      id: contentId,
      html: seed.html ?? '<p>Hello {{ contact.firstName }}</p>',
      text: 'Hello {{ contact.firstName }}',
    })
    const variants = seed.abTest
      ? ['A', 'B'].map((name) => ({ name, subject: name, contentId: uuidv7() }))
      : []
    for (const { name, contentId: variantId } of variants) {
      const parts = { html: `<p>${name} for {{ contact.firstName }}</p>`, text: name }
      await contents.create(tx, { ...content, ...parts, id: variantId })
    }
    const batch: NewBatch = {
      organizationId,
      id,
      status: seed.scheduledFor ? 'scheduled' : 'queued',
      name: 'News',
      audienceType: audienceTypeOf(seed),
      contactIds: seed.contactIds ?? null,
      topicId: seed.topicId ?? null,
      segmentId: seed.segmentId ?? null,
      excludedTopicIds: seed.excludedTopicIds ?? [],
      excludedSegmentIds: seed.excludedSegmentIds ?? [],
      connectionId,
      contentId,
      templateId: null,
      subject: seed.subject ?? 'News',
      previewText: null,
      fromAddress: 'news@example.com',
      fromName: null,
      replyTo: null,
      variableMappings: [],
      scheduledFor: seed.scheduledFor ?? null,
      timezone: seed.timezone ?? null,
      abTest: seed.abTest
        ? { ...seed.abTest, variants: variants.map(({ name }) => ({ name })), said: {} }
        : null,
      throttlePerSecond: seed.throttlePerSecond ?? null,
      unknownOutcome: seed.unknownOutcome ?? 'fail',
      totalRecipients: 0,
    }
    const plain = { templateId: null, previewText: null }
    const variantContents = variants.map(({ name, ...each }) => ({
      ...plain,
      ...each,
      fromName: name,
    }))
    await startBatch(tx, batch, undefined, variantContents)
  })
  return id
}

export const newAccountId = (): string => String(Math.floor(Math.random() * 1e12)).padStart(12, '0')

export interface BatchRow {
  status: string
  failedReason: string | null
  totalRecipients: number
  sent: number
  failed: number
  skipped: number
  unknown: number
}

export const batchRow = async (sql: Sql, id: string): Promise<BatchRow> => {
  const [row] = await sql<BatchRow[]>`
    select status, failed_reason, total_recipients, sent, failed, skipped, unknown
    from batches
    where id = ${id}`
  if (!row) throw new Error('no such batch')
  return row
}

/** A topic without double opt-in and its subscribers. */
export async function seedTopic(
  sql: Sql,
  organizationId: string,
  contactIds: readonly string[] = [],
  columns: { name?: string; doubleOptIn?: boolean; public?: boolean } = {},
) {
  const id = uuidv7()
  await sql`insert into topics ${sql({
    organizationId,
    id,
    name: 'News',
    slug: `topic-${id}`,
    fromAddress: columns.doubleOptIn === true ? 'news@example.com' : null,
    ...columns,
  })}`
  await sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status, subscribed_at)
    select ${organizationId}, contact_id, ${id}, 'subscribed', now()
    from unnest(${[...contactIds]}::uuid[]) as contact_id`
  return id
}
