import type { PersonNames } from '../../domain/privacy/names.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

export interface Person extends PersonNames {
  /**
   * ISO 8601. Addresses of contacts that existed at this time belong to those contacts, not to the
   * person.
   */
  until: string
}

/** Rows whose column may name the person. `findNamed` decides. */
export const mayName = (sql: Executor, column: string, { pattern }: PersonNames) =>
  pattern === null ? sql`false` : sql`${sql(column)}::text ~* ${pattern}`

/** Returns a function that tells whether a text names the person and nobody else. */
export async function findNamed(
  sql: Executor,
  organizationId: Uuid,
  { namesIn, contactIds, until }: Person,
  texts: readonly string[],
): Promise<(text: string) => boolean> {
  const names = [...new Set(texts.flatMap(namesIn))]
  const heldNames = new Set(names.length === 0 ? [] : await listHeld())
  return (text) => namesIn(text).some((name) => !heldNames.has(name))

  async function listHeld(): Promise<string[]> {
    const rows = await sql<{ name: string }[]>`
      select name
      from unnest(${names}::text[]) as name
      where exists (
        select
        from contacts
        where organization_id = ${organizationId} and (email = name or phone = name)
          and created_at <= ${until} and id <> all(${[...contactIds]}::uuid[])
      )`
    return rows.map(({ name }) => name)
  }
}
