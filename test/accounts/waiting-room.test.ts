import { expect, test } from 'vitest'
import { createWaitingRoom } from '../../src/core/accounts/waiting-room.ts'

test('so many of one organization wait, another’s do not count, and who leaves makes room', async () => {
  const waiting = createWaitingRoom(2)
  const leave: (() => void)[] = []
  const wait = () => waiting('a', () => new Promise<void>((resolve) => leave.push(resolve)))
  const inside = [wait(), wait()]
  await expect(wait()).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 2,
  })
  expect(await waiting('b', async () => 'in')).toBe('in')
  leave[0]?.()
  await inside[0]
  const third = wait()
  await expect(wait()).rejects.toMatchObject({ reason: 'too_many_questions' })
  for (const go of leave) go()
  await Promise.all([inside[1], third])
  // Also who fails has left.
  for (let n = 0; n < 5; n++) {
    await expect(waiting('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  }
})
