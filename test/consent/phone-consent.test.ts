import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  joined,
  type PhoneConsent,
  reasonOf,
  statusOfHolder,
  UNKNOWN_PHONE,
  withWrittenStatus,
} from '../../src/domain/consent/phone-consent.ts'
import { SMS_STATUSES } from '../../src/domain/consent/sms-status.ts'
import { seed, sized } from '../support/size.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 10, 27, 12, 0, second)).toISOString()
const FIELDS = ['stoppedAt', 'startedAt', 'invalidAt'] as const

const event = fc
  .record({ field: fc.constantFrom(...FIELDS), second: fc.nat(9) })
  .map(({ field, second }) => ({ ...UNKNOWN_PHONE, [field]: at(second) }))
const consent = fc.array(event).map((events) => events.reduce(joined, UNKNOWN_PHONE))

const toldTwice = fc.array(event).chain((events) => {
  const doubled = [...events, ...events]
  const size = { minLength: doubled.length, maxLength: doubled.length }
  return fc.record({ events: fc.constant(events), told: fc.shuffledSubarray(doubled, size) })
})

test('events of a number may come in any order and any number of times', () => {
  fc.assert(
    fc.property(toldTwice, ({ events, told }) => {
      expect(told.reduce(joined, UNKNOWN_PHONE)).toEqual(events.reduce(joined, UNKNOWN_PHONE))
    }),
    { numRuns: sized(500, 10_000), seed },
  )
})

test.each<[string, Partial<PhoneConsent>, string | undefined]>([
  ['nothing is known', {}, undefined],
  ['an opt-out', { stoppedAt: at(1) }, 'opted_out'],
  ['an opt-out after an opt-in', { stoppedAt: at(2), startedAt: at(1) }, 'opted_out'],
  ['an opt-in after an opt-out', { stoppedAt: at(1), startedAt: at(2) }, undefined],
  ['both at one moment', { stoppedAt: at(1), startedAt: at(1) }, 'opted_out'],
  ['a number that does not exist', { invalidAt: at(1) }, 'invalid'],
  ['one whose person wrote since', { invalidAt: at(1), startedAt: at(2) }, undefined],
  ['an opt-out of a number that is gone', { invalidAt: at(2), stoppedAt: at(1) }, 'opted_out'],
])('%s', (_name, times, reason) => {
  expect(reasonOf({ ...UNKNOWN_PHONE, ...times })).toBe(reason)
})

test('a status that a caller writes counts, whatever the clocks of others say', () => {
  fc.assert(
    fc.property(consent, fc.constantFrom(...SMS_STATUSES), fc.nat(9), (known, status, second) => {
      const reason = reasonOf(withWrittenStatus(known, status, at(second)))
      expect(reason).toBe(status === 'opted_out' || status === 'invalid' ? status : undefined)
    }),
    { numRuns: sized(500, 10_000), seed },
  )
})

test('a contact has the reason of its number after every event, in every order', () => {
  fc.assert(
    fc.property(
      fc.array(event),
      fc.constantFrom('pending_consent', 'opted_in'),
      (events, first) => {
        let known = UNKNOWN_PHONE
        let status: (typeof SMS_STATUSES)[number] = first
        for (const each of events) {
          const next = joined(known, each)
          status = statusOfHolder(status, known, next)
          known = next
          expect(status === 'opted_out' || status === 'invalid' ? status : undefined).toBe(
            reasonOf(known),
          )
        }
      },
    ),
    { numRuns: sized(500, 10_000), seed },
  )
})
