import type { VariantFigures } from '../../domain/batches/ab-test.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Sql, Transaction } from '../db/sql.ts'
import type { Run } from './batch-runs.ts'

export interface NewVariant {
  contentId: Uuid
  templateId: Uuid | null
  subject: string
  previewText: string | null
  fromName: string | null
}

/** Replaces the variants of a batch. */
export async function replace(
  tx: Transaction,
  organizationId: Uuid,
  batchId: Uuid,
  variants: readonly NewVariant[],
): Promise<void> {
  await tx`
    delete from batch_variants
    where organization_id = ${organizationId} and batch_id = ${batchId}`
  if (variants.length === 0) return
  await tx`
    insert into batch_variants (organization_id, batch_id, position, content_id, template_id,
      subject, preview_text, from_name)
    select ${organizationId}, ${batchId}, place - 1, content_id, template_id, subject,
      preview_text, from_name
    from rows from (
      jsonb_to_recordset(${tx.json(
        variants.map((variant) => ({
          content_id: variant.contentId,
          template_id: variant.templateId,
          subject: variant.subject,
          preview_text: variant.previewText,
          from_name: variant.fromName,
        })),
      )}) as (content_id uuid, template_id uuid, subject text, preview_text text, from_name text)
    ) with ordinality as variant (content_id, template_id, subject, preview_text, from_name, place)`
}

/** Lists the variants of a batch in their order. */
export const list = (tx: Transaction, organizationId: Uuid, batchId: Uuid) => tx<NewVariant[]>`
  select content_id, template_id, subject, preview_text, from_name
  from batch_variants
  where organization_id = ${organizationId} and batch_id = ${batchId}
  order by position`

export interface VariantContent {
  position: number
  contentId: Uuid
  contentHtml: string
  contentText: string
  subject: string
  fromName: string | null
}

/** Lists the contents of a batch's variants in their order. Empty: it is not a test. */
export const listContents = (sql: Sql, organizationId: string, batchId: string) => sql<
  VariantContent[]
>`
  select v.position, v.content_id, c.html as content_html, c.text as content_text, v.subject,
    v.from_name
  from batch_variants v
  join contents c on c.organization_id = v.organization_id and c.id = v.content_id
  where v.organization_id = ${organizationId} and v.batch_id = ${batchId}
  order by v.position`

/** Returns whether a row belongs to the share that compares the variants. */
export const isOfShare = (sql: Executor, row: { organizationId: Part; batchId: Part; id: Part }) =>
  sql`exists (
    select from batch_parts p
    where p.organization_id = ${row.organizationId} and p.batch_id = ${row.batchId} and p.is_test
      and ${rowOf(sql, row.id)} >= p.from_row and ${rowOf(sql, row.id)} < p.to_row)`

/** Number of a batch's row, with which its id ends (`batchRowId`). */
const rowOf = (sql: Executor, id: Part) => sql`('x' || right(${id}::text, 8))::bit(32)::bigint`

/**
 * Counts sent mails of a test by their variant, those of the share and those of the rest, as a part
 * of the statement that decides them. `mails` selects id and variant of each.
 */
export const addSent = (
  sql: Executor,
  { organizationId, batchId }: { organizationId: string; batchId: string | null },
  mails: Part,
) => sql`
  update batch_variants v
  set sent = v.sent + delta.share, rest_sent = v.rest_sent + delta.rest
  from (
    select variant, count(*) filter (where is_of_share) as share,
      count(*) filter (where not is_of_share) as rest
    from (
      select variant, ${isOfShare(sql, {
        organizationId: sql`${organizationId}`,
        batchId: sql`${batchId}`,
        id: sql`id`,
      })} as is_of_share
      from (${mails}) mails
    ) counted
    group by variant
  ) delta
  where v.organization_id = ${organizationId} and v.batch_id = ${batchId}
    and v.position = delta.variant
  returning 1`

const FIGURES = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const
type Figures = Record<(typeof FIGURES)[number], number>

/** Changes that events make to a variant's figures: of the share, and of the rest. */
export interface VariantDelta {
  organizationId: Uuid
  batchId: Uuid
  position: number
  share: Figures
  rest: Figures
}

/** Adds to the figures of variants, which are locked in the order of their keys. */
export const bump = (tx: Transaction, deltas: readonly VariantDelta[]) => tx`
  with moved as (
    select *
    from jsonb_to_recordset(${tx.json(
      deltas.map(({ organizationId, batchId, position, share, rest }) => ({
        organization_id: organizationId,
        batch_id: batchId,
        position,
        ...Object.fromEntries(FIGURES.map((name) => [name, share[name]])),
        ...Object.fromEntries(FIGURES.map((name) => [`rest_${name}`, rest[name]])),
      })),
    )}) as d (organization_id uuid, batch_id uuid, position smallint, sent integer,
      delivered integer, opened integer, clicked integer, bounced integer, complained integer,
      rest_sent integer, rest_delivered integer, rest_opened integer, rest_clicked integer,
      rest_bounced integer, rest_complained integer)
    order by batch_id, position
  ), held as materialized (
    select moved.*
    from moved
    cross join lateral (
      select
      from batch_variants
      where organization_id = moved.organization_id and batch_id = moved.batch_id
        and position = moved.position
      for no key update
    ) locked
  )
  update batch_variants v
  set sent = v.sent + held.sent, delivered = v.delivered + held.delivered,
    opened = v.opened + held.opened, clicked = v.clicked + held.clicked,
    bounced = v.bounced + held.bounced, complained = v.complained + held.complained,
    rest_sent = v.rest_sent + held.rest_sent, rest_delivered = v.rest_delivered + held.rest_delivered,
    rest_opened = v.rest_opened + held.rest_opened, rest_clicked = v.rest_clicked + held.rest_clicked,
    rest_bounced = v.rest_bounced + held.rest_bounced,
    rest_complained = v.rest_complained + held.rest_complained
  from held
  where v.organization_id = held.organization_id and v.batch_id = held.batch_id
    and v.position = held.position`

interface TestedBatch {
  winnerBy: 'opened' | 'clicked' | 'manual'
  decideAfter: { amount: number; unit: 'minutes' | 'hours' | 'days' | 'weeks' } | null
  winner: number | null
  decideAt: string | null
  isDue: boolean
  attempt: number
}

/**
 * Locks a batch that is a test and is being sent, or has nothing left to send and no winner yet;
 * undefined: there is no such one.
 */
export async function lockTest(
  tx: Transaction,
  organizationId: string,
  batchId: string,
): Promise<TestedBatch | undefined> {
  const [batch] = await tx<TestedBatch[]>`
    select ab_test ->> 'winnerBy' as winner_by, ab_test -> 'decideAfter' as decide_after,
      ab_winner as winner, ab_decide_at as decide_at, attempt,
      coalesce(ab_decide_at <= statement_timestamp(), false) as is_due
    from batches
    where organization_id = ${organizationId} and id = ${batchId} and ab_test is not null
      and (status = 'processing' or (status = 'completed' and ab_winner is null))
    for update`
  return batch
}

/** Sets the time of a test's decision, counted from now: all of its share is mailed. */
export async function setDecideAt(
  tx: Transaction,
  { organizationId, batchId }: Run,
  afterMs: number,
): Promise<string> {
  const [batch] = await tx<{ decideAt: string }[]>`
    update batches
    set ab_decide_at = clock_timestamp() + ${afterMs} * interval '1 millisecond'
    where organization_id = ${organizationId} and id = ${batchId}
    returning ab_decide_at as decide_at`
  if (!batch) throw new Error('a locked batch is gone')
  return batch.decideAt
}

/** Lists due tests without a winner, of batches with nothing left to send. */
export const listUndecided = (sql: Sql, limit: number) => sql<
  { organizationId: Uuid; batchId: Uuid; attempt: number }[]
>`
  select organization_id, id as batch_id, attempt
  from batches
  where status = 'completed' and ab_winner is null and ab_decide_at <= statement_timestamp()
  order by ab_decide_at
  limit ${limit}`

/** Reads the variants' figures in the share, in their order. */
export const figures = (sql: Executor, organizationId: string, batchId: string) => sql<
  VariantFigures[]
>`
  select sent, opened, clicked
  from batch_variants
  where organization_id = ${organizationId} and batch_id = ${batchId}
  order by position`

/** Writes the winner of a test whose batch is locked. */
export const decide = (
  tx: Transaction,
  { organizationId, batchId }: { organizationId: string; batchId: string },
  { winner, decision }: { winner: number; decision: object },
) => tx`
  update batches
  set ab_winner = ${winner}, ab_decision = ${tx.json({ ...decision })},
    updated_at = greatest(updated_at, clock_timestamp()), progressed_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${batchId}`
