import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { createDrainTexts } from '../../activities/mails/drain-texts.ts'
import type { Outcome } from '../../activities/mailer.ts'
import type { Text, Texter } from '../../activities/texter.ts'
import { applyPhoneEvents, type PhoneEvent } from '../../src/core/consent/phone-consent.ts'
import { acceptText, cancelText, requireText } from '../../src/core/mails/single-text.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { addressed } from '../../src/keys/addresses.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { reconcileClaims } from '../../src/loops/claim-reconciler.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as textLimits from '../../src/store/accounts/text-limits.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { connectAs } from '../support/logins.ts'
import { REGION, type Seeded, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { fakeTexter, textSent } from '../support/texter.ts'

const keyring = parseKeyring(newKeyringText())
const SENDER = '+12065550100'
/** Nothing but the tests says when a claim is old. */
const TIMINGS = { ...SHORT_TIMINGS, beginMs: 60_000, stuckMs: 600_000, outagePauseMs: 600_000 }
const SILENT = new DefaultLogger('ERROR')
const quiet = { info: () => {}, warn: () => {}, error: () => {} }

let database: TestDatabase
/** The login of workers. */
let workerSql: Sql
let seeded: Seeded
beforeAll(async () => {
  database = await createDatabase()
  workerSql = connectAs(database.url, { name: 'texts', role: 'letterloom_worker', max: 12 })
})
afterAll(async () => {
  await workerSql.end()
  await database.drop()
})
beforeEach(async () => {
  seeded = await newOrganization()
  await allow(SENDER)
})

async function newOrganization(accountId?: string): Promise<Seeded> {
  const { sql } = database
  const organization = await seedOrganization(sql, accountId === undefined ? {} : { accountId })
  await sql`
    update connections set features = '{"sms": true}' where id = ${organization.connectionId}`
  return organization
}

/** Gives a sender a rate at which tests do not wait. */
const allow = (sender: string, perSecond = 10_000) => database.sql`
  insert into text_limits (account_id, region, sender, parts_per_second)
  values (${seeded.accountId}, ${REGION}, ${sender}, ${perSecond})`

let count = 0
const newPhone = (): string => `+1206555${String(1_000 + (count++ % 9_000))}`

const accept = (to: string, input: { body?: string; senderId?: string } = {}, from = seeded) =>
  transact(database.sql, (tx) =>
    acceptText(
      tx,
      from.organizationId,
      { to, body: 'Your code is 1234', senderId: SENDER, ...input },
      { keyring, now: Date.now() },
    ),
  )

/** Drains until nothing is due, or the drain is to come again later. */
const drain = (texter: Texter, { timings = TIMINGS, of = seeded } = {}) => {
  const drainTexts = createDrainTexts({
    sql: workerSql,
    claimSql: workerSql,
    texter,
    timings,
    content: { keyring },
    warmMs: 0,
  })
  return new MockActivityEnvironment({}, { logger: SILENT }).run(() => drainTexts(of))
}

const rowOf = (id: string) => requireText(database.sql, seeded.organizationId, id)
const queued = () => database.sql<{ id: string; isDue: boolean }[]>`
  select id, send_at <= now() as is_due from text_queue
  where organization_id = ${seeded.organizationId}`

const eventOf = (phone: string, kind: PhoneEvent['kind']): PhoneEvent => ({
  organizationId: seeded.organizationId,
  address: addressed(keyring, seeded.organizationId, phone),
  kind,
  occurredAt: new Date().toISOString(),
  source: 'event',
})
const stop = (phone: string) =>
  transact(database.sql, (tx) => applyPhoneEvents(tx, [eventOf(phone, 'stop')]))

test('texts leave once each, and say whose they are', async () => {
  const { organizationId, connectionId } = seeded
  const contactId = uuidv7()
  const phone = newPhone()
  await database.sql`
    insert into contacts (organization_id, id, phone, sms_status)
    values (${organizationId}, ${contactId}, ${phone}, 'pending_consent')`
  const { id, parts } = await accept(phone, { body: 'x'.repeat(161) })
  for (let n = 0; n < 30; n++) await accept(newPhone())
  const texter = fakeTexter()
  // Two workers at once.
  await Promise.all([drain(texter), drain(texter)])
  expect(parts).toBe(2)
  expect(texter.calls).toHaveLength(31)
  expect(new Set(texter.calls.map(({ to }) => to)).size).toBe(31)
  const text = texter.calls.find(({ to }) => to === phone)
  const [row] = await database.sql`
    select bucket, channel, status, state, claimed_at is not null as was_claimed, connection_id,
      contact_id, parts
    from messages where id = ${id}`
  expect(row).toMatchObject({ channel: 'sms', status: 'sent', state: 'sent', parts: 2, contactId })
  expect(text).toMatchObject({
    body: 'x'.repeat(161),
    sender: SENDER,
    context: {
      'letterloom-message': `${row?.['bucket']}_${id}`,
      'letterloom-organization': organizationId,
    },
    configurationSet: expect.stringMatching(/^letterloom-/),
  })
  const [stats] = await database.sql`
    select sms_sent, emails_sent, last_email_sent_at from contact_stats
    where contact_id = ${contactId}`
  expect(stats).toEqual({ smsSent: 1, emailsSent: 0, lastEmailSentAt: null })
  expect(await queued()).toEqual([])
  const claims = await database.sql`select from claims where connection_id = ${connectionId}`
  expect(claims).toHaveLength(0)
})

describe('nobody who left is texted', () => {
  /** Begins an opt-out whose transaction holds the lock of the number until `commit`. */
  async function beginStop(phone: string) {
    let commit = (): void => {}
    const committing = new Promise<void>((resolve) => (commit = resolve))
    let noteWritten = (): void => {}
    const written = new Promise<void>((resolve) => (noteWritten = resolve))
    const stopping = transact(database.sql, async (tx) => {
      await applyPhoneEvents(tx, [eventOf(phone, 'stop')])
      noteWritten()
      await committing
    })
    await written
    return {
      commit: () => {
        commit()
        return stopping
      },
    }
  }
  const claimWaits = () =>
    until(async () => {
      const waiting = await database.sql`
        select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      return waiting.length > 0
    })

  test('an opt-out that is being committed is waited for by the claim', async () => {
    const phone = newPhone()
    const { id } = await accept(phone)
    const texter = fakeTexter()
    const stopping = await beginStop(phone)
    const drained = drain(texter)
    await claimWaits()
    await Promise.all([stopping.commit(), drained])
    expect(texter.calls).toEqual([])
    expect(await rowOf(id)).toMatchObject({ status: 'opted_out', reason: 'opted_out' })
  })

  test('a text that comes back to the queue during a claim is not claimed without its lock', async () => {
    const { sql } = database
    const [first, returning] = [newPhone(), newPhone()]
    await accept(first)
    const { id } = await accept(returning)
    // Another worker has claimed it, and its number opts out.
    await sql`
      update messages set state = 'claimed', claim_id = ${uuidv7()}, claimed_at = now()
      where id = ${id}`
    await stop(returning)
    const texter = fakeTexter()
    const stopping = await beginStop(first)
    const drained = drain(texter)
    await claimWaits()
    await sql`
      update messages set state = 'queued', claim_id = null, claimed_at = null where id = ${id}`
    await Promise.all([stopping.commit(), drained])
    expect(texter.calls).toEqual([])
    await drain(texter)
    expect(texter.calls).toEqual([])
    expect(await rowOf(id)).toMatchObject({ status: 'opted_out', reason: 'opted_out' })
  })

  test('whichever contact has the number, and also without one', async () => {
    const { sql } = database
    const { organizationId } = seeded
    const listed = newPhone()
    const old = newPhone()
    const texts = [await accept(listed), await accept(old)]
    await stop(listed)
    // Opted out before there was a list of numbers.
    await sql`
      insert into contacts (organization_id, id, phone, sms_status)
      values (${organizationId}, ${uuidv7()}, ${old}, 'opted_out')`
    const texter = fakeTexter()
    await drain(texter)
    expect(texter.calls).toEqual([])
    for (const { id } of texts) expect(await rowOf(id)).toMatchObject({ status: 'opted_out' })
    expect(await accept(listed)).toMatchObject({ status: 'opted_out' })
    expect(await accept(old)).toMatchObject({ status: 'opted_out' })
    expect(await queued()).toEqual([])
  })

  test('of stops at any moment, those before a claim keep its text back', async () => {
    const phones = Array.from({ length: sized(40, 400) }, newPhone)
    for (const phone of phones) await accept(phone)
    const stoppedAt = new Map<string, number>()
    const claimedAt = new Map<string, number>()
    const texter = fakeTexter(({ to }, { beginBy }) => {
      claimedAt.set(to, beginBy - TIMINGS.beginMs)
      return textSent()
    })
    const stops = phones
      .filter((_, n) => n % 2 === 0)
      .map(async (phone) => {
        await stop(phone)
        stoppedAt.set(phone, performance.now())
      })
    await Promise.all([drain(texter), drain(texter), ...stops])
    expect(new Set(texter.calls.map(({ to }) => to)).size).toBe(texter.calls.length)
    const late = phones.filter((phone) => {
      const [stopped, claimed] = [stoppedAt.get(phone), claimedAt.get(phone)]
      return stopped !== undefined && claimed !== undefined && stopped < claimed
    })
    expect(late).toEqual([])
    expect(phones.filter((phone) => !stoppedAt.has(phone) && !claimedAt.has(phone))).toEqual([])
  })

  test('a worker that stood still past its lease calls nobody', async () => {
    const { sql } = database
    const phone = newPhone()
    const { id } = await accept(phone)
    let goOn = (): void => {}
    const standing = new Promise<void>((resolve) => (goOn = resolve))
    let hasClaimed = (): void => {}
    const claimed = new Promise<void>((resolve) => (hasClaimed = resolve))
    const provider = fakeTexter()
    const texter: Texter = {
      ...provider,
      send: async (text, call) => {
        hasClaimed()
        await standing
        return provider.send(text, { ...call, beginBy: performance.now() })
      },
    }
    const drained = drain(texter)
    await claimed
    await reconcileClaims({ sql, timings: { ...TIMINGS, leaseMs: 0 }, log: quiet })
    expect(await rowOf(id)).toMatchObject({ status: 'pending', waitingForOutcome: {} })
    await stop(phone)
    goOn()
    await drained
    expect(provider.calls).toEqual([])
    expect(await rowOf(id)).toMatchObject({ status: 'opted_out' })
  })

  test('the provider’s refusal is an opt-out, and what it says of a number is kept', async () => {
    const [left, dead] = [newPhone(), newPhone()]
    const { sql } = database
    const { organizationId } = seeded
    for (const phone of [left, dead]) {
      await sql`
        insert into contacts (organization_id, id, phone, sms_status)
        values (${organizationId}, ${uuidv7()}, ${phone}, 'opted_in')`
    }
    const texts = [await accept(left), await accept(dead)]
    const texter = fakeTexter(({ to }) => refused(to === left ? 'opted_out' : 'invalid_number'))
    await drain(texter)
    expect(await rowOf(texts[0]?.id ?? '')).toMatchObject({
      status: 'opted_out',
      reason: 'opted_out',
    })
    expect(await rowOf(texts[1]?.id ?? '')).toMatchObject({
      status: 'failed',
      reason: 'invalid_number',
    })
    const contacts = await sql`
      select phone, sms_status from contacts where organization_id = ${organizationId}
      order by phone`
    expect([...contacts]).toEqual([
      { phone: left, smsStatus: 'opted_out' },
      { phone: dead, smsStatus: 'invalid' },
    ])
    expect(await accept(left)).toMatchObject({ status: 'opted_out' })
    expect(await accept(dead)).toMatchObject({ status: 'suppressed' })
    expect(texter.calls).toHaveLength(2)
  })
})

const refused = (reason: string, ofSender = false): Outcome => ({
  kind: 'refused',
  reason,
  error: reason,
  ...(ofSender ? { ofSender } : {}),
})

describe('nobody is texted twice', () => {
  const UNKNOWN: Outcome = { kind: 'unknown', error: 'ECONNRESET' }

  test('a call without an answer is never repeated, and has failed after a day', async () => {
    const { sql } = database
    const { id } = await accept(newPhone())
    const texter = fakeTexter(() => UNKNOWN)
    await drain(texter)
    const look = async (giveUpMs: number) => {
      // Events could have come: they are received.
      await sql`delete from receivers`
      await sql`insert into receivers (id, beat_at) values (${uuidv7()}, now())`
      await sql`update claims set look_at = now() - interval '1 second'`
      await reconcileClaims({ sql, timings: { ...TIMINGS, giveUpMs }, log: quiet })
    }
    await look(TIMINGS.giveUpMs)
    expect(await rowOf(id)).toMatchObject({ status: 'pending', waitingForOutcome: {} })
    await drain(texter)
    await look(0)
    expect(await rowOf(id)).toMatchObject({ status: 'failed', reason: 'unknown_outcome' })
    await drain(texter)
    expect(texter.calls).toHaveLength(1)
  })

  test('a worker that dies after the call leaves its text in doubt', async () => {
    const { sql } = database
    const { id } = await accept(newPhone())
    const died = new Error('killed')
    const texter = fakeTexter(() => Promise.reject(died))
    await expect(drain(texter)).rejects.toThrow(died)
    await reconcileClaims({ sql, timings: { ...TIMINGS, leaseMs: 0 }, log: quiet })
    await drain(texter)
    expect(texter.calls).toHaveLength(1)
    expect(await rowOf(id)).toMatchObject({ status: 'pending', waitingForOutcome: {} })
  })

  test('a worker that dies before the call has texted nobody', async () => {
    const { sql } = database
    const { id } = await accept(newPhone())
    const died = new Error('killed')
    const texter = { ...fakeTexter(), send: () => Promise.reject(died) }
    await expect(drain(texter)).rejects.toThrow(died)
    await reconcileClaims({ sql, timings: { ...TIMINGS, leaseMs: 0 }, log: quiet })
    expect(await rowOf(id)).toMatchObject({ status: 'pending' })
    const others = fakeTexter()
    await drain(others)
    expect(others.calls).toEqual([])
  })
})

describe('what the provider refuses', () => {
  it.each<[string, Outcome]>([
    ['of the sender', refused('sender_refused', true)],
    ['because it cannot be reached', { kind: 'unreachable', error: 'ECONNREFUSED' }],
    ['because of the role', { kind: 'unavailable', reason: 'access_denied', error: 'no' }],
    ['because of the month’s money', { kind: 'throttled', scope: 'quota' }],
  ])('%s waits, and leaves later', async (_what, outcome) => {
    const { sql } = database
    const { id } = await accept(newPhone())
    const other = await accept(newPhone(), { senderId: 'LETTERS' })
    await allow('LETTERS')
    const isOfAll = outcome.kind === 'unavailable'
    const texter = fakeTexter(({ sender }) => (sender === SENDER ? outcome : textSent()))
    const timings = { ...TIMINGS, quotaPauseMs: 600_000 }
    await drain(texter, { timings })
    expect(await rowOf(id)).toMatchObject({ status: expect.stringMatching(/queued|scheduled/) })
    expect((await rowOf(other.id)).status).toBe('sent')
    expect(texter.calls.length).toBe(2)
    if (!isOfAll) await drain(texter, { timings })
    expect(texter.calls.length).toBe(2)
    await sql`update text_limits set paused_until = null`
    await sql`update text_queue set send_at = now() where id = ${id}`
    await drain(fakeTexter(), { timings })
    expect((await rowOf(id)).status).toBe('sent')
  })

  test('of the sender is given up after a day', async () => {
    const { id } = await accept(newPhone())
    await database.sql`
      update messages set send_at = now() - interval '25 hours' where id = ${id}`
    await drain(fakeTexter(() => refused('sender_refused', true)))
    expect(await rowOf(id)).toMatchObject({ status: 'failed', reason: 'sender_refused' })
    expect(await queued()).toEqual([])
  })

  test('as too fast is sent a second later', async () => {
    const { id } = await accept(newPhone())
    let isFast = true
    const texter = fakeTexter(() => {
      if (!isFast) return textSent()
      isFast = false
      return { kind: 'throttled', scope: 'rate' }
    })
    await drain(texter)
    expect(texter.calls).toHaveLength(2)
    expect((await rowOf(id)).status).toBe('sent')
  })

  test('for its own sake fails alone', async () => {
    const [bad, good] = [newPhone(), newPhone()]
    const texts = [await accept(bad), await accept(good)]
    await drain(fakeTexter(({ to }) => (to === bad ? refused('price_over_threshold') : textSent())))
    expect(await rowOf(texts[0]?.id ?? '')).toMatchObject({
      status: 'failed',
      reason: 'price_over_threshold',
    })
    expect((await rowOf(texts[1]?.id ?? '')).status).toBe('sent')
  })
})

describe('a text waits', () => {
  test('while its account does not send texts', async () => {
    const { id } = await accept(newPhone())
    await database.sql`
      update connections set features = '{}' where id = ${seeded.connectionId}`
    const texter = fakeTexter()
    expect(await drain(texter)).toEqual({ waitMs: 0, more: false })
    expect(texter.calls).toEqual([])
    expect((await rowOf(id)).status).toBe('queued')
  })

  test('until a restored database was looked at', async () => {
    await accept(newPhone())
    await database.sql`update ledger_beats set held_at = now()`
    const texter = fakeTexter()
    expect(await drain(texter)).toMatchObject({ more: true })
    expect(texter.calls).toEqual([])
    await database.sql`update ledger_beats set held_at = null`
  })

  test('until it is cancelled', async () => {
    const { id } = await accept(newPhone())
    await transact(database.sql, (tx) => cancelText(tx, seeded.organizationId, id))
    const texter = fakeTexter()
    await drain(texter)
    expect(texter.calls).toEqual([])
    expect((await rowOf(id)).status).toBe('cancelled')
  })
})

describe('the rate of a sender', () => {
  const sender = () => ({ accountId: seeded.accountId, region: REGION, sender: 'SLOW' })
  const seconds = (ago: number) => database.sql`
    update text_limits set refilled_at = now() - ${ago} * interval '1 second'
    where account_id = ${seeded.accountId} and sender = 'SLOW'`
  const grant = async (...parts: number[]) =>
    (await textLimits.grantTexts(database.sql, sender(), parts)).granted

  test('is of parts, and a text longer than the bucket is paid off', async () => {
    await allow('SLOW', 3)
    expect(await grant(1)).toBe(0)
    await seconds(10)
    // The bucket holds half a second: one text of three parts leaves, and half a second is owed.
    expect(await grant(3, 3)).toBe(1)
    expect(await grant(1)).toBe(0)
    await seconds(0.5)
    expect(await grant(1)).toBe(0)
    await seconds(1)
    expect(await grant(1, 1, 1)).toBe(1)
  })

  test('is shared by all organizations of the account', async () => {
    await allow('SLOW', 4)
    await seconds(10)
    const other = await newOrganization(seeded.accountId)
    for (let n = 0; n < 3; n++) {
      await accept(newPhone(), { senderId: 'SLOW' })
      await accept(newPhone(), { senderId: 'SLOW' }, other)
    }
    const texts: { at: number; text: Text }[] = []
    const texter = fakeTexter((text) => {
      texts.push({ at: performance.now(), text })
      return textSent()
    })
    const startedAt = performance.now()
    await Promise.all([drain(texter), drain(texter, { of: other }), drain(texter)])
    // Two from the full bucket, and four more at four a second.
    const times = texts.map(({ at }) => at - startedAt).sort((a, b) => a - b)
    expect(times).toHaveLength(6)
    expect(times[5]).toBeGreaterThan(900)
  })

  test('of a sender that is new is one part a second', async () => {
    expect(await grant(1)).toBe(0)
    expect(await grant(1)).toBe(0)
    await seconds(1)
    expect(await grant(1, 1)).toBe(1)
  })
})
