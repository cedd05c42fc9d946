import { expect, test } from 'vitest'
import { loginDelayMs } from '../../src/domain/access/login.ts'

test.each([
  [0, 0],
  [2, 0],
  [3, 250],
  [4, 500],
  [7, 4_000],
  [8, 8_000],
  [9, 8_000],
  [1_000_000, 8_000],
])('after %i failures a try waits %i ms', (failures, wanted) => {
  expect(loginDelayMs(failures)).toBe(wanted)
})
