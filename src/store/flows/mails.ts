import { MERGE_FIELDS, type MergeValues } from '../../domain/contacts/contact-fields.ts'
import type { Brand } from '../../domain/content/brand.ts'
import { brandOf } from '../access/organizations.ts'
import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { EmailStatus } from '../../domain/status.ts'
import type { MailFacts } from '../../domain/delivery/delivery.ts'
import { columnsOf } from '../audience/contact-columns.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface Addressee extends MergeValues {
  id: Uuid
  emailStatus: EmailStatus | null
  brand: Brand
  /** Subscription of the contact to the given topic. Null: none. */
  topicStatus: string | null
  topicFrom: string | null
  topicFromName: string | null
  topicConnectionId: Uuid | null
  /** The organization stores less than its plan allows. */
  hasStorageRoom: boolean
}

export async function findAddressee(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  topicId: Uuid | null,
): Promise<Addressee | undefined> {
  const [addressee] = await sql<Addressee[]>`
    select c.id, ${columnsOf(sql, MERGE_FIELDS, 'c')}, c.email_status, ${brandOf(sql)} as brand,
      s.status as topic_status, t.from_address as topic_from, t.from_name as topic_from_name,
      t.connection_id as topic_connection_id,
      has_storage_room(${organizationId}) as has_storage_room
    from contacts c
    join organizations o on o.id = c.organization_id
    left join topics t on t.organization_id = ${organizationId} and t.id = ${topicId}
    left join subscriptions s on s.organization_id = ${organizationId} and s.contact_id = c.id
      and s.topic_id = t.id
    where c.organization_id = ${organizationId} and c.id = ${contactId}`
  return addressee
}

export interface FlowMail extends Pick<MailFacts, 'state' | 'reason' | 'error' | 'messageId'> {
  id: Uuid
  dedupeKey: Uuid
  claimedAt: string | null
}

const columns = (sql: Executor) => sql`id, dedupe_key, state, reason, error, message_id, claimed_at`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<FlowMail | undefined> {
  const [mail] = await sql<FlowMail[]>`
    select ${columns(sql)}
    from messages
    where organization_id = ${organizationId} and bucket = ${dayBucket(id)} and id = ${id}`
  return mail
}

/** Lists the mails of an execution. They are few, and found by the index of the contact's mails. */
export const listOfExecution = (
  sql: Executor,
  organizationId: Uuid,
  { id, contactId }: { id: Uuid; contactId: Uuid },
) => sql<FlowMail[]>`
  select ${columns(sql)}
  from messages
  where organization_id = ${organizationId} and contact_id = ${contactId} and source <> 'batch'
    and bucket >= ${dayBucket(id)} and execution_id = ${id}`

/**
 * Makes this mail the one of the step, instead of the planned one, so that a wait for the step's
 * mail finds it. The execution is locked.
 */
export const standFor = (
  tx: Transaction,
  organizationId: Uuid,
  { executionId, stepId, visit }: { executionId: Uuid; stepId: string; visit: number },
  mailId: Uuid,
) => tx`
  update execution_steps
  set mail_id = ${mailId}
  where organization_id = ${organizationId} and execution_id = ${executionId}
    and step_id = ${stepId} and visit = ${visit}`
