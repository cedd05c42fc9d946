import type { Condition } from '../domain/condition.ts'
import type { Engagement } from '../domain/flow.ts'
import type { Uuid } from '../ids.ts'
import type { Executor, Json, Transaction } from './sql.ts'

/** One visit of a step that waits. */
export interface WaitKey {
  executionId: Uuid
  stepId: string
  visit: number
}

interface Registered extends WaitKey {
  contactId: Uuid
  /** Events received from then on count; ISO. */
  since: string
  expiresAt: string
}

/** What a wait has found. */
interface Match {
  matched: string
  matchedEventId: Uuid | null
  matchedAt: string
}

export interface Wait {
  status: 'waiting' | 'matched' | 'timed_out' | 'cancelled'
  expiresAt: string
  matched: string | null
  matchedEventId: Uuid | null
  matchedAt: string | null
}

/**
 * Registers a wait for an event, already `matched` by one that came before. The execution's row and
 * its contact's are locked by the caller, who also holds events back (`holdEvents`): whoever brings
 * an event locks the contact, or asks at their end who waits.
 */
export const registerEvent = (
  tx: Transaction,
  organizationId: Uuid,
  wait: Registered & { eventName: string; filter: Condition | null; match: Match | null },
) => tx`
  insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind, event_name,
    filter, since, expires_at, status, matched, matched_event_id, matched_at)
  values (${organizationId}, ${wait.executionId}, ${wait.stepId}, ${wait.visit}, ${wait.contactId},
    'event', ${wait.eventName}, ${wait.filter === null ? null : tx.json(wait.filter as unknown as Json)},
    ${wait.since}, ${wait.expiresAt}, ${matchColumns(tx, wait.match)})
  ${orAgain(tx)}`

/**
 * Registers a wait for what a person does with a mail, already `matched` by what they did before.
 * The mail's row is locked by the caller, and so it is by whoever brings an engagement.
 */
export const registerEngagement = (
  tx: Transaction,
  organizationId: Uuid,
  wait: Registered & { mailId: Uuid; engagements: readonly Engagement[]; match: Match | null },
) => tx`
  insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind, mail_id,
    engagements, since, expires_at, status, matched, matched_event_id, matched_at)
  values (${organizationId}, ${wait.executionId}, ${wait.stepId}, ${wait.visit}, ${wait.contactId},
    'engagement', ${wait.mailId}, ${[...wait.engagements]}::text[], ${wait.since},
    ${wait.expiresAt}, ${matchColumns(tx, wait.match)})
  ${orAgain(tx)}`

const matchColumns = (tx: Transaction, match: Match | null) =>
  match === null
    ? tx`'waiting', null, null, null`
    : tx`'matched', ${match.matched}, ${match.matchedEventId}, ${match.matchedAt}`

/** A retry of the step that registered it waits anew. */
const orAgain = (tx: Transaction) => tx`
  on conflict (organization_id, execution_id, step_id, visit) do update
  set kind = excluded.kind, event_name = excluded.event_name, filter = excluded.filter,
    mail_id = excluded.mail_id, engagements = excluded.engagements, since = excluded.since,
    expires_at = excluded.expires_at, status = excluded.status, matched = excluded.matched,
    matched_event_id = excluded.matched_event_id, matched_at = excluded.matched_at`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  { executionId, stepId, visit }: WaitKey,
): Promise<Wait | undefined> {
  const [wait] = await sql<Wait[]>`
    select status, expires_at, matched, matched_event_id, matched_at
    from waits
    where organization_id = ${organizationId} and execution_id = ${executionId}
      and step_id = ${stepId} and visit = ${visit}`
  return wait
}

/**
 * `waiting → timed_out`, where its time has come. `now` is by the clock of Postgres, ISO. False: it
 * has not, or something came before and holds.
 */
export async function timeOut(
  tx: Transaction,
  organizationId: Uuid,
  { executionId, stepId, visit }: WaitKey,
  now: string,
): Promise<boolean> {
  const { count } = await tx`
    update waits
    set status = 'timed_out'
    where organization_id = ${organizationId} and execution_id = ${executionId}
      and step_id = ${stepId} and visit = ${visit} and status = 'waiting'
      and expires_at <= ${now}`
  return count > 0
}
