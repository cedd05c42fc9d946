import type { Engagement } from '../../domain/flows/steps/wait-for-email-engagement.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as outbox from '../platform/outbox.ts'
import type { Transaction } from '../db/sql.ts'

/** What a person did with a mail of an execution, or what became of it. */
export interface Arrived {
  organizationId: Uuid
  mailId: Uuid
  engagement: Engagement
  /** By the provider's clock, ISO. */
  at: string
}

/**
 * Matches engagements with the waits for them: `waiting → matched` with the earliest of those that
 * it waits for, if that came before its timeout. A click comes before the open that it says. In the
 * transaction that applies the events, which has locked the rows of the mails.
 *
 * That lock is the common one: a transaction that registers a wait for an engagement locks the
 * mail's row first (`select … from messages where organization_id = … and bucket = dayBucket(id)
 * and id = … for update`; mails come before executions in the order of locks), reads there what
 * people did and whether it bounced, and writes the wait. So an engagement is either there to be
 * read or finds the wait.
 */
export async function matchEngagements(
  tx: Transaction,
  engagements: readonly Arrived[],
): Promise<void> {
  if (engagements.length === 0) return
  await tx`
    with given as (
      select *
      from unnest(
        ${engagements.map(({ organizationId }) => organizationId)}::uuid[],
        ${engagements.map(({ mailId }) => mailId)}::uuid[],
        ${engagements.map(({ engagement }) => engagement)}::text[],
        ${engagements.map(({ at }) => at)}::timestamptz[]
      ) as given (organization_id, mail_id, engagement, at)
    ), held as materialized (
      select w.organization_id, w.execution_id, w.step_id, w.visit, w.mail_id, w.engagements,
        w.expires_at
      from waits w
      join (select distinct organization_id, mail_id from given) mail
        on mail.organization_id = w.organization_id and mail.mail_id = w.mail_id
      where w.status = 'waiting' and w.kind = 'engagement'
      order by w.organization_id, w.execution_id, w.step_id, w.visit
      for update of w
    ), earliest as (
      select distinct on (held.organization_id, held.execution_id, held.step_id, held.visit)
        held.organization_id, held.execution_id, held.step_id, held.visit, given.engagement,
        given.at
      from held
      join given on given.organization_id = held.organization_id
        and given.mail_id = held.mail_id and given.engagement = any(held.engagements)
        and given.at < held.expires_at
      order by held.organization_id, held.execution_id, held.step_id, held.visit, given.at,
        given.engagement
    ), matched as (
      update waits w
      set status = 'matched', matched = earliest.engagement, matched_at = earliest.at
      from earliest
      where w.organization_id = earliest.organization_id
        and w.execution_id = earliest.execution_id
        and w.step_id = earliest.step_id and w.visit = earliest.visit
      returning w.organization_id, w.execution_id
    )
    ${outbox.wakeEach(tx, tx`select organization_id, execution_id from matched`)}`
}
