import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressed, addressedByHash } from '../../src/keys/addresses.ts'
import type { Reason } from '../../src/store/consent/suppressions.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as confirmationMails from '../../src/store/consent/confirmation-mails.ts'
import * as consent from '../../src/core/consent/email-status.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import { listOfContact } from '../../src/store/consent/subscriptions.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import { addressHash, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'

let database: TestDatabase
let organizationId: string
const retired = newKeyringText().replace('dev', 'old')
const present = newKeyringText().replace('dev', 'new')
const before = parseKeyring(retired)
const keyring = parseKeyring(`${present},${retired}`)
const addressOf = (email: string) => addressed(keyring, organizationId, email)

beforeAll(async () => {
  database = await createDatabase()
  ;({ organizationId } = await seedOrganization(database.sql))
})
afterAll(() => database.drop())

let people = 0
async function person(columns: Record<string, unknown> = {}) {
  const id = uuidv7()
  const email = `reader-${++people}@example.com`
  await database.sql`insert into contacts ${database.sql({
    organizationId,
    id,
    email,
    emailStatus: 'active',
    ...columns,
  })}`
  return { id, email }
}

async function topic(columns: Record<string, unknown> = {}) {
  const id = uuidv7()
  const slug = `topic-${++people}`
  await database.sql`insert into topics ${database.sql({ organizationId, id, name: slug, slug, ...columns })}`
  return id
}

const doubleOptIn = { doubleOptIn: true, fromAddress: 'news@example.com' }

const contact = async (id: string) => {
  const [row] = await database.sql<{ emailStatus: string; emailOptedOutAt: string | null }[]>`
    select email_status, email_opted_out_at from contacts where id = ${id}`
  return row!
}
const listed = async (email: string) =>
  (await suppressions.lookUp(database.sql, organizationId, [addressOf(email)]))(addressOf(email))
const outbox = () => database.sql<{ kind: string; payload: { generation: number } }[]>`
  select kind, payload from outbox where organization_id = ${organizationId} order by position`
const subscribe = (contactId: string, topicId: string, willing = false) =>
  transact(database.sql, (tx) =>
    subscriptions.subscribe(tx, organizationId, [{ contactId, topicId }], {
      source: 'api',
      addressOf,
      willing,
    }),
  )
const suppress = (email: string, status: Reason, more: Partial<consent.SuppressionRequest> = {}) =>
  transact(database.sql, (tx) =>
    consent.suppress(tx, organizationId, [
      { address: addressOf(email), status, source: 'event', ...more },
    ]),
  )

test('any order of events leaves contact and list at the worst of them', async () => {
  const orders: Reason[][] = [
    ['bounced', 'complained', 'unsubscribed'],
    ['complained', 'unsubscribed', 'bounced'],
    ['unsubscribed', 'bounced', 'complained'],
  ]
  for (const order of orders) {
    const { id, email } = await person()
    for (const status of order) await suppress(email, status)
    expect((await contact(id)).emailStatus).toBe('complained')
    expect(await listed(email)).toBe('complained')
  }
})

test('an event for an address that nobody has changes only the list', async () => {
  const { id, email } = await person()
  await suppress(`old-${email}`, 'bounced')
  expect((await contact(id)).emailStatus).toBe('active')
  expect(await listed(`old-${email}`)).toBe('bounced')
  expect(await listed(email)).toBeUndefined()
})

test('an event from before a resubscription changes nothing', async () => {
  const { id, email } = await person({ resubscribedAt: '2026-11-20T12:00:00.000Z' })
  await suppress(email, 'bounced', { occurredAt: '2026-11-20T11:59:59.999Z' })
  expect((await contact(id)).emailStatus).toBe('active')
  expect(await listed(email)).toBeUndefined()
  await suppress(email, 'bounced', { occurredAt: '2026-11-20T12:00:00.001Z' })
  expect((await contact(id)).emailStatus).toBe('bounced')
})

test('an entry of a retired key is found, and moves to the present one', async () => {
  const email = 'long-gone@example.com'
  await transact(database.sql, (tx) =>
    consent.suppress(tx, organizationId, [
      { address: addressed(before, organizationId, email), status: 'unsubscribed', source: 'link' },
    ]),
  )
  expect(await listed(email)).toBe('unsubscribed')
  await suppress(email, 'bounced')
  const rows = await database.sql<{ keyId: string; reason: string; source: string }[]>`
    select key_id, reason, source from suppressions where address = ${email}`
  expect(rows).toEqual([{ keyId: 'new', reason: 'bounced', source: 'event' }])
})

test.each<[Reason, Reason]>([
  ['unsubscribed', 'complained'],
  ['complained', 'unsubscribed'],
])('of two entries, %s under the retired key and %s, the worst remains', async (old, young) => {
  const email = `twice-${old}@example.com`
  const put = (text: string, reason: Reason) => {
    const address = addressed(parseKeyring(text), organizationId, email)
    return transact(database.sql, (tx) =>
      suppressions.put(tx, organizationId, [{ address, reason, source: 'link' }]),
    )
  }
  await put(retired, old)
  await put(present, young)
  await suppress(email, 'bounced')
  const rows = await database.sql`
    select key_id, reason, source from suppressions where address = ${email}`
  expect(rows).toEqual([{ keyId: 'new', reason: 'complained', source: 'link' }])
})

test('an address known by its hash alone is listed without it', async () => {
  const email = 'forgotten@example.com'
  const address = addressedByHash(keyring, addressHash(organizationId, email))
  await transact(database.sql, (tx) =>
    consent.suppress(tx, organizationId, [{ address, status: 'unsubscribed', source: 'link' }]),
  )
  expect(await listed(email)).toBe('unsubscribed')
})

test('a person who unsubscribes leaves no topic subscribed, and their confirmations are void', async () => {
  const { id, email } = await person()
  const single = await topic()
  const double = await topic(doubleOptIn)
  await subscribe(id, single)
  await database.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status, confirmed_at)
    values (${organizationId}, ${id}, ${double}, 'subscribed', now() - interval '1 hour')`
  await suppress(email, 'unsubscribed', { own: true, source: 'link' })
  const topics = await listOfContact(database.sql, organizationId, id)
  expect(topics.map(({ status }) => status)).toEqual(['unsubscribed', 'unsubscribed'])
  expect((await contact(id)).emailOptedOutAt).not.toBeNull()

  expect(await subscribe(id, single)).toMatchObject([{ step: 'kept', status: 'unsubscribed' }])
  expect(await subscribe(id, single, true)).toMatchObject([{ status: 'subscribed' }])
  expect(await subscribe(id, double)).toMatchObject([{ step: 'ask', status: 'pending' }])
})

test('a person whom the sender unsubscribed and who had confirmed needs no second mail', async () => {
  const { id } = await person()
  const topicId = await topic(doubleOptIn)
  await database.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status, confirmed_at)
    values (${organizationId}, ${id}, ${topicId}, 'subscribed', now())`
  await transact(database.sql, (tx) =>
    subscriptions.unsubscribe(tx, organizationId, [{ contactId: id, topicId }], {
      source: 'api',
      own: false,
    }),
  )
  expect(await subscribe(id, topicId)).toMatchObject([{ step: 'subscribe', status: 'subscribed' }])
})

test('asked again within ten minutes nobody is mailed twice, and three a day are the most', async () => {
  const { id, email } = await person()
  const topicId = await topic(doubleOptIn)
  const later = () => database.sql`
    update subscriptions set mailed_at = mailed_at - interval '11 minutes' where contact_id = ${id}`
  expect(await subscribe(id, topicId)).toMatchObject([{ step: 'ask' }])
  expect(await subscribe(id, topicId)).toMatchObject([{ step: 'none', status: 'pending' }])
  await later()
  expect(await subscribe(id, topicId)).toMatchObject([{ step: 'ask' }])
  await later()
  expect(await subscribe(id, topicId)).toMatchObject([{ step: 'ask' }])
  await later()
  expect(await subscribe(id, topicId)).toMatchObject([{ step: 'limited', status: 'pending' }])
  const promised = (await outbox()).slice(-5).map(({ kind, payload }) => [kind, payload.generation])
  expect(promised).toEqual([
    ['start_confirmation', 1],
    ['end_confirmation', 1],
    ['start_confirmation', 2],
    ['end_confirmation', 2],
    ['start_confirmation', 3],
  ])

  await database.sql`delete from contacts where id = ${id}`
  const again = await person({ email })
  expect(await subscribe(again.id, topicId)).toMatchObject([{ step: 'limited', status: null }])
})

test('a new address voids what the old one confirmed and is asked itself', async () => {
  const { id } = await person()
  const topicId = await topic(doubleOptIn)
  await database.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status, confirmed_at)
    values (${organizationId}, ${id}, ${topicId}, 'subscribed', now())`
  await transact(database.sql, async (tx) => {
    await tx`update contacts set email = ${`new-${id}@example.com`} where id = ${id}`
    await subscriptions.applyNewAddress(tx, organizationId, [id], {
      source: 'api',
      addressOf,
    })
  })
  const topics = await listOfContact(database.sql, organizationId, id)
  expect(topics).toMatchObject([{ status: 'pending' }])
  expect(await outbox()).toContainEqual({
    kind: 'start_confirmation',
    payload: { contactId: id, topicId, generation: 2 },
  })
})

test('an opt-out of a topic outlives a deletion of the contact, until the person wants it again', async () => {
  const topicId = await topic()
  const first = await person()
  await subscribe(first.id, topicId)
  await transact(database.sql, (tx) =>
    subscriptions.unsubscribe(tx, organizationId, [{ contactId: first.id, topicId }], {
      source: 'link',
      own: true,
      addressOf: (email) => addressed(before, organizationId, email),
    }),
  )
  const again = async () => {
    await database.sql`delete from contacts where email = ${first.email}`
    return person({ email: first.email })
  }
  const second = await again()
  expect(await subscribe(second.id, topicId)).toMatchObject([{ step: 'kept', status: null }])
  expect(await subscribe(second.id, await topic())).toMatchObject([{ step: 'subscribe' }])
  expect(await subscribe(second.id, topicId, true)).toMatchObject([{ status: 'subscribed' }])
  const third = await again()
  expect(await subscribe(third.id, topicId)).toMatchObject([{ status: 'subscribed' }])
})

test.each([
  ['a', {}, 'kept'],
  ['a confirmed', doubleOptIn, 'ask'],
])(
  '%s topic that an address opted out of ends where a contact gets the address',
  async (_, columns, step) => {
    const topicId = await topic(columns)
    const [left, other] = [await person(), await person()]
    for (const { id } of [left, other]) {
      await database.sql`
        insert into subscriptions (organization_id, contact_id, topic_id, status, confirmed_at)
        values (${organizationId}, ${id}, ${topicId}, 'subscribed', now())`
    }
    await transact(database.sql, (tx) =>
      subscriptions.unsubscribe(tx, organizationId, [{ contactId: left.id, topicId }], {
        source: 'link',
        own: true,
        addressOf: (email) => addressed(before, organizationId, email),
      }),
    )
    await database.sql`delete from contacts where id = ${left.id}`
    await transact(database.sql, async (tx) => {
      await tx`update contacts set email = ${left.email} where id = ${other.id}`
      await subscriptions.applyNewAddress(tx, organizationId, [other.id], {
        source: 'import',
        addressOf,
      })
    })
    expect(await listOfContact(database.sql, organizationId, other.id)).toMatchObject([
      { topicId, status: 'unsubscribed' },
    ])
    expect(await subscribe(other.id, topicId)).toMatchObject([{ step }])
  },
)

test('over the limit a new address is not mailed, and the wait for it still ends', async () => {
  const { id } = await person()
  const topicId = await topic(doubleOptIn)
  const email = `limited-${id}@example.com`
  await database.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status, generation)
    values (${organizationId}, ${id}, ${topicId}, 'pending', 4)`
  await transact(database.sql, async (tx) => {
    await confirmationMails.record(
      tx,
      organizationId,
      [1, 2, 3].map(() => addressOf(email)),
    )
    await tx`update contacts set email = ${email} where id = ${id}`
    await subscriptions.applyNewAddress(tx, organizationId, [id], {
      source: 'api',
      addressOf,
    })
  })
  const [row] = await database.sql`
    select status, generation, mails from subscriptions where contact_id = ${id}`
  expect(row).toEqual({ status: 'pending', generation: 5, mails: 1 })
  const promised = (await outbox()).slice(-2).map(({ kind, payload }) => [kind, payload.generation])
  expect(promised).toEqual([
    ['end_confirmation', 4],
    ['start_confirmation', 5],
  ])
})

test('the list and a new contact agree when both are written at the same moment', async () => {
  for (let round = 0; round < 40; round++) {
    const email = `race-${round}@example.com`
    const id = uuidv7()
    const write = transact(database.sql, async (tx) => {
      await suppressions.lock(tx, organizationId, [addressOf(email)], 'share')
      const found = await suppressions.lookUp(tx, organizationId, [addressOf(email)])
      const status = found(addressOf(email)) ?? 'active'
      await tx`insert into contacts ${tx({ organizationId, id, email, emailStatus: status })}`
    })
    await Promise.all([write, suppress(email, 'unsubscribed')])
    expect((await contact(id)).emailStatus).toBe('unsubscribed')
    expect(await listed(email)).toBe('unsubscribed')
  }
})
