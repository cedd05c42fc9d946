import { expect, test } from 'vitest'
import { createByteRoom } from '../../src/loops/byte-room.ts'

const never = new AbortController().signal

/** Takes room and notes the name once there is room. */
function taker(room: ReturnType<typeof createByteRoom>, admitted: string[]) {
  return async (name: string, bytes: number, signal = never) => {
    const giveBack = await room.take(bytes, signal)
    admitted.push(name)
    return giveBack
  }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('takers are served in their order, and never hold more than there is', async () => {
  const admitted: string[] = []
  const room = createByteRoom(10)
  const take = taker(room, admitted)
  const first = await take('first', 8)
  const second = take('second', 5)
  const third = take('third', 1)
  await settled()
  // The third would fit, but it would pass the second for ever.
  expect(admitted).toEqual(['first'])
  first()
  first()
  await Promise.all([second, third])
  expect(admitted).toEqual(['first', 'second', 'third'])
})

test('more than the whole room waits until nobody holds any', async () => {
  const admitted: string[] = []
  const take = taker(createByteRoom(10), admitted)
  const first = await take('first', 1)
  const large = take('large', 1_000)
  const last = take('last', 1)
  await settled()
  expect(admitted).toEqual(['first'])
  first()
  const giveBack = await large
  await settled()
  expect(admitted).toEqual(['first', 'large'])
  giveBack()
  await last
})

test('a taker that stops waiting does not delay others', async () => {
  const admitted: string[] = []
  const room = createByteRoom(10)
  const take = taker(room, admitted)
  await take('first', 8)
  const leaving = new AbortController()
  const second = take('second', 5, leaving.signal)
  const third = take('third', 2)
  await settled()
  expect(admitted).toEqual(['first'])
  expect(room.isCrowded()).toBe(true)
  leaving.abort()
  await expect(second).rejects.toThrow('aborted')
  await third
  expect(admitted).toEqual(['first', 'third'])
  expect(room.isCrowded()).toBe(false)
})
