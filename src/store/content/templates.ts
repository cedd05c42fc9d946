import type { Uuid } from '../../runtime/ids.ts'
import type { Template, TemplateSummary } from '../../schemas/content/template.ts'
import { containing } from '../db/like.ts'
import type { Executor, Transaction } from '../db/sql.ts'

const summary = (sql: Executor) => sql`
  id, name, slug, subject, preview_text, source_type, email_type, variables, status, version,
  has_unpublished_changes, source_hash, cli_project_path, ses_template_name, created_at, updated_at,
  published_at`

const wholeColumns = (sql: Executor) => sql`
  ${summary(sql)}, source, text_content, is_compiled, edited_at, pushed_at`

/** Written fields of a template, from which versions are made. */
export interface TemplateSource {
  subject: string | null
  previewText: string | null
  sourceType: 'html' | 'mjml'
  source: string
  /** Text part. Null: it is made from the HTML. */
  textContent: string | null
  /** The source is compiled already and is published unchanged. */
  isCompiled: boolean
  emailType: 'marketing' | 'transactional'
  variables: { name: string; fallback?: string | null }[]
}

interface PushMarks {
  sourceHash: string | null
  cliProjectPath: string | null
  sesTemplateName: string | null
}

export interface TemplateValues extends TemplateSource, PushMarks {
  id: Uuid
  name: string
  slug: string
}

export interface TemplateRow extends TemplateSummary, TemplateValues {
  editedAt: string
  pushedAt: string | null
}

export const createAll = (
  sql: Executor,
  organizationId: Uuid,
  templates: readonly TemplateValues[],
) => sql<TemplateRow[]>`
  insert into templates (organization_id, id, name, slug, subject, preview_text, source_type,
    source, text_content, is_compiled, email_type, variables, source_hash, cli_project_path,
    ses_template_name, status, version)
  select ${organizationId}, id, name, slug, subject, preview_text, source_type, source, text_content,
    is_compiled, email_type, variables, source_hash, cli_project_path, ses_template_name, 'DRAFT', 0
  from ${templateRows(sql, templates)}
  on conflict (organization_id, slug) do nothing
  returning ${wholeColumns(sql)}`

export async function create(
  sql: Executor,
  organizationId: Uuid,
  template: TemplateValues,
): Promise<TemplateRow | undefined> {
  const [created] = await createAll(sql, organizationId, [template])
  return created
}

/** Changes written fields. Published versions stay until the next one. The templates are locked. */
export const updateAll = (
  tx: Transaction,
  organizationId: Uuid,
  templates: readonly TemplateValues[],
) => tx<TemplateRow[]>`
  update templates t
  set name = n.name,
    slug = n.slug,
    subject = n.subject,
    preview_text = n.preview_text,
    source_type = n.source_type,
    source = n.source,
    text_content = n.text_content,
    is_compiled = n.is_compiled,
    email_type = n.email_type,
    variables = n.variables,
    source_hash = n.source_hash,
    cli_project_path = n.cli_project_path,
    ses_template_name = n.ses_template_name,
    has_unpublished_changes = t.version > 0 and (t.has_unpublished_changes
      or (t.subject, t.preview_text, t.source_type, t.source, t.text_content, t.is_compiled, t.email_type,
          t.variables)
        is distinct from (n.subject, n.preview_text, n.source_type, n.source, n.text_content, n.is_compiled,
          n.email_type, n.variables)),
    edited_at = clock_timestamp(),
    updated_at = greatest(t.updated_at, clock_timestamp())
  from ${templateRows(tx, templates)}
  where t.organization_id = ${organizationId} and t.id = n.id
  returning ${columnsOf(tx)}`

const columnsOf = (sql: Executor) => sql`
  t.id, t.name, t.slug, t.subject, t.preview_text, t.source_type, t.email_type, t.variables,
  t.status, t.version, t.has_unpublished_changes, t.source_hash, t.cli_project_path,
  t.ses_template_name, t.created_at, t.updated_at, t.published_at, t.source, t.text_content, t.is_compiled,
  t.edited_at, t.pushed_at`

const templateRows = (sql: Executor, templates: readonly TemplateValues[]) => sql`
  jsonb_to_recordset(${sql.json(
    templates.map((each) => ({
      id: each.id,
      name: each.name,
      slug: each.slug,
      subject: each.subject,
      preview_text: each.previewText,
      source_type: each.sourceType,
      source: each.source,
      text_content: each.textContent,
      is_compiled: each.isCompiled,
      email_type: each.emailType,
      variables: each.variables,
      source_hash: each.sourceHash,
      cli_project_path: each.cliProjectPath,
      ses_template_name: each.sesTemplateName,
    })),
  )}) as n (id uuid, name text, slug text, subject text, preview_text text, source_type text,
    source text, text_content text, is_compiled boolean, email_type text, variables jsonb, source_hash text,
    cli_project_path text, ses_template_name text)`

/** Marks the present drafts as pushed, and so not as edits made here. */
export const markPushed = (tx: Transaction, organizationId: Uuid, ids: readonly Uuid[]) => tx`
  update templates
  set pushed_at = clock_timestamp()
  where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`

/** Archives or restores a locked template. A restored one is published if it ever was. */
export async function setArchived(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  isArchived: boolean,
): Promise<TemplateRow | undefined> {
  const [changed] = await tx<TemplateRow[]>`
    update templates
    set status = case
        when ${isArchived} then 'ARCHIVED'
        when version > 0 then 'PUBLISHED'
        else 'DRAFT'
      end,
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id = ${id}
    returning ${wholeColumns(tx)}`
  return changed
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<TemplateRow | undefined> {
  const [template] = await sql<TemplateRow[]>`
    select ${wholeColumns(sql)}
    from templates
    where organization_id = ${organizationId} and id = ${id}`
  return template
}

export async function findBySlug(
  sql: Executor,
  organizationId: Uuid,
  slug: string,
): Promise<TemplateRow | undefined> {
  const [template] = await sql<TemplateRow[]>`
    select ${wholeColumns(sql)}
    from templates
    where organization_id = ${organizationId} and slug = ${slug}`
  return template
}

export const listBySlugs = (sql: Executor, organizationId: Uuid, slugs: readonly string[]) => sql<
  TemplateRow[]
>`
  select ${wholeColumns(sql)}
  from templates
  where organization_id = ${organizationId} and slug = any(${[...slugs]}::text[])`

export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<TemplateRow | undefined> {
  const [template] = await tx<TemplateRow[]>`
    select ${wholeColumns(tx)}
    from templates
    where organization_id = ${organizationId} and id = ${id}
    for update`
  return template
}

/** Locks the templates with these slugs, always in the same order. */
export const lockBySlugs = (tx: Transaction, organizationId: Uuid, slugs: readonly string[]) => tx<
  TemplateRow[]
>`
  select ${wholeColumns(tx)}
  from templates
  where organization_id = ${organizationId} and slug = any(${[...slugs]}::text[])
  order by id
  for update`

/** Locks the existing ones of these templates against deletion and archiving. */
export const keep = (tx: Transaction, organizationId: Uuid, ids: readonly Uuid[]) => tx`
  select
  from templates
  where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
  order by id
  for key share`

interface Filters {
  status: Template['status'] | undefined
  search: string | undefined
}

/** Lists templates newest first, `before` an id, without sources, which may be megabytes each. */
export const list = (
  sql: Executor,
  organizationId: Uuid,
  { status, search }: Filters,
  { before, limit }: { before: Uuid | undefined; limit: number },
) => sql<TemplateSummary[]>`
  select ${summary(sql)}
  from templates
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${
      search === undefined
        ? sql``
        : sql`and (name ilike ${containing(search)} or slug like ${containing(search)})`
    }
  order by id desc
  limit ${limit}`

/** Published fields of a template, if its draft differs. */
export interface PulledTemplateRow extends TemplateRow {
  published: (TemplateSource & { version: number }) | null
}

/**
 * Lists whole templates newest first: all, or the one with this slug. Those with unpublished
 * changes have their published version, too.
 */
export const listPulled = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit, slug }: { before: Uuid | undefined; limit: number; slug: string | undefined },
) => sql<PulledTemplateRow[]>`
  select ${columnsOf(sql)},
    case when v.version is not null then json_build_object(
      'version', v.version, 'subject', c.subject, 'previewText', c.preview_text,
      'sourceType', v.source_type, 'source', v.source, 'textContent', v.text_content,
      'isCompiled', v.is_compiled, 'emailType', v.email_type, 'variables', v.variables) end as published
  from templates t
  left join template_versions v on v.organization_id = t.organization_id and v.template_id = t.id
    and v.version = t.version and t.has_unpublished_changes
  left join contents c on c.organization_id = v.organization_id and c.id = v.content_id
  where t.organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and t.id < ${before}`}
    ${slug === undefined ? sql`` : sql`and t.slug = ${slug}`}
  order by t.id desc
  limit ${limit}`

/** The newest version of a published template: its content and its source. */
export interface Published extends TemplateSource {
  id: Uuid
  contentId: Uuid
}

/** Undefined: it does not exist, is not published or is archived. */
export async function findPublished(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Published | undefined> {
  const [published] = await sql<Published[]>`
    select t.id, c.id as content_id, c.subject, c.preview_text, v.source_type, v.source, v.text_content,
      v.is_compiled, v.email_type, v.variables
    from templates t
    join template_versions v on v.organization_id = t.organization_id and v.template_id = t.id
      and v.version = t.version
    join contents c on c.organization_id = v.organization_id and c.id = v.content_id
    where t.organization_id = ${organizationId} and t.id = ${id} and t.status = 'PUBLISHED'`
  return published
}

/** Deletes a locked template. The contents of its versions stay, since batches refer to them. */
export const remove = (tx: Transaction, organizationId: Uuid, id: Uuid) => tx`
  delete from templates
  where organization_id = ${organizationId} and id = ${id}`
