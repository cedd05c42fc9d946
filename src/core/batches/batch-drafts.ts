import { conflict } from '../../domain/errors.ts'
import { requireUnmodified } from '../../domain/unmodified.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { BatchDraft } from '../../schemas/batches/batch-draft.ts'
import * as organizations from '../../store/access/organizations.ts'
import * as batchDrafts from '../../store/batches/batch-drafts.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { missing } from '../access/ownership.ts'

export const MOST_DRAFTS = 100

/** Stores a draft. The organization is locked: two callers cannot both get the last place. */
export async function createDraft(
  tx: Transaction,
  organizationId: Uuid,
  draft: { id: Uuid; input: object },
): Promise<BatchDraft> {
  await organizations.lock(tx, organizationId)
  if ((await batchDrafts.count(tx, organizationId)) >= MOST_DRAFTS) {
    throw conflict(`An organization can have at most ${MOST_DRAFTS} drafts. Delete one first.`, {
      reason: 'draft_limit',
    })
  }
  const stored = await batchDrafts.create(tx, organizationId, draft)
  if (!stored) throw new Error('a draft was inserted without a row')
  return stored
}

export const requireDraft = (
  sql: Executor,
  organizationId: Uuid,
  id: string,
): Promise<BatchDraft> => requireFound(sql, organizationId, id, batchDrafts.find)

async function requireFound<Db extends Executor>(
  sql: Db,
  organizationId: Uuid,
  id: string,
  find: (sql: Db, organizationId: Uuid, id: Uuid) => Promise<BatchDraft | undefined>,
): Promise<BatchDraft> {
  const draft = isUuid(id) ? await find(sql, organizationId, id) : undefined
  if (!draft) throw await missing(sql, 'batch_draft', organizationId, id)
  return draft
}

export async function removeDraft(sql: Executor, organizationId: Uuid, id: string): Promise<void> {
  const draft = await requireDraft(sql, organizationId, id)
  await batchDrafts.remove(sql, organizationId, draft.id)
}

/** Replaces the input of a draft. Throws a 409 if it was changed after `since`. */
export async function changeDraft(
  tx: Transaction,
  organizationId: Uuid,
  { id, input, since }: { id: string; input: object; since: string | undefined },
): Promise<BatchDraft> {
  const draft = await requireFound(tx, organizationId, id, batchDrafts.lock)
  requireUnmodified('draft', draft, since)
  const changedDraft = await batchDrafts.change(tx, organizationId, { id: draft.id, input })
  if (!changedDraft) throw new Error('a locked draft was changed without a row')
  return changedDraft
}
