import type { Condition } from '../../domain/audience/condition.ts'
import type { Engagement } from '../../domain/flows/steps/wait-for-email-engagement.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface WaitKey {
  executionId: Uuid
  stepId: string
  visit: number
}

interface Registered extends WaitKey {
  contactId: Uuid
  /** Time from which received events count, ISO 8601. */
  since: string
  expiresAt: string
}

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
 * Registers a wait for an event, already `matched` if one came before. The caller has locked the
 * rows of the execution and of its contact, and holds events back (`holdEvents`): a transaction
 * that stores events locks the contact, or looks for waits at its end.
 */
export const registerEvent = (
  tx: Transaction,
  organizationId: Uuid,
  wait: Registered & { eventName: string; filter: Condition | null; match: Match | null },
) => tx`
  insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind, event_name,
    filter, since, expires_at, status, matched, matched_event_id, matched_at)
  values (${organizationId}, ${wait.executionId}, ${wait.stepId}, ${wait.visit}, ${wait.contactId},
    'event', ${wait.eventName}, ${wait.filter === null ? null : tx.json(wait.filter)},
    ${wait.since}, ${wait.expiresAt}, ${matchColumns(tx, wait.match)})
  ${orAgain(tx)}`

/**
 * Registers a wait for an engagement with a mail, already `matched` if one came before. The caller
 * has locked the mail's row, like the transaction that applies an engagement.
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

/** Registers the wait again for a retry of the step. */
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

export interface EventWait extends WaitKey {
  contactId: Uuid
  eventName: string
  filter: Condition | null
  expiresAt: string
  /** Time before which events do not count: the beginning of the execution. */
  occurredSince: string
}

/**
 * Locks waits of these contacts for events with these names, in the order of their executions,
 * since a cancellation holds its executions, not the contact. `offset 0` keeps the look-ups
 * separate: a join would read all waits of an organization whose table is young.
 */
export const lockForEvents = (
  tx: Transaction,
  organizationId: Uuid,
  events: readonly { contactId: Uuid; name: string }[],
) => tx<EventWait[]>`
  select held.*
  from (
    select wait.execution_id, wait.step_id, wait.visit
    from (
      select distinct contact_id, name
      from unnest(
        ${events.map(({ contactId }) => contactId)}::uuid[],
        ${events.map(({ name }) => name)}::text[]
      ) as event (contact_id, name)
    ) event
    cross join lateral (
      select execution_id, step_id, visit
      from waits
      where organization_id = ${organizationId} and contact_id = event.contact_id
        and event_name = event.name and status = 'waiting' and kind = 'event'
      offset 0
    ) wait
    order by wait.execution_id
  ) found
  cross join lateral (
    select w.execution_id, w.step_id, w.visit, w.contact_id, w.event_name, w.filter, w.expires_at,
      least(e.occurred_at, e.created_at) as occurred_since
    from waits w
    join executions e on e.organization_id = w.organization_id and e.id = w.execution_id
    where w.organization_id = ${organizationId} and w.execution_id = found.execution_id
      and w.step_id = found.step_id and w.visit = found.visit and w.status = 'waiting'
    for update of w
  ) held`

/** `waiting → matched`, each by its event. The waits are locked. */
export async function match(
  tx: Transaction,
  organizationId: Uuid,
  matches: readonly { wait: WaitKey; eventId: Uuid }[],
): Promise<void> {
  if (matches.length === 0) return
  const ids = matches.map(({ wait }) => wait.executionId)
  await tx`
    update waits w
    set status = 'matched', matched_event_id = given.event_id, matched = w.event_name,
      matched_at = clock_timestamp()
    from unnest(
      ${ids}::uuid[],
      ${matches.map(({ wait }) => wait.stepId)}::text[],
      ${matches.map(({ wait }) => wait.visit)}::integer[],
      ${matches.map(({ eventId }) => eventId)}::uuid[]
    ) as given (execution_id, step_id, visit, event_id)
    where w.organization_id = ${organizationId} and w.execution_id = any(${ids}::uuid[])
      and w.execution_id = given.execution_id and w.step_id = given.step_id
      and w.visit = given.visit and w.status = 'waiting'`
}

/**
 * `waiting → timed_out`, if its time has come. `now` is from Postgres' clock, ISO 8601. Returns
 * false if it has not, or an earlier event matched.
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
