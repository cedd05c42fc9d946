import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import type { TemplateRow, TemplateSource } from './templates.ts'

export interface Publication {
  id: Uuid
  contentId: Uuid
}

/**
 * Publishes the templates' drafts as their next versions, each with its content, and returns the
 * numbers. The templates are locked or new. Batches that began with another version keep it.
 */
export const publishAll = (
  tx: Transaction,
  organizationId: Uuid,
  publications: readonly Publication[],
) => tx<Pick<TemplateRow, 'id' | 'version' | 'publishedAt' | 'updatedAt'>[]>`
  with published as (
    update templates t
    set status = 'PUBLISHED',
      version = t.version + 1,
      has_unpublished_changes = false,
      published_at = clock_timestamp(),
      updated_at = greatest(t.updated_at, clock_timestamp())
    from ${publicationRows(tx, publications)}
    where t.organization_id = ${organizationId} and t.id = p.id
    returning t.id, t.version, t.published_at, t.updated_at, t.source_type, t.source, t.text_content,
      t.is_compiled, t.email_type, t.variables, p.content_id
  ), kept as (
    insert into template_versions (organization_id, template_id, version, content_id, source_type,
      source, text_content, is_compiled, email_type, variables, published_at)
    select ${organizationId}, id, version, content_id, source_type, source, text_content, is_compiled,
      email_type, variables, published_at
    from published
  )
  select id, version, published_at, updated_at
  from published`

const publicationRows = (sql: Executor, publications: readonly Publication[]) => sql`
  unnest(
    ${publications.map(({ id }) => id)}::uuid[],
    ${publications.map(({ contentId }) => contentId)}::uuid[]
  ) as p (id, content_id)`

/** Records that the published version equals the draft, without a new version. */
export const markSame = (tx: Transaction, organizationId: Uuid, ids: readonly Uuid[]) => tx`
  update templates
  set has_unpublished_changes = false
  where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`

/** Lists the newest versions of templates, to see whether a publication changes anything. */
export const listNewest = (sql: Executor, organizationId: Uuid, ids: readonly Uuid[]) => sql<
  ({ id: Uuid; hash: string | null } & Pick<TemplateSource, 'emailType' | 'variables'>)[]
>`
  select t.id, c.hash, v.email_type, v.variables
  from templates t
  join template_versions v on v.organization_id = ${organizationId} and v.template_id = t.id
    and v.version = t.version
  join contents c on c.organization_id = ${organizationId} and c.id = v.content_id
  where t.organization_id = ${organizationId} and t.id = any(${[...ids]}::uuid[])`

/** Versions of a template, newest first, without what they say. */
export const list = (
  sql: Executor,
  organizationId: Uuid,
  { templateId, before, limit }: { templateId: Uuid; before: number | undefined; limit: number },
) => sql<{ version: number; subject: string | null; publishedAt: string }[]>`
  select v.version, c.subject, v.published_at
  from template_versions v
  join contents c on c.organization_id = v.organization_id and c.id = v.content_id
  where v.organization_id = ${organizationId} and v.template_id = ${templateId}
    ${before === undefined ? sql`` : sql`and v.version < ${before}`}
  order by v.version desc
  limit ${limit}`

/** Content of a published version. */
export type PublishedText = Pick<
  TemplateRow,
  | 'version'
  | 'subject'
  | 'previewText'
  | 'sourceType'
  | 'emailType'
  | 'variables'
  | 'source'
  | 'textContent'
  | 'publishedAt'
>

export async function find(
  sql: Executor,
  organizationId: Uuid,
  { templateId, version }: { templateId: Uuid; version: number },
): Promise<PublishedText | undefined> {
  const [published] = await sql<PublishedText[]>`
    select v.version, c.subject, c.preview_text, v.source_type, v.email_type, v.variables, v.source,
      v.text_content, v.published_at
    from template_versions v
    join contents c on c.organization_id = v.organization_id and c.id = v.content_id
    where v.organization_id = ${organizationId} and v.template_id = ${templateId}
      and v.version = ${version}`
  return published
}
