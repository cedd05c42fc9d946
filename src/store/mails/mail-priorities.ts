import { PRIORITIES } from '../../domain/mails/mail-priority.ts'
import type { Executor } from '../db/sql.ts'

/** Selects the priority of a single mail by its column `source`. */
export const priorityOf = (sql: Executor) => sql`
  case source
    when 'transactional' then ${PRIORITIES.transactional}::smallint
    when 'confirmation' then ${PRIORITIES.confirmation}::smallint
    else ${PRIORITIES.workflow}::smallint
  end`
