import type { Uuid } from '../../runtime/ids.ts'
import * as inFlight from '../../store/mails/mails-in-flight.ts'
import type { Executor } from '../../store/db/sql.ts'

/** Queued mails that are searched for a contact. If there are more, one is assumed. */
const MOST_QUEUED = 1_000

/**
 * Returns whether a mail to one of these contacts, of a kind that unsubscribing stops, has no
 * outcome yet: in a batch that is being sent, or in the mail queue. Each query names its bucket and
 * reads one index.
 */
export async function isBeingMailed(
  sql: Executor,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<boolean> {
  const buckets = (await inFlight.listBuckets(sql, organizationId)).map(({ bucket }) => bucket)
  const isInBatch =
    buckets.length > 0 && (await inFlight.isInBuckets(sql, organizationId, buckets, contactIds))
  if (isInBatch) return true
  const mails = await inFlight.listSingleMail(sql, organizationId, MOST_QUEUED + 1)
  if (mails.length > MOST_QUEUED) return true
  return mails.length > 0 && inFlight.isAmong(sql, organizationId, mails, contactIds)
}
