import { expect, test } from 'vitest'
import { createCounter } from '../../api/http/large-lists.ts'

test('a list that is larger than is counted is counted once in ten seconds', async () => {
  let now = 1_000
  let counts = 0
  const count = createCounter(() => now)
  const total = (rows: number) =>
    count('list', () => {
      counts++
      return Promise.resolve(rows)
    })
  expect([await total(10_001), await total(10_001), counts]).toEqual([10_001, 10_001, 1])
  now += 10_000
  expect([await total(9), counts]).toEqual([9, 2])
})

test('a smaller one is counted each time, and one list says nothing of another', async () => {
  const count = createCounter(() => 0)
  expect(await count('small', () => Promise.resolve(10_000))).toBe(10_000)
  expect(await count('small', () => Promise.resolve(9_999))).toBe(9_999)
  expect(await count('large', () => Promise.resolve(10_001))).toBe(10_001)
  expect(await count('other', () => Promise.resolve(3))).toBe(3)
})
