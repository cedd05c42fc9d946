import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyPhoneEvents, type PhoneEvent } from '../../src/core/consent/phone-consent.ts'
import { remove } from '../../src/core/contacts/remove.ts'
import { upsert } from '../../src/core/contacts/upsert.ts'
import { joined, reasonOf, UNKNOWN_PHONE } from '../../src/domain/consent/phone-consent.ts'
import { addressed } from '../../src/keys/addresses.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import * as phoneConsents from '../../src/store/consent/phone-consents.ts'
import { transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'
import { seed, sized } from '../support/size.ts'

/*
 * Random histories of numbers: opt-outs, opt-ins, refusals, syncs that claim consent, contacts that
 * are deleted and made again, callers who vouch. Each history is played in several orders, with
 * repetitions; the number may be texted in all of them or in none.
 */

const retired = newKeyringText().replace('dev', 'old')
const keyring = parseKeyring(`${newKeyringText().replace('dev', 'new')},${retired}`)
let database: TestDatabase
let organizationId: Uuid
const addressOf = (text: string) => addressed(keyring, organizationId, text)

beforeAll(async () => {
  database = await createDatabase()
  ;({ organizationId } = await seedOrganization(database.sql))
})
afterAll(() => database.drop())

type Act =
  | { kind: PhoneEvent['kind']; occurredAt: string }
  | { kind: 'sync' | 'delete' | 'vouch' | 'again' }

const at = (second: number): string => new Date(Date.UTC(2020, 10, 1, 12, 0, second)).toISOString()
const act = fc.oneof(
  fc
    .record({ kind: fc.constantFrom('stop', 'start', 'invalid'), second: fc.nat(5) })
    .map(({ kind, second }): Act => ({ kind, occurredAt: at(second) })),
  fc.constantFrom('sync', 'delete', 'again').map((kind): Act => ({ kind })),
)
const history = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 8 }),
  isVouched: fc.boolean(),
})

let numbers = 0
const newNumber = () => `+49151${10_000_000 + ++numbers}`

interface Play {
  phone: string
  acts: Act[]
}

const isEvent = (act: Act): act is Extract<Act, { occurredAt: string }> => 'occurredAt' in act

/** Plays the n-th act of all histories at once: a number has one history. */
async function play(plays: readonly Play[]): Promise<void> {
  const most = Math.max(...plays.map(({ acts }) => acts.length))
  for (let n = 0; n < most; n++) {
    const now = plays.flatMap(({ phone, acts }) => {
      const act = acts[n]
      return act === undefined ? [] : [{ phone, act }]
    })
    await transact(database.sql, async (tx) => {
      const events = now.flatMap(({ phone, act }) =>
        isEvent(act)
          ? [{ organizationId, address: addressOf(phone), source: 'event' as const, ...act }]
          : [],
      )
      await applyPhoneEvents(tx, events)
    })
    await transact(database.sql, async (tx) => {
      const gone = now.filter(({ act: { kind } }) => kind === 'delete' || kind === 'again')
      const ids = await tx<{ id: Uuid }[]>`
        select id from contacts where phone = any(${gone.map(({ phone }) => phone)})`
      await remove(
        tx,
        organizationId,
        ids.map(({ id }) => id),
        undefined,
      )
    })
    await transact(database.sql, async (tx) => {
      const rows = now.flatMap(({ phone, act: { kind } }, index) =>
        kind === 'sync' || kind === 'vouch' || kind === 'again'
          ? [
              {
                index,
                values: { phone, smsStatus: 'opted_in' as const, resubscribe: kind === 'vouch' },
              },
            ]
          : [],
      )
      const options = { addressOf, source: 'api', mayLift: true } as const
      const { results } = await upsert(tx, organizationId, rows, options)
      expect(results.filter(({ status }) => status === 'failed')).toEqual([])
    })
    await expectAgreement()
  }
}

/** A contact is texted only with a number that the list has nothing against. */
async function expectAgreement(): Promise<void> {
  const disagreeing = await database.sql`
    select c.sms_status, p.reason
    from contacts c
    left join phone_consents p on p.organization_id = c.organization_id and p.address = c.phone
    where c.organization_id = ${organizationId}
      and coalesce(p.reason, 'none')
        <> case when c.sms_status in ('opted_out', 'invalid') then c.sms_status else 'none' end`
  expect(disagreeing).toEqual([])
}

const orderedBy = <T>(list: readonly T[], keys: readonly number[]): T[] =>
  list
    .map((item, index) => ({ item, key: keys[index % keys.length] ?? 0, index }))
    .toSorted((a, b) => a.key - b.key || a.index - b.index)
    .map(({ item }) => item)

test('the same happenings in any order and twice end alike, and agree with the contact all the time', async () => {
  const count = sized(40, 10_000)
  const samples = fc.sample(history, { numRuns: count, seed })
  const keys = fc.sample(fc.array(fc.nat(99), { minLength: 20, maxLength: 20 }), {
    numRuns: 2 * count,
    seed: seed + 1,
  })
  const vouch: Act = { kind: 'vouch' }
  const all = samples.map(({ acts, isVouched }) => (isVouched ? [...acts, vouch] : acts))
  const orders = [
    all,
    all.map((acts, n) => orderedBy([...acts, ...acts], keys[n] ?? [])),
    all.map((acts, n) => orderedBy(acts, keys[count + n] ?? [])),
  ]
  const ends = []
  for (const order of orders) {
    const plays = order.map((acts) => ({ phone: newNumber(), acts }))
    await play(plays)
    const phones = plays.map(({ phone }) => ({ organizationId, address: addressOf(phone) }))
    const consentOf = await phoneConsents.lookUp(database.sql, phones)
    ends.push(phones.map(({ address }) => reasonOf(consentOf(address))))
  }
  const expected = samples.map(({ acts, isVouched }) => {
    if (isVouched) return undefined
    const times = { stop: 'stoppedAt', start: 'startedAt', invalid: 'invalidAt' } as const
    const consent = acts
      .filter(isEvent)
      .map(({ kind, occurredAt }) => ({ ...UNKNOWN_PHONE, [times[kind]]: occurredAt }))
      .reduce(joined, UNKNOWN_PHONE)
    return reasonOf(consent)
  })
  expect(ends).toEqual([expected, expected, expected])
  expect(new Set(expected)).toEqual(new Set(['opted_out', 'invalid', undefined]))
})

test('an opt-out under a retired key holds, and is one entry under the present key once it is written', async () => {
  const phone = newNumber()
  const old = addressed(parseKeyring(retired), organizationId, phone)
  const stop = { organizationId, source: 'event', kind: 'stop' } as const
  await transact(database.sql, (tx) =>
    applyPhoneEvents(tx, [{ ...stop, address: old, occurredAt: at(3) }]),
  )
  await play([{ phone, acts: [{ kind: 'sync' }] }])
  const statusOf = async () =>
    (
      await database.sql<{ smsStatus: string }[]>`
      select sms_status from contacts where phone = ${phone}`
    )[0]?.smsStatus
  expect(await statusOf()).toBe('opted_out')
  await transact(database.sql, (tx) =>
    applyPhoneEvents(tx, [{ ...stop, address: addressOf(phone), occurredAt: at(1) }]),
  )
  await transact(database.sql, (tx) =>
    applyPhoneEvents(tx, [{ ...stop, address: addressOf(phone), occurredAt: at(4) }]),
  )
  const entries = await database.sql<{ keyId: string; stoppedAt: string }[]>`
    select key_id, stopped_at from phone_consents where address = ${phone}`
  expect(entries).toEqual([{ keyId: addressOf(phone).keys[0].keyId, stoppedAt: at(4) }])
})

test('a number that is written into a contact while its opt-out arrives is not lost', async () => {
  const phones = Array.from({ length: sized(10, 300) }, newNumber)
  await Promise.all(
    phones.flatMap((phone, index) => [
      transact(database.sql, (tx) =>
        upsert(tx, organizationId, [{ index, values: { phone, smsStatus: 'opted_in' } }], {
          addressOf,
          source: 'api',
          mayLift: true,
        }),
      ),
      transact(database.sql, (tx) =>
        applyPhoneEvents(tx, [
          {
            organizationId,
            address: addressOf(phone),
            kind: 'stop',
            occurredAt: at(9),
            source: 'event',
          },
        ]),
      ),
    ]),
  )
  const rows = await database.sql`
    select distinct sms_status from contacts where phone = any(${phones})`
  expect(rows).toEqual([{ smsStatus: 'opted_out' }])
})
