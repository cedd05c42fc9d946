import { bucketStart, timeOf, type Uuid } from '../../runtime/ids.ts'
import * as plans from '../../store/access/plans.ts'
import type { Sql } from '../../store/db/sql.ts'
import * as oldRows from '../../store/privacy/old-rows.ts'

const DAY_MS = 86_400_000
const PAGE = 500
const ORGANIZATIONS = 50

interface Options {
  now: number
  page?: number
  organizations?: number
  signal?: AbortSignal
}

export interface DeletedRows {
  deleted: number
  more: boolean
}

/**
 * Deletes rows beyond the plans' retention for some organizations, in statements of bounded size
 * that do not wait for locks. An organization is marked as done after all its rows were read, once
 * a day, so an interrupted run is repeated.
 */
export async function deleteOldRows(sql: Sql, options: Options): Promise<DeletedRows> {
  const { now, organizations = ORGANIZATIONS } = options
  const longestBefore = startOfDay(now - (await plans.findLongestRetention(sql)) * DAY_MS)
  const dueOrganizations = await oldRows.listDue(sql, dayOf(now), organizations)
  let deleted = 0
  for (const organization of dueOrganizations) {
    deleted += await deleteOf(sql, organization, longestBefore, options)
  }
  return { deleted, more: dueOrganizations.length === organizations }
}

async function deleteOf(
  sql: Sql,
  { organizationId, retentionDays, doneBefore }: oldRows.DueOrganization,
  longestBefore: number,
  { now, page: limit = PAGE, signal }: Options,
): Promise<number> {
  const before = startOfDay(now - retentionDays * DAY_MS)
  const from = doneBefore === null ? 0 : Date.parse(doneBefore)
  const rows = { organizationId, before, from, longestBefore, limit }
  let deleted = 0
  for (const deletePage of oldRows.OF_ORGANIZATIONS) {
    let after: Uuid | null = null
    do {
      signal?.throwIfAborted()
      const page: oldRows.Page = await deletePage(sql, { ...rows, after })
      deleted += page.deleted
      after = page.after
    } while (after !== null)
  }
  await oldRows.recordDone(sql, organizationId, dayOf(before))
  return deleted
}

/**
 * Deletes references to mails beyond every plan's retention: provider message ids, addresses of
 * other programs' mails, former contacts. Returns their number.
 */
export async function deleteMailReferences(
  sql: Sql,
  { now, page = PAGE, signal }: Options,
): Promise<number> {
  const longestBefore = now - (await plans.findLongestRetention(sql)) * DAY_MS
  let deleted = 0
  for (const { extraDays, page: deletePage } of oldRows.OF_MAILS) {
    let count: number
    do {
      signal?.throwIfAborted()
      ;({ count } = await deletePage(sql, startOfDay(longestBefore - extraDays * DAY_MS), page))
      deleted += count
    } while (count === page)
  }
  return deleted
}

const startOfDay = (time: number): number => timeOf(bucketStart(time))
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
