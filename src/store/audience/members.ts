/**
 * Finds the contacts that meet a condition by reading the contacts. `sql` is a pool of
 * `letterloom_search`, as for searches: only `organizationId` separates tenants here.
 */
import type { Condition } from '../../domain/audience/condition.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import { isInPart } from './audience.ts'
import { holds } from './condition-sql.ts'
import { columns, withStats } from './contact-columns.ts'

export interface MemberQuestion {
  organizationId: Uuid
  condition: Condition
  /** ISO 8601. `within` counts back from it. */
  now: string
}

interface Looked {
  /** Number of equal parts of all contacts, one of which is read. 1: all contacts. */
  parts: number
  limit: number
}

/**
 * Counts members among the contacts that were read, and returns the newest. Members are found
 * first: in the order of a page the planner would try contact after contact until the page is full.
 */
export async function survey(sql: Executor, question: MemberQuestion, { parts, limit }: Looked) {
  const { organizationId } = question
  const [row] = await sql<{ count: number; ids: Uuid[] }[]>`
    with members as materialized (${idsOf(sql, question, parts)})
    select
      (select count(*) from members) as count,
      array(select id from members order by id desc limit ${limit}) as ids`
  const { count, ids } = row ?? { count: 0, ids: [] }
  if (ids.length === 0) return { count, sample: [] }
  const sample = await sql<Contact[]>`
    select ${columns(sql)}
    from ${withStats(sql)}
    where contacts.organization_id = ${organizationId} and contacts.id = any(${ids}::uuid[])
    order by contacts.id desc`
  return { count, sample }
}

const idsOf = (
  sql: Executor,
  { organizationId, condition, now }: MemberQuestion,
  parts: number,
) => sql`
  select contacts.id
  from contacts
  where contacts.organization_id = ${organizationId}
    and ${holds(sql, organizationId, condition, now, { areAll: parts === 1 })}
    ${isInPart(sql, parts)}`

/**
 * Allows reading whole tables for the rest of a transaction that evaluates all contacts. Pools of
 * searches otherwise avoid it (docs/benchmarks.md). The contacts of a million events must fit into
 * one hash.
 */
export const allowWholeReads = (tx: Transaction) => tx`
  select set_config('enable_seqscan', 'on', true), set_config('work_mem', '64MB', true)`

export async function explain(
  sql: Executor,
  question: MemberQuestion,
  { isRun }: { isRun: boolean },
): Promise<string[]> {
  const rows = await sql<Record<string, string>[]>`
    explain ${isRun ? sql`(analyze, buffers)` : sql``} ${idsOf(sql, question, 1)}`
  return rows.flatMap((row) => Object.values(row))
}
