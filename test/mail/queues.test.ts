import { expect, it, vi } from 'vitest'
import { createQueue, type Entry, type Job } from '../../src/mail/queues.ts'
import type { Thread } from '../../src/mail/threads.ts'

/** A thread that cannot be asked for its first turn, and answers all others. */
function stumbling(): Thread {
  let turns = 0
  return {
    run: async (turn, _itemMs, onReport) => {
      if (turns++ === 0) throw new TypeError('could not be cloned')
      const answers = turn.items.map(() => ({ kind: 'made' as const, result: 'made' }))
      onReport({ answers, isOver: true })
      return { kind: 'over' }
    },
    close: async () => {},
  }
}

it('a turn that cannot be asked for fails its own job, and stops none that come after it', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const queue = createQueue({ thread: stumbling(), itemMs: () => 200, onStopped: () => {} })
  const ask = (owner: string): Promise<string> =>
    new Promise((resolve) => {
      const settle: Entry['settle'] = ({ kind }) => resolve(kind)
      const entries = [{ item: {}, settle, isSecondTry: false }]
      const by = performance.now() + 60_000
      const job: Job = { work: 'texts', shared: 'x', key: undefined, owner, by, entries }
      queue.add(job)
    })
  expect(await ask('first')).toBe('late')
  expect(await ask('second')).toBe('made')
  expect(warned).toHaveBeenCalledOnce()
  warned.mockRestore()
  await queue.close()
})
