/**
 * The contacts of which a condition holds, asked of the contacts themselves. `sql` is a pool of
 * `letterloom_search`, as for searches: nothing but `organizationId` keeps tenants apart here.
 */
import type { Condition } from '../../domain/audience/condition.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import { isInPart } from './audience.ts'
import { holds } from './condition-sql.ts'
import { columns, withStats } from './contact-columns.ts'

export interface Asked {
  organizationId: Uuid
  condition: Condition
  /** ISO 8601: what `within` counts back from. */
  now: string
}

interface Looked {
  /** Only one of so many equal parts of all contacts is looked at: 1 is all of them. */
  parts: number
  /** Members that are told, newest first. */
  limit: number
}

/**
 * How many of the contacts that were looked at are members, and the newest of these. They are found
 * first: in the order of a page the planner would try contact after contact until it is full.
 */
export async function survey(sql: Executor, asked: Asked, { parts, limit }: Looked) {
  const { organizationId } = asked
  const [row] = await sql<{ count: number; ids: Uuid[] }[]>`
    with members as materialized (${idsOf(sql, asked, parts)})
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

const idsOf = (sql: Executor, { organizationId, condition, now }: Asked, parts: number) => sql`
  select contacts.id
  from contacts
  where contacts.organization_id = ${organizationId}
    and ${holds(sql, organizationId, condition, now, { areAll: parts === 1 })}
    ${isInPart(sql, parts)}`

/**
 * For the rest of a transaction that asks conditions of all contacts: to read a table whole is
 * often best then, which a pool of searches otherwise avoids (docs/benchmarks.md), and the contacts
 * of a million events are to fit into one hash.
 */
export const allowWholeReads = (tx: Transaction) => tx`
  select set_config('enable_seqscan', 'on', true), set_config('work_mem', '64MB', true)`

/** The lines of the plan by which all members are found; `isRun`: with what it took. */
export async function explain(
  sql: Executor,
  asked: Asked,
  { isRun }: { isRun: boolean },
): Promise<string[]> {
  const rows = await sql<Record<string, string>[]>`
    explain ${isRun ? sql`(analyze, buffers)` : sql``} ${idsOf(sql, asked, 1)}`
  return rows.flatMap((row) => Object.values(row))
}
