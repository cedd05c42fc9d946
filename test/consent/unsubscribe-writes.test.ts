import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressed, addressedByHash } from '../../src/keys/addresses.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { unsubscribe } from '../../src/core/consent/unsubscribe.ts'
import { type Sql, within } from '../../src/store/db/sql.ts'
import { addressHash, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

/** More than are looked at in one statement. */
const PEOPLE = 45_000
const keyring = parseKeyring(newKeyringText())

let database: TestDatabase
let organizationId: Uuid
let apiSql: Sql
let statements = 0

beforeAll(async () => {
  database = await createDatabase()
  ;({ organizationId } = await seedOrganization(database.sql))
  apiSql = connectAs(database.url, {
    name: 'unsubscribing',
    role: 'letterloom_api',
    onQuery: (query) => {
      if (query.includes('sha256')) statements++
    },
  })
  const { organizationId: other } = await seedOrganization(database.sql)
  await database.sql`
    insert into contacts (organization_id, id, email, email_status)
    select organization_id, gen_random_uuid(), 'reader' || n || '@example.com', 'active'
    from generate_series(1, ${PEOPLE}::int) n
    cross join unnest(${[organizationId, other]}::uuid[]) as organization_id
    where organization_id = ${organizationId} or n <= 10`
})
afterAll(async () => {
  await apiSql.end()
  await database.drop()
})

/** By the link of a contact that is gone, whose mail is no longer kept. */
function unsubscribeByHash(email: string) {
  const hash = addressHash(organizationId, email)
  return unsubscribe(within(apiSql, organizationId), organizationId, {
    contactId: uuidv7(),
    addressHash: hash,
    mailed: addressedByHash(keyring, hash),
    addressOf: (each) => addressed(keyring, organizationId, each),
  })
}

test('the contact with the address of a link is found among many, in small statements', async () => {
  const ids = await database.sql<{ id: Uuid; email: string }[]>`
    select id, email from contacts where organization_id = ${organizationId} order by id`
  for (const { id, email } of [ids[0]!, ids.at(-1)!]) {
    expect(await unsubscribeByHash(email)).toContain(id)
  }
  expect(await unsubscribeByHash('nobody@example.com')).toHaveLength(1)
  const unsubscribed = await database.sql<{ id: Uuid }[]>`
    select id from contacts where email_status = 'unsubscribed' order by id`
  expect(unsubscribed.map(({ id }) => id)).toEqual([ids[0]!.id, ids.at(-1)!.id])
  // One for the first, three for the last, and four until no contact is left.
  expect(statements).toBe(8)
})

test('a search that found nobody is made once, however often the link is posted', async () => {
  statements = 0
  const many = Array.from({ length: 10 }, () => unsubscribeByHash('nobody-else@example.com'))
  for (const acted of await Promise.all(many)) expect(acted).toHaveLength(1)
  expect(statements).toBe(4)
})
