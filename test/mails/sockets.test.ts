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
    call: (name: string, lane: Lane) =>
      void Promise.resolve(sockets.take(lane)).then(() => begun.push(name)),
  }
}

const settled = () => new Promise((resolve) => void setImmediate(resolve))

test('of the calls that wait for a socket those of the highest lane go first, then in order', async () => {
  const { sockets, begun, call } = callers(1)
  call('first', 'transactional')
  call('batch', 'batch')
  call('flow', 'workflow')
  call('confirmation', 'confirmation')
  call('receipt', 'transactional')
  call('second receipt', 'transactional')
  for (let calls = 0; calls < 6; calls++) {
    await settled()
    sockets.free()
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
    sockets.free()
    await settled()
    // Whoever is above its share waits until others are done.
    expect(begun).toHaveLength(most + 1)
  },
)
