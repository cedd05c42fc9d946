import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptText } from '../../src/core/mails/single-text.ts'
import { addressHash, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as erasedMails from '../../src/store/privacy/erased-mails.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'

const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

test('an erasure empties texts to the number, unless another contact has it', async () => {
  const { sql } = database
  const { organizationId, connectionId } = await seedOrganization(sql)
  await sql`update connections set features = '{"sms": true}' where id = ${connectionId}`
  const accept = async (to: string) => {
    const input = { to, body: 'Hello', senderId: 'LETTERS' }
    const options = { keyring, now: Date.now() }
    return (await transact(sql, (tx) => acceptText(tx, organizationId, input, options))).id
  }
  const [mine, others] = ['+12065550101', '+12065550102']
  const ids = [await accept(mine), await accept(others)]
  await sql`
    insert into contacts (organization_id, id, phone) values (${organizationId}, ${uuidv7()}, ${others})`
  const mailed: erasedMails.Mailed = {
    organizationId,
    contactIds: [],
    addressHashes: [mine, others].map((to) => addressHash(organizationId, to).toString('hex')),
    until: new Date(Date.now() + 60_000).toISOString(),
  }
  const found = await erasedMails.listSettled(sql, mailed, 10)
  expect(found.map(({ id }) => id)).toEqual([ids[0]])
  const [id = ''] = ids
  const { count } = await transact(sql, (tx) => erasedMails.empty(tx, mailed, dayBucket(id), ids))
  expect(count).toBe(1)
  const rows = await sql`
    select m.recipient, m.state, m.reason, t.sealed is null as is_empty,
      exists (select from text_queue q where q.id = m.id) as is_queued,
      exists (select from message_bodies b where b.id = m.id) as has_sender
    from messages m join transactional_mails t on t.id = m.id
    where m.organization_id = ${organizationId} order by m.id`
  expect([...rows]).toEqual([
    {
      recipient: null,
      state: 'skipped',
      reason: 'contact_deleted',
      isEmpty: true,
      isQueued: false,
      hasSender: false,
    },
    {
      recipient: others,
      state: 'queued',
      reason: null,
      isEmpty: false,
      isQueued: true,
      hasSender: true,
    },
  ])
})
