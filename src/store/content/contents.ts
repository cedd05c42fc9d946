import type { Uuid } from '../../ids.ts'
import type { Executor } from '../db/sql.ts'

export interface Content {
  organizationId: Uuid
  id: Uuid
  subject: string | null
  previewText: string | null
  html: string
  text: string
}

/**
 * Stores a compiled content. It never changes, so that what refers to it stays the same.
 */
export const create = (sql: Executor, content: Content) => sql`
  insert into contents (organization_id, id, subject, preview_text, html, text)
  values (${content.organizationId}, ${content.id}, ${content.subject}, ${content.previewText},
    ${content.html}, ${content.text})`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Pick<Content, 'html' | 'text'> | undefined> {
  const [content] = await sql<Pick<Content, 'html' | 'text'>[]>`
    select html, text
    from contents
    where organization_id = ${organizationId} and id = ${id}`
  return content
}
