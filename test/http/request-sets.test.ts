import { expect, test } from 'vitest'
import { collectRequests, type RequestOfSet } from '../../api/http/request-sets.ts'

/** A request of an organization that is about these words. */
const request = (organizationId: string, ...words: string[]): RequestOfSet =>
  ({ request: { caller: { organizationId }, words }, reply: {} }) as unknown as RequestOfSet

const wordsOf = (each: unknown): string[] => (each as { words: string[] }).words

interface Ways {
  alone?: (one: RequestOfSet) => Promise<unknown>
  together?: (set: readonly RequestOfSet[]) => Promise<readonly Promise<unknown>[] | undefined>
}

/** Collects requests, and notes which were done together. */
function collector({ alone, together }: Ways = {}) {
  const done: string[][] = []
  const nameOf = (one: RequestOfSet): string => wordsOf(one.request).join()
  const collect = collectRequests({
    wordsOf,
    alone: async (one) => {
      done.push([nameOf(one)])
      return alone?.(one)
    },
    together: async (set) => {
      done.push(set.map(nameOf))
      return together ? together(set) : set.map(() => Promise.resolve('together'))
    },
  })
  return { collect, done }
}

test('the first is done alone, and those that come meanwhile are one set', async () => {
  const { collect, done } = collector({ alone: () => Promise.resolve('alone') })
  const answers = await Promise.all(['a', 'b', 'c'].map((word) => collect(request('one', word))))
  expect(answers).toEqual(['alone', 'together', 'together'])
  expect(done).toEqual([['a'], ['b', 'c']])
  expect(await collect(request('one', 'd'))).toBe('alone')
})

test('organizations do not wait for each other', async () => {
  const { collect, done } = collector()
  await Promise.all([collect(request('one', 'a')), collect(request('other', 'b'))])
  expect(done).toEqual([['a'], ['b']])
})

test('requests with a common word are not in one set, and a later one does not overtake', async () => {
  const { collect, done } = collector()
  await Promise.all(
    [['x'], ['a'], ['a', 'b'], ['b'], ['c']].map((words) => collect(request('one', ...words))),
  )
  expect(done).toEqual([['x'], ['a', 'c'], ['a,b'], ['b']])
})

test('where a set cannot be, all of it and what comes next are done alone', async () => {
  const { collect, done } = collector({
    alone: (one) =>
      wordsOf(one.request)[0] === 'bad'
        ? Promise.reject(new Error('bad'))
        : Promise.resolve('alone'),
    together: () => Promise.resolve(undefined),
  })
  const words = ['a', 'bad', 'c']
  const answers = await Promise.allSettled(words.map((word) => collect(request('one', word))))
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(done).toEqual([['a'], ['bad', 'c'], ['bad'], ['c']])
  await Promise.all([collect(request('one', 'd')), collect(request('one', 'e'))])
  expect(done.slice(4)).toEqual([['d'], ['e']])
})

test('a request that takes long holds up the others for a moment only', async () => {
  let end = (): void => {}
  const { collect } = collector({
    alone: (one) =>
      wordsOf(one.request)[0] === 'slow'
        ? new Promise((resolve) => (end = () => resolve('slow')))
        : Promise.resolve('alone'),
  })
  const slow = collect(request('one', 'slow'))
  expect(await collect(request('one', 'a'))).toBe('alone')
  end()
  expect(await slow).toBe('slow')
})

test('a hundred are in a set at most', async () => {
  const { collect, done } = collector()
  await Promise.all(Array.from({ length: 251 }, (_, n) => collect(request('one', String(n)))))
  expect(done.map((set) => set.length)).toEqual([1, 100, 100, 50])
})
