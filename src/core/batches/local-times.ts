import { isTimezone } from '../../domain/timezone.ts'
import { sameLocalTime } from '../../text/local-time.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as batchParts from '../../store/batches/batch-parts.ts'
import type { Executor } from '../../store/db/sql.ts'

interface Timed {
  scheduledFor: string | null
  timezone: string | null
}

/**
 * Returns the sending times of the contacts' zones and of all other contacts. Undefined: the whole
 * batch is sent at one time.
 */
export async function localTimes(
  sql: Executor,
  organizationId: Uuid,
  { scheduledFor, timezone }: Timed,
): Promise<batchParts.LocalTimes | undefined> {
  if (scheduledFor === null || timezone === null) return undefined
  const at = Date.parse(scheduledFor)
  // Postgres has names that are no timezones to us, `localtime` for one: such a contact has none.
  const zones = (await batchParts.listZones(sql, organizationId)).filter(isTimezone)
  return {
    others: scheduledFor,
    zones: zones.map((zone) => ({
      zone,
      at: new Date(sameLocalTime(at, timezone, zone)).toISOString(),
    })),
  }
}

/**
 * Returns the time of the first mail in milliseconds since 1970, or 0 for at once. The contacts'
 * zones are read only once it is that time somewhere on earth.
 */
export async function firstTime(
  sql: Executor,
  organizationId: Uuid,
  batch: Timed,
  now: number,
): Promise<number> {
  const { scheduledFor, timezone } = batch
  if (scheduledFor === null) return 0
  const at = Date.parse(scheduledFor)
  if (timezone === null) return at
  const earliest = sameLocalTime(at, timezone)
  if (earliest > now) return earliest
  const { zones = [] } = (await localTimes(sql, organizationId, batch)) ?? {}
  return Math.min(at, ...zones.map((each) => Date.parse(each.at)))
}
