import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part } from '../db/sql.ts'

/** Contacts by id: `after` and `before` are exclusive, `from` and `to` inclusive. */
export interface Range {
  after?: Uuid | null | undefined
  before?: Uuid | undefined
  from?: Uuid | undefined
  to?: Uuid | undefined
}

export const between = (
  sql: Executor,
  id: Part,
  { after, before, from, to }: Range = {},
): Part => sql`
  ${after === null || after === undefined ? sql`` : sql`and ${id} > ${after}`}
  ${before === undefined ? sql`` : sql`and ${id} < ${before}`}
  ${from === undefined ? sql`` : sql`and ${id} >= ${from}`}
  ${to === undefined ? sql`` : sql`and ${id} <= ${to}`}`
