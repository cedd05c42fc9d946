import { describe, expect, test } from 'vitest'
import {
  type ClaimTroubles,
  count,
  type Troubles,
  tripOf,
} from '../../src/domain/batches/breaker.ts'

const NONE: Troubles = { senderRefusals: 0, renderTimeouts: 0, renderTimeoutsInRow: 0 }
const claim = (of: Partial<ClaimTroubles>): ClaimTroubles => ({
  senderRefusals: 0,
  renderTimeouts: 0,
  isAnySent: false,
  ...of,
})
const after = (claims: readonly ClaimTroubles[], isUnbroken = true): Troubles =>
  claims.reduce<Troubles>((troubles, each) => count(troubles, each, isUnbroken), NONE)
const times = <T>(n: number, each: T): T[] => Array.from({ length: n }, () => each)

describe('refusals of the sender', () => {
  test('stop a batch at the twentieth in a row, however they are spread over claims', () => {
    expect(tripOf(after([claim({ senderRefusals: 19 })]), 0)).toBeUndefined()
    expect(tripOf(after([claim({ senderRefusals: 20 })]), 0)).toBe('sender_rejected')
    expect(tripOf(after(times(19, claim({ senderRefusals: 1 }))), 0)).toBeUndefined()
    expect(tripOf(after(times(20, claim({ senderRefusals: 1 }))), 0)).toBe('sender_rejected')
  })

  test('are not in a row if a mail was accepted among them or since', () => {
    const accepted = claim({ senderRefusals: 15, isAnySent: true })
    const refused = claim({ senderRefusals: 15 })
    expect(after([refused, accepted]).senderRefusals).toBe(0)
    expect(after([refused, accepted, refused]).senderRefusals).toBe(15)
    expect(after([refused, refused], false).senderRefusals).toBe(15)
  })
})

describe('mails that take too long to make', () => {
  test('stop a batch at the tenth in a row', () => {
    expect(tripOf(after(times(9, claim({ renderTimeouts: 1 }))), 9)).toBeUndefined()
    expect(tripOf(after(times(10, claim({ renderTimeouts: 1 }))), 10)).toBe('render_timeout')
  })

  test('stop a batch if they are more than one in a hundred of at least a thousand', () => {
    const scattered = (n: number) => after(times(n, claim({ renderTimeouts: 1, isAnySent: true })))
    expect(scattered(50).renderTimeoutsInRow).toBe(0)
    expect(tripOf(scattered(50), 999)).toBeUndefined()
    expect(tripOf(scattered(10), 1_000)).toBeUndefined()
    expect(tripOf(scattered(11), 1_000)).toBe('render_timeout')
    expect(tripOf(scattered(11), 1_100)).toBeUndefined()
  })
})
