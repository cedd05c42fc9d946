import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'

export async function insertTopic(
  sql: Sql,
  organizationId: Uuid,
  { slug = `topic-${uuidv7()}`, doubleOptIn = false } = {},
): Promise<Uuid> {
  const id = uuidv7()
  const fromAddress = doubleOptIn ? 'news@example.com' : null
  await sql`
    insert into topics ${sql({ organizationId, id, name: slug, slug, doubleOptIn, fromAddress })}`
  return id
}
