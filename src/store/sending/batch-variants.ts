import type { VariantFigures } from '../../domain/sending/ab-test.ts'
import type { Uuid } from '../../ids.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'
import type { Run } from './batch-runs.ts'

/** What recipients of one variant get. */
export interface NewVariant {
  contentId: Uuid
  templateId: Uuid | null
  subject: string
  previewText: string | null
  fromName: string | null
}

/** Writes the variants of a batch, in the place of those that it had. */
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

/** The variants of a batch, in their order, as they were written. */
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

/** What the variants of a batch say, in their order; none: it is no test. */
export const listContents = (sql: Sql, organizationId: string, batchId: string) => sql<
  VariantContent[]
>`
  select v.position, v.content_id, c.html as content_html, c.text as content_text, v.subject,
    v.from_name
  from batch_variants v
  join contents c on c.organization_id = v.organization_id and c.id = v.content_id
  where v.organization_id = ${organizationId} and v.batch_id = ${batchId}
  order by v.position`

/**
 * Counts sent mails of a batch by their variant: a part of the statement that decides them, whose
 * `moved` they are. Nothing where it is no test.
 */
export const addSent = (
  sql: Executor,
  {
    organizationId,
    batchId,
    isTest,
  }: { organizationId: string; batchId: string | null; isTest: boolean },
) =>
  isTest
    ? sql`
  update batch_variants v
  set sent = v.sent + delta.rows
  from (
    select variant, count(*) as rows
    from moved
    where state = 'sent' and variant is not null
    group by variant
  ) delta
  where v.organization_id = ${organizationId} and v.batch_id = ${batchId}
    and v.position = delta.variant
  returning 1`
    : sql`select 1`

export interface VariantDelta {
  sent: number
  delivered: number
  opened: number
  clicked: number
  bounced: number
  complained: number
}

/** Figures that events have moved. */
export const bump = (
  tx: Transaction,
  {
    organizationId,
    batchId,
    position,
  }: { organizationId: string; batchId: Uuid; position: number },
  delta: VariantDelta,
) => tx`
  update batch_variants
  set sent = sent + ${delta.sent}, delivered = delivered + ${delta.delivered},
    opened = opened + ${delta.opened}, clicked = clicked + ${delta.clicked},
    bounced = bounced + ${delta.bounced}, complained = complained + ${delta.complained}
  where organization_id = ${organizationId} and batch_id = ${batchId} and position = ${position}`

interface TestedBatch {
  winnerBy: 'opened' | 'clicked' | 'manual'
  decideAfter: { amount: number; unit: 'minutes' | 'hours' | 'days' | 'weeks' } | null
  winner: number | null
  decideAt: string | null
  isDue: boolean
  attempt: number
}

/** Locks a batch that is a test and is being sent; undefined: there is no such one. */
export async function lockTest(
  tx: Transaction,
  organizationId: string,
  batchId: string,
): Promise<TestedBatch | undefined> {
  const [batch] = await tx<TestedBatch[]>`
    select ab_test ->> 'winnerBy' as winner_by, ab_test -> 'decideAfter' as decide_after,
      ab_winner as winner, ab_decide_at as decide_at, attempt,
      coalesce(ab_decide_at <= clock_timestamp(), false) as is_due
    from batches
    where organization_id = ${organizationId} and id = ${batchId} and ab_test is not null
      and status = 'processing'
    for update`
  return batch
}

/** Says when a test is decided, from the moment at which all of its share were mailed. */
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

/** What the variants have come to, in their order. */
export const figures = (sql: Executor, organizationId: string, batchId: string) => sql<
  VariantFigures[]
>`
  select sent, opened, clicked
  from batch_variants
  where organization_id = ${organizationId} and batch_id = ${batchId}
  order by position`

/** Writes who has won a test whose batch is locked. */
export const decide = (
  tx: Transaction,
  { organizationId, batchId }: { organizationId: string; batchId: string },
  { winner, decision }: { winner: number; decision: object },
) => tx`
  update batches
  set ab_winner = ${winner}, ab_decision = ${tx.json({ ...decision })},
    updated_at = greatest(updated_at, clock_timestamp()), progressed_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${batchId}`
