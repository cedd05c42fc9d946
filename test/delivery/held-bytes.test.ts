import { expect, test } from 'vitest'
import { createHeldBytes } from '../../activities/delivery/held-bytes.ts'

test('no more bytes are granted than there is room for, and released bytes are granted to others', () => {
  const held = createHeldBytes(10)
  const first = held.take(7)
  const second = held.take(7)
  const third = held.take(7)
  expect([first.given, second.given, third.given]).toEqual([7, 3, 0])
  expect(held.isFull()).toBe(true)
  first.resize(1)
  expect(held.isFull()).toBe(false)
  // One that turns out longer than its part.
  third.resize(8)
  expect(held.isFull()).toBe(true)
  for (const part of [first, second, third]) part.resize(0)
  expect(held.take(20).given).toBe(10)
})
