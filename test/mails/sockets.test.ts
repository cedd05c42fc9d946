import { expect, test } from 'vitest'
import { createSockets } from '../../activities/aws/sockets.ts'
import type { Lane } from '../../src/domain/mails/mail-priority.ts'

/** Calls that have a socket, in the order in which they got it. */
function callers(most: number) {
  const sockets = createSockets(most)
  const begun: string[] = []
  return {
    sockets,
    begun,
    /** The account is of the caller's name. */
    call: (name: string, lane: Lane, account = name) =>
      void Promise.resolve(sockets.take({ lane, account })).then(() => begun.push(name)),
  }
}

const settled = () => new Promise((resolve) => void setImmediate(resolve))

test('of the calls that wait for a socket those of the highest lane go first', async () => {
  const { sockets, begun, call } = callers(1)
  call('first', 'transactional')
  call('batch', 'batch')
  call('flow', 'workflow')
  call('confirmation', 'confirmation')
  call('receipt', 'transactional')
  call('second receipt', 'transactional')
  for (let calls = 0; calls < 6; calls++) {
    await settled()
    sockets.free(begun.at(-1) ?? '')
  }
  await settled()
  expect(begun).toEqual(['first', 'receipt', 'second receipt', 'confirmation', 'flow', 'batch'])
})

test.each([
  ['batch', 13],
  ['workflow', 14],
  ['confirmation', 15],
  ['transactional', 16],
] as const)(
  'of 16 sockets calls of lane %s use %i, and leave the rest to higher lanes',
  async (lane, most) => {
    const { sockets, begun, call } = callers(16)
    for (let n = 0; n < 20; n++) call(`${n}`, lane)
    await settled()
    expect(begun).toHaveLength(most)
    call('receipt', 'transactional')
    await settled()
    expect(begun.includes('receipt')).toBe(lane !== 'transactional')
    sockets.free('0')
    await settled()
    // Whoever is above its share waits until others are done.
    expect(begun).toHaveLength(most + 1)
  },
)

test('the calls of one account use half of the sockets of their lane, and others the rest', async () => {
  const { sockets, begun, call } = callers(16)
  for (let n = 0; n < 20; n++) call(`late ${n}`, 'batch', 'late')
  await settled()
  expect(begun).toHaveLength(7)
  call('receipt', 'transactional', 'late')
  call('other', 'batch')
  await settled()
  expect(begun.slice(7)).toEqual(['receipt', 'other'])
  sockets.free('other')
  await settled()
  expect(begun).toHaveLength(9)
  // The account has eight now: one is left when two have ended.
  sockets.free('late')
  await settled()
  expect(begun).toHaveLength(9)
  sockets.free('late')
  await settled()
  expect(begun.slice(9)).toEqual(['late 7'])
})

test('the accounts of a lane take turns for a socket, each with its calls in their order', async () => {
  const { sockets, begun, call } = callers(1)
  call('first', 'transactional')
  for (const name of ['a1', 'a2', 'a3']) call(name, 'batch', 'a')
  for (const name of ['b1', 'b2']) call(name, 'batch', 'b')
  for (const account of ['first', 'a', 'b', 'a', 'b', 'a']) {
    await settled()
    sockets.free(account)
  }
  await settled()
  expect(begun).toEqual(['first', 'a1', 'b1', 'a2', 'b2', 'a3'])
})
