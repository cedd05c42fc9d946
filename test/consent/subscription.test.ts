import { describe, expect, test } from 'vitest'
import {
  confirmationState,
  decideSubscription,
  REMAIL_AFTER_MS,
  SUBSCRIPTION_STATUSES,
  type SubscriptionFacts,
} from '../../src/domain/consent/subscription.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const EARLIER = NOW - 86_400_000

const facts = (changes: Partial<SubscriptionFacts>): SubscriptionFacts => ({
  doubleOptIn: true,
  status: null,
  confirmedAt: null,
  optedOutAt: null,
  optedOutOfAllAt: null,
  mailedAt: null,
  mailable: true,
  mailsToday: 0,
  willing: false,
  inSet: false,
  now: NOW,
  ...changes,
})

describe('a request to subscribe somebody', () => {
  test.each<[string, Partial<SubscriptionFacts>, string]>([
    ['is done at once without double opt-in', { doubleOptIn: false }, 'subscribe'],
    ['is asked for with it', {}, 'ask'],
    ['is nothing for who is subscribed', { status: 'subscribed' }, 'none'],
    ['is not granted to a tool when the person opted out', optedOutSingle(), 'kept'],
    ['is granted when they want it again', { ...optedOutSingle(), willing: true }, 'subscribe'],
    [
      'needs no second mail after a confirmation',
      { status: 'unsubscribed', confirmedAt: EARLIER },
      'subscribe',
    ],
    [
      'needs one when the person opted out of the topic since',
      { status: 'unsubscribed', confirmedAt: EARLIER, optedOutAt: EARLIER + 1 },
      'ask',
    ],
    [
      'needs one when the person opted out of all mail since',
      { status: 'unsubscribed', confirmedAt: EARLIER, optedOutOfAllAt: EARLIER + 1 },
      'ask',
    ],
    [
      'sends no second mail within ten minutes',
      { status: 'pending', mailedAt: NOW - REMAIL_AFTER_MS + 1 },
      'none',
    ],
    ['sends one after them', { status: 'pending', mailedAt: NOW - REMAIL_AFTER_MS }, 'ask'],
    ['mails an address three times a day', { mailsToday: 2 }, 'ask'],
    ['and not four times', { mailsToday: 3 }, 'limited'],
    [
      'of a set asks nobody again who waits',
      { inSet: true, status: 'pending', mailedAt: EARLIER },
      'none',
    ],
    [
      'of a set asks nobody again who did not answer',
      { inSet: true, status: 'unsubscribed', mailedAt: EARLIER },
      'kept',
    ],
    [
      'of a set asks nobody again who opted out',
      { inSet: true, status: 'unsubscribed', confirmedAt: EARLIER, optedOutAt: EARLIER + 1 },
      'kept',
    ],
    [
      'of a set asks them when they want it again',
      { inSet: true, willing: true, status: 'unsubscribed', mailedAt: EARLIER },
      'ask',
    ],
    ['of a set asks who was never asked', { inSet: true, status: 'unsubscribed' }, 'ask'],
    ['mails nobody who bounced', { mailable: false }, 'limited'],
  ])('%s', (_name, changes, step) => {
    expect(decideSubscription(facts(changes))).toBe(step)
  })

  function optedOutSingle(): Partial<SubscriptionFacts> {
    return { doubleOptIn: false, status: 'unsubscribed', optedOutAt: EARLIER }
  }
})

test('a confirmation link works for its own generation and address only', () => {
  const good: string[] = []
  for (const status of SUBSCRIPTION_STATUSES) {
    for (const generation of [1, 2, 3, 4]) {
      for (const isConfirmed of [false, true]) {
        for (const isMailed of [false, true]) {
          const where = { status, generation, isConfirmed, isMailed }
          const standing = confirmationState({ ...where, linkGeneration: 2 })
          if (standing !== 'over') {
            good.push(`${status} ${generation} ${isConfirmed} ${isMailed}: ${standing}`)
          }
        }
      }
    }
  }
  expect(good).toEqual([
    'pending 2 false true: awaited',
    'pending 2 true true: awaited',
    'subscribed 3 true true: confirmed',
  ])
})
