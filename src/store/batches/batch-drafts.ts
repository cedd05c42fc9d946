import type { Uuid } from '../../runtime/ids.ts'
import type { BatchDraft, BatchDraftSummary } from '../../schemas/batches/batch-draft.ts'
import type { Executor, Transaction } from '../db/sql.ts'

const summaryColumns = (sql: Executor) => sql`
  id, created_at, updated_at,
  case when jsonb_typeof(input -> 'name') = 'string' then input ->> 'name' end as name,
  case when jsonb_typeof(input -> 'subject') = 'string' then input ->> 'subject' end as subject`

const columns = (sql: Executor) => sql`${summaryColumns(sql)}, input`

export async function create(
  tx: Transaction,
  organizationId: Uuid,
  { id, input }: { id: Uuid; input: object },
): Promise<BatchDraft | undefined> {
  const [draft] = await tx<BatchDraft[]>`
    insert into batch_drafts (organization_id, id, input)
    values (${organizationId}, ${id}, ${tx.json(input)})
    returning ${columns(tx)}`
  return draft
}

export async function count(sql: Executor, organizationId: Uuid): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from batch_drafts where organization_id = ${organizationId}`
  return row?.count ?? 0
}

/** Newest first, without their inputs. */
export const list = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit }: { before: Uuid | undefined; limit: number },
) => sql<BatchDraftSummary[]>`
  select ${summaryColumns(sql)}
  from batch_drafts
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
  order by id desc
  limit ${limit}`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<BatchDraft | undefined> {
  const [draft] = await selectDraft(sql, organizationId, id)
  return draft
}

/** Locks a draft, so that nobody else changes it. */
export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<BatchDraft | undefined> {
  const [draft] = await tx<BatchDraft[]>`${selectDraft(tx, organizationId, id)} for update`
  return draft
}

const selectDraft = (sql: Executor, organizationId: Uuid, id: Uuid) => sql<BatchDraft[]>`
  select ${columns(sql)}
  from batch_drafts
  where organization_id = ${organizationId} and id = ${id}`

/** The draft is locked. */
export async function change(
  tx: Transaction,
  organizationId: Uuid,
  { id, input }: { id: Uuid; input: object },
): Promise<BatchDraft | undefined> {
  const [draft] = await tx<BatchDraft[]>`
    update batch_drafts
    set
      input = ${tx.json(input)},
      -- Two changes in one millisecond must not look like one.
      updated_at = greatest(updated_at + interval '1 millisecond', clock_timestamp())
    where organization_id = ${organizationId} and id = ${id}
    returning ${columns(tx)}`
  return draft
}

/** Returns whether there was such a draft. */
export async function remove(sql: Executor, organizationId: Uuid, id: Uuid): Promise<boolean> {
  const { count } = await sql`
    delete from batch_drafts where organization_id = ${organizationId} and id = ${id}`
  return count > 0
}
