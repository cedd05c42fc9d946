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
  const ask = (organization: string): Promise<string> =>
    new Promise((resolve) => {
      const settle: Entry['settle'] = ({ kind }) => resolve(kind)
      const entries = [{ item: {}, settle, isSecondTry: false }]
      const by = performance.now() + 60_000
      const job: Job = {
        work: 'texts',
        shared: 'x',
        key: undefined,
        organization,
        content: 'x',
        by,
        entries,
      }
      queue.add(job)
    })
  expect(await ask('first')).toBe('late')
  expect(await ask('second')).toBe('made')
  expect(warned).toHaveBeenCalledOnce()
  warned.mockRestore()
  await queue.close()
})

it('organizations take turns, and so do the contents of one', async () => {
  const order: string[] = []
  const thread: Thread = {
    run: async (turn, _itemMs, onReport) => {
      if (typeof turn.shared === 'string') order.push(turn.shared)
      // One item in each turn.
      onReport({ answers: [{ kind: 'made', result: 'made' }], isOver: true })
      return { kind: 'over' }
    },
    close: async () => {},
  }
  const queue = createQueue({ thread, itemMs: () => 200, onStopped: () => {} })
  const add = (organization: string, content: string, items: number): Promise<unknown> => {
    const asked = Array.from({ length: items }, () => {
      let settle: Entry['settle'] = () => {}
      const done = new Promise((resolve) => (settle = resolve))
      return { entry: { item: {}, settle, isSecondTry: false }, done }
    })
    const entries = asked.map(({ entry }) => entry)
    const by = performance.now() + 60_000
    queue.add({
      work: 'texts',
      shared: content,
      key: undefined,
      organization,
      content,
      by,
      entries,
    })
    return Promise.all(asked.map(({ done }) => done))
  }
  const all = [add('a', 'a1', 3), add('a', 'a2', 2), add('a', 'a3', 1), add('b', 'b1', 3)]
  expect([queue.countOf('a'), queue.countOf('b'), queue.countOf('c')]).toEqual([3, 1, 0])
  await Promise.all(all)
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b1', 'a1', 'b1', 'a2', 'a1'])
  await expect.poll(() => queue.countOf('a')).toBe(0)
  await queue.close()
})
