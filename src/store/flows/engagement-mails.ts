import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** A send_email step of an execution. */
interface Sending {
  executionId: Uuid
  stepId: string
}

/** Opens and clicks are people's; a transient bounce is none. */
export interface EngagedMail {
  id: Uuid
  openedAt: string | null
  clickedAt: string | null
  bouncedAt: string | null
}

/**
 * Locks the mail of the step's last visit, if it made one: a transaction that applies an engagement
 * holds it. Before the execution is locked: mails come first in the order of locks.
 */
export async function lock(tx: Transaction, organizationId: Uuid, sending: Sending): Promise<void> {
  const id = await findId(tx, organizationId, sending)
  if (id === undefined) return
  await tx`
    select
    from messages
    where organization_id = ${organizationId} and bucket = ${dayBucket(id)} and id = ${id}
    for update`
}

/** State of that mail. Undefined: there was none, it was not sent, or it is not stored. */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  sending: Sending,
): Promise<EngagedMail | undefined> {
  const id = await findId(sql, organizationId, sending)
  if (id === undefined) return undefined
  const [mail] = await sql<EngagedMail[]>`
    select id, human_opened_at as opened_at, human_clicked_at as clicked_at,
      case when bounce_type is distinct from 'Transient' then bounced_at end as bounced_at
    from messages
    where organization_id = ${organizationId} and bucket = ${dayBucket(id)} and id = ${id}
      and state not in ('skipped', 'failed')`
  return mail
}

async function findId(
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
