import type { Engagement } from '../../domain/flows/steps/wait-for-email-engagement.ts'
import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import * as outbox from '../platform/outbox.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface Arrived {
  organizationId: Uuid
  mailId: Uuid
  engagement: Engagement
  /** Time of the provider's clock, ISO 8601. */
  at: string
}

/**
 * Matches engagements with waits: `waiting → matched` with the earliest matching one, if it came
 * before the timeout. A click comes before the open that it implies. Called in the transaction that
 * applies the events, which has locked the rows of the mails.
 *
 * That lock is the common one: a transaction that registers a wait for an engagement locks the
 * mail's row first (`lockMail`), reads there what people did and whether it bounced (`findMail`),
 * and writes the wait. So an engagement is either there to be read or finds the wait.
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

interface Sending {
  executionId: Uuid
  stepId: string
}

/** Human opens and clicks only. A transient bounce does not count. */
export interface EngagedMail {
  id: Uuid
  openedAt: string | null
  clickedAt: string | null
  bouncedAt: string | null
}

/**
 * Locks the mail of the step's last visit, if it has one. A transaction that applies an engagement
 * holds it. Called before the execution is locked: mails come first in the order of locks.
 */
export async function lockMail(
  tx: Transaction,
  organizationId: Uuid,
  sending: Sending,
): Promise<void> {
  const id = await findMailId(tx, organizationId, sending)
  if (id === undefined) return
  await tx`
    select
    from messages
    where organization_id = ${organizationId} and bucket = ${dayBucket(id)} and id = ${id}
    for update`
}

/**
 * Returns the state of that mail. Undefined: it does not exist, was not sent, or is no longer
 * stored.
 */
export async function findMail(
  sql: Executor,
  organizationId: Uuid,
  sending: Sending,
): Promise<EngagedMail | undefined> {
  const id = await findMailId(sql, organizationId, sending)
  if (id === undefined) return undefined
  const [mail] = await sql<EngagedMail[]>`
    select id, human_opened_at as opened_at, human_clicked_at as clicked_at,
      case when bounce_type is distinct from 'Transient' then bounced_at end as bounced_at
    from messages
    where organization_id = ${organizationId} and bucket = ${dayBucket(id)} and id = ${id}
      and state not in ('skipped', 'failed')`
  return mail
}

async function findMailId(
  sql: Executor,
  organizationId: Uuid,
  { executionId, stepId }: Sending,
): Promise<Uuid | undefined> {
  const [step] = await sql<{ mailId: Uuid | null }[]>`
    select mail_id
    from execution_steps
    where organization_id = ${organizationId} and execution_id = ${executionId}
      and step_id = ${stepId}
    order by visit desc
    limit 1`
  return step?.mailId ?? undefined
}

const DAY_MS = 86_400_000
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/**
 * Returns whether the provider may have reported anything before `time` (ISO 8601) that is not
 * applied yet, about any mail, since events are applied in the order of their arrival. Postponed
 * events, which have no tag of ours, are not waited for.
 */
export async function mayBeUnapplied(sql: Executor, time: string): Promise<boolean> {
  const [oldest] = await sql<{ receivedAt: string }[]>`
    select received_at
    from inbound_events
    where applied_at is null and look_at is null
      and received_on between ${dayOf(Date.parse(time) - DAY_MS)}::date
        and ${dayOf(Date.parse(time))}::date
    order by position
    limit 1`
  return oldest !== undefined && oldest.receivedAt < time
}
