import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressedByHash } from '../../src/keys/addresses.ts'
import { countToday } from '../../src/core/consent/confirmation-quota.ts'
import * as confirmationMails from '../../src/store/consent/confirmation-mails.ts'
import * as confirmations from '../../src/core/consent/double-opt-in.ts'
import * as confirming from '../../src/core/consent/confirm.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import { addressHash, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import {
  type Asked,
  seedConfirmations,
  type SeededConfirmations,
} from '../support/confirmations.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { sized } from '../support/size.ts'
import { connectAs } from '../support/logins.ts'

const RACES = sized(200, 1_000)
const AT_ONCE = 6
const keyring = parseKeyring(newKeyringText())

let database: TestDatabase
let sql: Sql
let there: SeededConfirmations

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'races', role: 'letterloom_worker', max: AT_ONCE * 3 })
  there = await seedConfirmations(database.sql, keyring)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const confirm = (asked: Asked, email: string, after: () => void = () => {}) => {
  const { organizationId } = there
  const address = addressedByHash(keyring, addressHash(organizationId, email))
  const opened = { ...asked, isMailed: (present: string) => present === email }
  const options = { address, requestId: 'test', at: new Date().toISOString() }
  return transact(sql, async (tx) => {
    const found = await confirming.confirm(tx, organizationId, opened, options)
    after()
    return found?.state
  })
}

type Act = 'expire' | 'confirm' | 'subscribe'
interface State {
  status: string
  generation: number
}

/** What each act does to a subscription that was asked for as generation 1, by the contract. */
function follow({ status, generation }: State, act: Act): State {
  const isAwaited = status === 'pending' && generation === 1
  const changed = (to: string) => ({ status: to, generation: generation + 1 })
  switch (act) {
    case 'expire':
      return isAwaited ? changed('unsubscribed') : { status, generation }
    case 'confirm':
      return isAwaited ? changed('subscribed') : { status, generation }
    case 'subscribe':
      return status === 'subscribed' ? { status, generation } : changed('pending')
  }
}

test('an expiry, an old link and a fresh subscription at once end as the last act says', async () => {
  const topicId = await there.topic()
  const firsts = new Map<string, number>()

  async function race(_: unknown, n: number): Promise<void> {
    const { id: contactId, email } = await there.contact()
    await database.sql`
      insert into subscriptions (organization_id, contact_id, topic_id, status, requested_at,
        mailed_at)
      values (${there.organizationId}, ${contactId}, ${topicId}, 'pending',
        now() - interval '30 days', now() - interval '27 days')`
    const asked = { contactId, topicId, generation: 1 }
    // Whoever acts holds the contact's lock until after this: it is the order of the acts.
    const order: Act[] = []
    const acts = [
      () => confirm(asked, email, () => order.push('confirm')),
      () =>
        transact(sql, async (tx) => {
          await confirmations.expire(tx, there.organizationId, asked, 1)
          order.push('expire')
        }),
      () =>
        transact(sql, async (tx) => {
          await subscriptions.subscribe(tx, there.organizationId, [{ contactId, topicId }], {
            source: 'api',
            addressOf: there.addressOf,
          })
          order.push('subscribe')
        }),
    ]
    await Promise.all(
      acts.map(async (act, which) => {
        // Each has its turn to be ahead, however busy the machine is.
        await sleep(Math.random() * (which === n % acts.length ? 1 : 4))
        await act()
      }),
    )
    const end = order.reduce(follow, { status: 'pending', generation: 1 })
    expect([order, await there.row(contactId, topicId)]).toMatchObject([order, end])
    firsts.set(order[0]!, (firsts.get(order[0]!) ?? 0) + 1)
  }

  for (let done = 0; done < RACES; done += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, RACES - done) }, race))
  }
  // Each of them was first at times: it was a race.
  expect(firsts.size).toBe(3)
})

test('confirming resubscribes a person who unsubscribed from all mail, and that is recorded', async () => {
  const { id: contactId, email } = await there.contact({ emailStatus: 'unsubscribed' })
  const topicId = await there.topic()
  const address = there.addressOf(email)
  await transact(sql, (tx) =>
    suppressions.put(tx, there.organizationId, [
      { address, reason: 'unsubscribed', source: 'link' },
    ]),
  )
  const asked = await there.ask(contactId, topicId)
  expect(await confirm(asked, email)).toBe('confirmed')
  const [contact] = await database.sql`
    select email_status, resubscribed_at is not null as is_back, email_verified_at is not null as is_verified
    from contacts
    where id = ${contactId}`
  expect(contact).toEqual({ emailStatus: 'active', isBack: true, isVerified: true })
  const listed = await suppressions.lookUp(sql, there.organizationId, [address])
  expect(listed(address)).toBeUndefined()
  expect(await there.record(contactId)).toEqual(['requested', 'subscribed', 'resubscribed'])
  const audited = await database.sql`
    select action, actor_kind from audit_events where subject_id = ${contactId}`
  expect(audited).toEqual([{ action: 'contact.resubscribed', actorKind: 'unknown' }])
})

test('confirming lifts neither a bounce nor a suppression nor a complaint', async () => {
  for (const status of ['bounced', 'suppressed', 'complained'] as const) {
    const { id: contactId, email } = await there.contact()
    const asked = await there.ask(contactId, await there.topic())
    await database.sql`update contacts set email_status = ${status} where id = ${contactId}`
    await transact(sql, (tx) =>
      suppressions.put(tx, there.organizationId, [
        { address: there.addressOf(email), reason: status, source: 'event' },
      ]),
    )
    expect(await confirm(asked, email)).toBe('confirmed')
    const [contact] = await database.sql<{ emailStatus: string }[]>`
      select email_status from contacts where id = ${contactId}`
    expect(contact?.emailStatus).toBe(status)
    const listed = await suppressions.lookUp(sql, there.organizationId, [there.addressOf(email)])
    expect(listed(there.addressOf(email))).toBe(status)
    expect(await there.record(contactId)).not.toContain('resubscribed')
  }
})

test('a link of another organization finds nothing', async () => {
  const { id: contactId, email } = await there.contact()
  const topicId = await there.topic()
  const asked = await there.ask(contactId, topicId)
  const stranger = await seedConfirmations(database.sql, keyring)
  const opened = { ...asked, isMailed: () => true }
  const found = await transact(sql, (tx) =>
    confirming.confirm(tx, stranger.organizationId, opened, {
      address: stranger.addressOf(email),
      requestId: 'test',
      at: new Date().toISOString(),
    }),
  )
  expect(found).toBeUndefined()
  expect(await there.row(contactId, topicId)).toMatchObject({ status: 'pending', generation: 1 })
})

test('mails of more than a day ago no longer count, and are deleted', async () => {
  const { email } = await there.contact()
  const address = there.addressOf(email)
  await transact(sql, (tx) =>
    confirmationMails.record(tx, there.organizationId, [address, address, address]),
  )
  const counted = () =>
    transact(sql, async (tx) =>
      (await countToday(tx, there.organizationId, [address])).get(address),
    )
  const key = address.keys[0].key
  expect(await counted()).toBe(3)
  await database.sql`
    update confirmation_mails set created_at = now() - interval '25 hours'
    where address_key = decode(${key}, 'hex')`
  expect(await counted()).toBe(0)
  expect(await confirmationMails.dropOld(sql, 2)).toBe(2)
  expect(await confirmationMails.dropOld(sql, 2)).toBe(1)
  expect(await confirmationMails.dropOld(sql, 2)).toBe(0)
})
