import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  batchBucket,
  batchRowId,
  bucketOfBatchRow,
  bucketStart,
  dayBucket,
  hashedId,
  isUuid,
  timeOf,
  uuidv7,
} from '../../src/runtime/ids.ts'

const DAY_MS = 86_400_000
/**
 * Until the year 2100: the process has one clock, so the properties below take times in any order.
 */
const times = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2100, 0, 1) })
const LATER = Date.UTC(2150, 0, 1)

describe('uuidv7', () => {
  test('says that it is version 7 of the RFC’s variant', () => {
    fc.assert(
      fc.property(times, (now) => {
        expect(uuidv7(now)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        )
      }),
    )
    expect(isUuid(uuidv7())).toBe(true)
  })

  test('sorts by the time it was made at, and tells it', () => {
    const made = [0, 1, 7, 1_000, DAY_MS].map((step) => LATER + step).map((now) => uuidv7(now))
    expect(made.toSorted()).toEqual(made)
    expect(made.map(timeOf)).toEqual([0, 1, 7, 1_000, DAY_MS].map((step) => LATER + step))
  })

  test('a burst of a hundred thousand within a millisecond is in order and has no twins', () => {
    const now = LATER + 2 * DAY_MS
    let last = ''
    let wrong = 0
    for (let n = 0; n < 100_000; n++) {
      const id = uuidv7(now)
      if (id <= last) wrong++
      last = id
    }
    expect(wrong).toBe(0)
    // 74 random bits are far from used up by then.
    expect(timeOf(last)).toBe(now)
  })

  test('a clock that goes back does not put ids before those already made', () => {
    const now = LATER + 3 * DAY_MS
    const made = [now, now - 1, now - 60_000, 0, now - DAY_MS, now].map((each) => uuidv7(each))
    expect(made.toSorted()).toEqual(made)
    expect(new Set(made).size).toBe(made.length)
    expect(made.map(timeOf)).toEqual(made.map(() => now))
  })

  test('is random where it is not time', () => {
    const start = LATER + 4 * DAY_MS
    const tails = Array.from({ length: 1_000 }, (_, n) => uuidv7(start + n).slice(19))
    expect(new Set(tails).size).toBe(1_000)
  })
})

describe('isUuid', () => {
  test.each(['0190f2c4-0000-7000-8000-000000000001', '0190F2C4-0000-7000-8000-00000000000A'])(
    '%s is one',
    (id) => {
      expect(isUuid(id)).toBe(true)
    },
  )

  test.each([
    '',
    '0190f2c4-0000-7000-8000-00000000000',
    '0190f2c4-0000-7000-8000-0000000000012',
    '0190f2c4000070008000000000000001',
    '{0190f2c4-0000-7000-8000-000000000001}',
    '0190f2c4-0000-7000-8000-000000000001\n',
    '0190f2c4-0000-7000-8000-00000000000g',
  ])('%j is none', (id) => {
    expect(isUuid(id)).toBe(false)
  })
})

describe('buckets', () => {
  test('a batch row’s id leads back to the batch’s bucket', () => {
    const sequence = fc.integer({ min: 0, max: 2 ** 32 - 1 })
    fc.assert(
      fc.property(times, sequence, (now, seq) => {
        const bucket = batchBucket(now)
        const id = batchRowId(bucket, seq)
        expect(isUuid(id)).toBe(true)
        expect(bucketOfBatchRow(id)).toBe(bucket)
        expect(bucketOfBatchRow(bucket)).toBe(bucket)
        expect(timeOf(id)).toBe(timeOf(bucket))
        expect(Number.parseInt(id.slice(28), 16)).toBe(seq)
        expect(id >= bucket).toBe(true)
      }),
    )
  })

  test('a batch’s rows sort by their sequence', () => {
    const bucket = batchBucket()
    const ids = [0, 1, 9, 10, 15, 16, 255, 256, 65_535, 1_000_000, 2 ** 32 - 1].map((seq) =>
      batchRowId(bucket, seq),
    )
    expect(ids.toSorted()).toEqual(ids)
  })

  test('two batches of the same millisecond have different buckets', () => {
    const now = LATER + 5 * DAY_MS
    const buckets = Array.from({ length: 1_000 }, () => batchBucket(now))
    expect(new Set(buckets).size).toBe(1_000)
  })

  test('a day’s bucket is the lowest id of its UTC day', () => {
    fc.assert(
      fc.property(times, (now) => {
        const start = Math.floor(now / DAY_MS) * DAY_MS
        const bucket = bucketStart(now)
        expect(timeOf(bucket)).toBe(start)
        expect(bucketStart(start)).toBe(bucket)
        expect(bucketStart(start + DAY_MS - 1)).toBe(bucket)
        expect(bucketStart(start + DAY_MS) > bucket).toBe(true)
        expect(bucket).toMatch(/-7000-8000-000000000000$/)
      }),
    )
  })

  test('the day’s bucket of an id is that of the time it was made at, and not above it', () => {
    fc.assert(
      fc.property(times, (now) => {
        const id = uuidv7(now)
        expect(dayBucket(id)).toBe(bucketStart(timeOf(id)))
        expect(dayBucket(id) <= id).toBe(true)
        expect(dayBucket(dayBucket(id))).toBe(dayBucket(id))
      }),
    )
  })

  test('a batch’s bucket lies within its day’s partition', () => {
    fc.assert(
      fc.property(times, (now) => {
        const bucket = batchBucket(now)
        const day = timeOf(bucket)
        expect(bucket >= bucketStart(day) && bucket < bucketStart(day + DAY_MS)).toBe(true)
      }),
    )
  })
})

describe('hashedId', () => {
  test('is the same for the same parts, a version 8 of the RFC’s variant, and no other', () => {
    const parts = fc.array(fc.oneof(fc.uuid(), fc.nat()), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(parts, (some) => {
        expect(hashedId(...some)).toBe(hashedId(...some))
        expect(hashedId(...some)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-/)
        expect(hashedId(...some, 'x')).not.toBe(hashedId(...some))
      }),
    )
  })

  test('parts do not run into one another', () => {
    expect(hashedId('ab', 'c')).not.toBe(hashedId('a', 'bc'))
    expect(hashedId('1', '23')).not.toBe(hashedId(12, 3))
  })
})
