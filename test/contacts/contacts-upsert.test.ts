import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as consent from '../../src/core/consent/email-status.ts'
import { refusalText, type UpsertOptions, type UpsertRow } from '../../src/core/contacts/rows.ts'
import { upsert } from '../../src/core/contacts/upsert.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'

let database: TestDatabase
let organizationId: Uuid
const keyring = parseKeyring(newKeyringText())
const addressOf = (email: string) => addressed(keyring, organizationId, email)

beforeAll(async () => {
  database = await createDatabase()
  ;({ organizationId } = await seedOrganization(database.sql))
})
afterAll(() => database.drop())

interface Stored {
  id: Uuid
  emailStatus: string
  emailBouncedAt: string | null
  resubscribedAt: string | null
  smsOptedOutAt: string | null
  smsConsentedAt: string | null
}

let people = 0
const newAddress = () => `person-${++people}@example.com`

const write = (
  values: UpsertRow['values'][],
  options: Partial<UpsertOptions> = {},
  topicIds: Uuid[] = [],
) =>
  transact(database.sql, (tx) =>
    upsert(
      tx,
      organizationId,
      values.map((each, index) => ({ index, values: each, topicIds })),
      { addressOf, source: 'api', mayLift: false, ...options },
    ),
  )
const contact = async (email: string) => {
  const [row] = await database.sql<Stored[]>`
    select * from contacts where organization_id = ${organizationId} and email = ${email}`
  return row!
}
const listed = async (email: string) =>
  (await suppressions.lookUp(database.sql, organizationId, [addressOf(email)]))(addressOf(email))
const kinds = async (contactId: string) =>
  (
    await database.sql<{ kind: string }[]>`
      select kind from consent_events where contact_id = ${contactId} order by id`
  ).map(({ kind }) => kind)
const raise = (email: string, status: suppressions.Reason) =>
  transact(database.sql, (tx) =>
    consent.suppress(tx, organizationId, [{ address: addressOf(email), status, source: 'event' }]),
  )
async function topic(doubleOptIn = false) {
  const id = uuidv7()
  const slug = `topic-${++people}`
  await database.sql`insert into topics ${database.sql({ organizationId, id, name: slug, slug, doubleOptIn, fromAddress: 'news@example.com' })}`
  return id
}
const standing = async (email: string, topicId: Uuid) => {
  const [row] = await database.sql<{ status: string; cohort: string | null }[]>`
    select s.status, s.cohort
    from subscriptions s
    join contacts c on c.id = s.contact_id
    where c.email = ${email} and s.topic_id = ${topicId}`
  return row
}

test('a new contact has the status that the list has of its address', async () => {
  const email = newAddress()
  await raise(email, 'bounced')
  const { results } = await write([{ email, emailStatus: 'active' }])
  expect(results).toMatchObject([{ status: 'created', emailStatusKept: true }])
  expect(await contact(email)).toMatchObject({ emailStatus: 'bounced' })
  expect((await contact(email)).emailBouncedAt).not.toBeNull()
  expect(await listed(email)).toBe('bounced')
})

test('a worse status is written to the list and on record, with the topics left', async () => {
  const email = newAddress()
  const topicId = await topic()
  await write([{ email }], {}, [topicId])
  expect(await standing(email, topicId)).toMatchObject({ status: 'subscribed' })
  await write([{ email, emailStatus: 'unsubscribed' }])
  const { id, emailStatus } = await contact(email)
  expect(emailStatus).toBe('unsubscribed')
  expect(await listed(email)).toBe('unsubscribed')
  expect(await standing(email, topicId)).toMatchObject({ status: 'unsubscribed' })
  expect((await kinds(id)).sort()).toEqual(['subscribed', 'unsubscribed', 'unsubscribed'])
})

test('a status is lifted only where the caller vouches for it, complaints only with the right', async () => {
  const left = newAddress()
  const complained = newAddress()
  await write([
    { email: left, emailStatus: 'unsubscribed' },
    { email: complained, emailStatus: 'complained' },
  ])
  const both = [left, complained].map((email) => ({ email, emailStatus: 'active' as const }))
  expect((await write(both)).results).toMatchObject([
    { emailStatusKept: true },
    { emailStatusKept: true },
  ])
  const vouched = both.map((each) => ({ ...each, resubscribe: true }))
  const { results } = await write(vouched)
  expect(results[0]).not.toHaveProperty('emailStatusKept')
  expect(results[1]).toHaveProperty('emailStatusKept', true)
  expect(await contact(left)).toMatchObject({ emailStatus: 'active' })
  expect((await contact(left)).resubscribedAt).not.toBeNull()
  expect(await listed(left)).toBeUndefined()
  expect(await contact(complained)).toMatchObject({ emailStatus: 'complained' })
  expect(await listed(complained)).toBe('complained')

  await write(vouched, { mayLift: true })
  expect(await contact(complained)).toMatchObject({ emailStatus: 'active' })
  expect(await listed(complained)).toBeUndefined()
})

test('a resubscription of a new contact takes its address off the list', async () => {
  const email = newAddress()
  await raise(email, 'unsubscribed')
  await write([{ email, emailStatus: 'active', resubscribe: true }])
  expect(await contact(email)).toMatchObject({ emailStatus: 'active' })
  expect(await listed(email)).toBeUndefined()
})

test('the last of several rows about one contact counts, for the list too', async () => {
  const email = newAddress()
  const other = newAddress()
  await write([
    { email, externalId: 'twice', emailStatus: 'bounced' },
    { email, emailStatus: 'active', resubscribe: true },
    { email: other, emailStatus: 'active', resubscribe: true },
    { email: other, emailStatus: 'bounced' },
  ])
  expect(await contact(email)).toMatchObject({ emailStatus: 'active' })
  expect(await listed(email)).toBeUndefined()
  expect(await contact(other)).toMatchObject({ emailStatus: 'bounced' })
  expect(await listed(other)).toBe('bounced')
})

test('a person who was resubscribed at one address is not at the next: late events of it hold', async () => {
  const moved: string[] = []
  for (const way of ['twice', 'at once']) {
    const [first, second] = [newAddress(), newAddress()]
    const externalId = `resubscribed ${way}`
    await write([{ externalId, email: first, emailStatus: 'unsubscribed' }])
    const back = { externalId, emailStatus: 'active', resubscribe: true } as const
    const move = { externalId, email: second }
    if (way === 'twice') {
      await write([back])
      await write([move])
    } else await write([back, move])
    moved.push(second)
  }
  for (const email of moved) {
    await transact(database.sql, (tx) =>
      consent.suppress(tx, organizationId, [
        {
          address: addressOf(email),
          status: 'complained',
          source: 'event',
          occurredAt: '2026-01-01T00:00:00.000Z',
        },
      ]),
    )
    expect(await contact(email)).toMatchObject({ emailStatus: 'complained' })
    expect(await listed(email)).toBe('complained')
  }
})

test('an address that a contact gives up stays on the list; a way back to it stays closed', async () => {
  const [first, second] = [newAddress(), newAddress()]
  await write([
    { externalId: 'mover', email: first, emailStatus: 'unsubscribed' },
    { externalId: 'mover', email: second },
    { externalId: 'mover', email: first },
  ])
  expect(await contact(first)).toMatchObject({ emailStatus: 'unsubscribed' })
  expect(await listed(first)).toBe('unsubscribed')
  expect(await listed(second)).toBeUndefined()
})

test('a status for a contact that is named without its address reaches the list', async () => {
  const email = newAddress()
  await write([{ externalId: 'nameless', email }])
  await write([{ externalId: 'nameless', emailStatus: 'complained' }])
  expect(await contact(email)).toMatchObject({ emailStatus: 'complained' })
  expect(await listed(email)).toBe('complained')
})

test('a changed address is looked up, verified no more, and asked again', async () => {
  const [before, after] = [newAddress(), newAddress()]
  const topicId = await topic(true)
  await write([{ externalId: 'changer', email: before }])
  const { id } = await contact(before)
  await database.sql`update contacts set email_verified_at = now() where id = ${id}`
  await database.sql`insert into subscriptions ${database.sql({ organizationId, contactId: id, topicId, status: 'subscribed', confirmedAt: '2026-01-01T00:00:00Z' })}`
  await raise(after, 'unsubscribed')
  await write([{ externalId: 'changer', email: after }])
  expect(await contact(after)).toMatchObject({
    id,
    emailStatus: 'unsubscribed',
    emailVerifiedAt: null,
  })
  expect(await standing(after, topicId)).toMatchObject({ status: 'unsubscribed' })

  const free = newAddress()
  await database.sql`update subscriptions set status = 'subscribed' where contact_id = ${id}`
  await write([{ externalId: 'changer', email: free }])
  expect(await contact(free)).toMatchObject({ emailStatus: 'active' })
  expect(await standing(free, topicId)).toMatchObject({ status: 'pending' })
})

test('with skip whoever is there already stays as they are, also those of an earlier row', async () => {
  const [there, fresh] = [newAddress(), newAddress()]
  const topicId = await topic()
  await write([{ email: there, firstName: 'Old' }])
  const { results, skipped } = await write(
    [
      { email: there, firstName: 'New', emailStatus: 'unsubscribed' },
      { email: fresh, firstName: 'First' },
      { email: fresh, firstName: 'Second' },
    ],
    { onDuplicate: 'skip' },
    [topicId],
  )
  expect(results).toMatchObject([{ index: 1, status: 'created' }])
  expect(skipped.map(({ index }) => index)).toEqual([0, 2])
  expect(await contact(there)).toMatchObject({ firstName: 'Old', emailStatus: 'active' })
  expect(await contact(fresh)).toMatchObject({ firstName: 'First' })
  expect(await standing(there, topicId)).toBeUndefined()
  expect(await standing(fresh, topicId)).toMatchObject({ status: 'subscribed' })
})

test('a row that says nothing new writes nothing', async () => {
  const email = newAddress()
  const values = { email, firstName: 'Same', properties: { list: [1, { b: 2, a: 1 }] } }
  await write([values])
  const before = await contact(email)
  const { results } = await write([
    { ...values, emailStatus: 'active', properties: { list: [1, { a: 1, b: 2 }] } },
  ])
  expect(results).toMatchObject([{ status: 'updated' }])
  expect(await contact(email)).toEqual(before)
})

test('a person who opted out of text messages is resubscribed only if the caller vouches for it', async () => {
  const email = newAddress()
  await write([{ email, phone: '+4915112345678', smsStatus: 'opted_out' }])
  expect((await contact(email)).smsOptedOutAt).not.toBeNull()
  await write([{ email, smsStatus: 'opted_in' }])
  expect(await contact(email)).toMatchObject({ smsStatus: 'opted_out', smsConsentedAt: null })
  await write([{ email, smsStatus: 'opted_in', resubscribe: true }])
  expect(await contact(email)).toMatchObject({ smsStatus: 'opted_out' })
  await write([{ email, smsStatus: 'opted_in', resubscribe: true }], { mayLift: true })
  expect(await contact(email)).toMatchObject({ smsStatus: 'opted_in' })
  expect((await contact(email)).smsConsentedAt).not.toBeNull()
})

test('a new number begins anew: nobody consented with it', async () => {
  const email = newAddress()
  await write([{ email, phone: '+4915112345601', smsStatus: 'opted_in' }])
  await write([{ email, phone: '+4915112345602' }])
  expect(await contact(email)).toMatchObject({
    smsStatus: 'pending_consent',
    smsConsentedAt: null,
  })
  await write([{ email, smsStatus: 'opted_out' }])
  await write([{ email, phone: '+4915112345603', smsStatus: 'opted_in' }])
  expect(await contact(email)).toMatchObject({ smsStatus: 'opted_in', smsOptedOutAt: null })
  expect((await contact(email)).smsConsentedAt).not.toBeNull()
  await write([{ email, phone: '+4915112345603', firstName: 'Ada' }])
  expect(await contact(email)).toMatchObject({ smsStatus: 'opted_in' })
})

test('confirmations of a cohort carry it and start no workflow each', async () => {
  const email = newAddress()
  const topicId = await topic(true)
  const cohort = uuidv7()
  await write([{ email }], { cohort }, [topicId])
  expect(await standing(email, topicId)).toEqual({ status: 'pending', cohort })
  const messages = await database.sql`
    select kind from outbox where payload->>'topicId' = ${topicId}`
  expect(messages).toHaveLength(0)
})

test('writers of the same contacts and an unsubscribe link agree: who left stays away', async () => {
  const emails = Array.from({ length: 20 }, newAddress)
  const rows = emails.map((email) => ({ email, emailStatus: 'active' as const }))
  for (let round = 0; round < 10; round++) {
    const leaving = emails.slice(round * 2, round * 2 + 2)
    await Promise.all([
      write(rows),
      write(rows.toReversed()),
      ...leaving.map((email) =>
        transact(database.sql, (tx) =>
          consent.suppress(tx, organizationId, [
            { address: addressOf(email), status: 'unsubscribed', source: 'link', own: true },
          ]),
        ),
      ),
    ])
  }
  for (const email of emails) {
    expect(await contact(email)).toMatchObject({ emailStatus: 'unsubscribed' })
    expect(await listed(email)).toBe('unsubscribed')
  }
})

test('a caller that expects new contacts and is wrong gets the same result as one that looks first', async () => {
  const rowsOf = (tag: string) => [
    { email: `there-${tag}@example.com`, firstName: 'Changed' },
    { externalId: `only-${tag}`, firstName: 'By id' },
    { email: `new-${tag}@example.com`, externalId: `new-${tag}` },
    { externalId: `new-${tag}`, lastName: 'Later' },
    { externalId: `new-${tag}`, email: `there-${tag}@example.com` },
    { email: `left-${tag}@example.com`, emailStatus: 'active' as const },
    { firstName: 'Nobody' },
    { email: `there-${tag}@example.com`, lastName: 'Again' },
  ]
  const outcomes = []
  for (const expectsNew of [false, true]) {
    const tag = `guess-${String(expectsNew)}`
    await write([
      { email: `there-${tag}@example.com` },
      { email: `only-${tag}@example.com`, externalId: `only-${tag}` },
    ])
    await raise(`left-${tag}@example.com`, 'complained')
    const { results } = await write(rowsOf(tag), { expectsNew })
    const stored = await database.sql`
      select external_id, email, first_name, last_name, email_status
      from contacts where email like ${`%-${tag}@example.com`} order by email`
    outcomes.push(
      JSON.parse(
        JSON.stringify([
          results.map(({ id, ...result }) => ({
            ...result,
            ...('refusal' in result ? { error: refusalText(result.refusal), refusal: null } : {}),
            hasId: id !== null,
          })),
          stored,
        ]).replaceAll(tag, 'x'),
      ),
    )
  }
  expect(outcomes[1]).toEqual(outcomes[0])
})

test('another organization with the same addresses is left alone', async () => {
  const email = newAddress()
  await write([{ email }])
  const other = await seedOrganization(database.sql)
  await transact(database.sql, (tx) =>
    upsert(tx, other.organizationId, [{ index: 0, values: { email, emailStatus: 'complained' } }], {
      addressOf: (each) => addressed(keyring, other.organizationId, each),
      source: 'api',
      mayLift: false,
    }),
  )
  expect(await contact(email)).toMatchObject({ emailStatus: 'active' })
  expect(await listed(email)).toBeUndefined()
})
