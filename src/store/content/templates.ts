import type { Uuid } from '../../ids.ts'
import type { Template, TemplateSummary } from '../../schemas/content/template.ts'
import type { Executor } from '../db/sql.ts'

const summary = (sql: Executor) => sql`
  id, name, slug, subject, preview_text, source_type, email_type, variables, status, version,
  created_at, updated_at, published_at`

export interface NewTemplate {
  organizationId: Uuid
  id: Uuid
  name: string
  slug: string
  subject: string | null
  previewText: string | null
  sourceType: 'html'
  source: string
  emailType: 'marketing' | 'transactional'
  variables: readonly { name: string; fallback?: string | null }[]
}

/** Creates a template, published as version 1. Undefined when the slug is taken. */
export async function create(sql: Executor, template: NewTemplate): Promise<Template | undefined> {
  const [created] = await sql<Template[]>`
    insert into templates (organization_id, id, name, slug, subject, preview_text, source_type,
      source, email_type, variables, status, version, published_at)
    values (${template.organizationId}, ${template.id}, ${template.name}, ${template.slug},
      ${template.subject}, ${template.previewText}, ${template.sourceType}, ${template.source},
      ${template.emailType}, ${sql.json(template.variables)}, 'PUBLISHED', 1, now())
    on conflict (organization_id, slug) do nothing
    returning ${summary(sql)}, source`
  return created
}

export interface Version {
  organizationId: Uuid
  templateId: Uuid
  version: number
  contentId: Uuid
}

/** Links a version to its content; sends that began with another version keep theirs. */
export const addVersion = (sql: Executor, version: Version) => sql`
  insert into template_versions (organization_id, template_id, version, content_id)
  values (${version.organizationId}, ${version.templateId}, ${version.version}, ${version.contentId})`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Template | undefined> {
  const [template] = await sql<Template[]>`
    select ${summary(sql)}, source
    from templates
    where organization_id = ${organizationId} and id = ${id}`
  return template
}

export async function findBySlug(
  sql: Executor,
  organizationId: Uuid,
  slug: string,
): Promise<Template | undefined> {
  const [template] = await sql<Template[]>`
    select ${summary(sql)}, source
    from templates
    where organization_id = ${organizationId} and slug = ${slug}`
  return template
}

/** Newest first, `before` an id; without the sources, which may be megabytes each. */
export const list = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit }: { before: Uuid | undefined; limit: number },
) => sql<TemplateSummary[]>`
  select ${summary(sql)}
  from templates
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
  order by id desc
  limit ${limit}`

export interface Published {
  id: Uuid
  contentId: Uuid
  subject: string | null
  previewText: string | null
  emailType: 'marketing' | 'transactional'
  source: string
  variables: { name: string; fallback?: string | null }[]
}

/** The newest version of a published template: its content, and the source of it. */
export async function findPublished(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Published | undefined> {
  const [published] = await sql<Published[]>`
    select templates.id, contents.id as content_id, contents.subject, contents.preview_text,
      templates.email_type, templates.source, templates.variables
    from templates
    join template_versions on template_versions.organization_id = templates.organization_id
      and template_versions.template_id = templates.id
      and template_versions.version = templates.version
    join contents on contents.organization_id = template_versions.organization_id
      and contents.id = template_versions.content_id
    where templates.organization_id = ${organizationId}
      and templates.id = ${id}
      and templates.status = 'PUBLISHED'`
  return published
}
