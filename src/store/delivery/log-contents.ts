import { bucketOfBatchRow, dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { VariableMapping } from '../../schemas/batches/batch.ts'
import type { Executor } from '../db/sql.ts'

/** A mail with its stored content. */
export interface LoggedMail {
  contactId: Uuid | null
  recipient: string | null
  batchId: Uuid | null
  variant: number | null
  /** Content of mail of flows and of confirmations. */
  body: { subject: string; html: string | null; text: string | null } | null
}

export async function findMail(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<LoggedMail | undefined> {
  const buckets = [dayBucket(id), bucketOfBatchRow(id)]
  const [mail] = await sql<LoggedMail[]>`
    select m.contact_id, m.recipient, m.batch_id, m.variant,
      case when b.id is not null
        then json_build_object('subject', b.subject, 'html', b.html, 'text', b.text) end as body
    from messages m
    left join message_bodies b on b.organization_id = m.organization_id and b.bucket = m.bucket
      and b.id = m.id
    where m.organization_id = ${organizationId} and m.bucket = any(${buckets}::uuid[])
      and m.id = ${id}`
  return mail
}

export interface BatchContent {
  contentId: Uuid
  subject: string
  html: string
  text: string
  variableMappings: VariableMapping[]
}

export async function findBatchContent(
  sql: Executor,
  organizationId: Uuid,
  { batchId, variant }: { batchId: Uuid; variant: number | null },
): Promise<BatchContent | undefined> {
  const [content] = await sql<BatchContent[]>`
    select c.id as content_id, coalesce(v.subject, b.subject) as subject, c.html, c.text,
      b.variable_mappings
    from batches b
    left join batch_variants v on v.organization_id = b.organization_id and v.batch_id = b.id
      and v.position = ${variant}
    join contents c on c.organization_id = b.organization_id
      and c.id = coalesce(v.content_id, b.content_id)
    where b.organization_id = ${organizationId} and b.id = ${batchId}`
  return content
}
