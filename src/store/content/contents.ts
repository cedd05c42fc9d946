import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

export interface StoredContent {
  organizationId: Uuid
  id: Uuid
  subject: string | null
  previewText: string | null
  html: string
  text: string
  hash?: string
  links?: readonly string[]
  slots?: readonly string[]
}

/** Stores compiled contents. They never change, so that their users stay the same. */
export const createAll = (sql: Executor, contents: readonly StoredContent[]) => sql`
  insert into contents (organization_id, id, subject, preview_text, html, text, hash, links, slots)
  select organization_id, id, subject, preview_text, html, text, hash, links, slots
  from jsonb_to_recordset(${sql.json(
    contents.map(({ organizationId, previewText, ...content }) => ({
      ...content,
      organization_id: organizationId,
      preview_text: previewText,
    })),
  )}) as given (organization_id uuid, id uuid, subject text, preview_text text, html text,
    text text, hash text, links jsonb, slots jsonb)`

export const create = (sql: Executor, content: StoredContent) => createAll(sql, [content])

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Pick<StoredContent, 'html' | 'text'> | undefined> {
  const [content] = await sql<Pick<StoredContent, 'html' | 'text'>[]>`
    select html, text
    from contents
    where organization_id = ${organizationId} and id = ${id}`
  return content
}
