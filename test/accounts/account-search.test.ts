import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eachOf, search } from '../../src/core/accounts/account-search.ts'

type Said = { at: number } | 'unreachable' | undefined

/** Searches accounts 0, 1, …, which answer so after so many milliseconds. */
async function searching(answers: { said: Said | Error; ms?: number }[], withinMs = 2_000) {
  const asked: number[] = []
  const startedAt = performance.now()
  const accounts = answers.map((_, n) => n)
  const searched = await search(accounts, Date.now() + withinMs, Date.now, async (n) => {
    asked.push(n)
    const { said, ms = 0 } = answers[n] ?? { said: undefined }
    await sleep(ms)
    if (said instanceof Error) throw said
    return said
  })
  return { ...searched, asked, ms: performance.now() - startedAt }
}

const has = (at: number) => ({ said: { at } })
const lacks = { said: undefined }
const fails = { said: 'unreachable' as const }

test('stops at the first that has it', async () => {
  const { match: found, asked, unreachable } = await searching([lacks, has(1), has(2), lacks])
  expect([found, asked, unreachable]).toEqual([{ value: { at: 1 }, account: 1 }, [0, 1], []])
})

test('names those that failed before it, and those that were still silent', async () => {
  const {
    match: found,
    unreachable,
    ms,
  } = await searching([fails, { ...has(1), ms: 10_000 }, lacks, has(3)])
  expect([found?.account, unreachable]).toEqual([3, [0, 1]])
  expect(ms).toBeLessThan(9_000)
})

test('a slow one that has it is found when no other has', async () => {
  const { match: found, asked } = await searching([{ ...has(0), ms: 700 }, lacks, lacks])
  expect([found?.account, asked]).toEqual([0, [0, 1, 2]])
})

test('asks a hundred that all need a moment within the time', async () => {
  const slow = Array.from({ length: 99 }, () => ({ ...lacks, ms: 100 }))
  const { match: found, asked } = await searching([...slow, has(99)], 20_000)
  expect([found?.account, asked.length]).toEqual([99, 100])
})

test('waits for no more than fifty at once, and names all that did not answer', async () => {
  const dead = Array.from({ length: 60 }, () => ({ ...fails, ms: 60_000 }))
  const { match: found, asked, unreachable, ms } = await searching(dead, 4_000)
  expect([found, asked.length, unreachable.length]).toEqual([undefined, 50, 60])
  expect(ms).toBeLessThan(30_000)
})

test('an account that cannot be asked ends the search, unless another has the object first', async () => {
  const error = new Error('nobody can be asked')
  await expect(searching([lacks, { said: error }, has(2)])).rejects.toThrow(error)
  const { match: found } = await searching([{ said: error, ms: 10_000 }, has(1)])
  expect(found?.account).toBe(1)
})

test('nobody is asked when there is nobody', async () => {
  expect(await searching([])).toMatchObject({ match: undefined, unreachable: [], asked: [] })
})

test('each is asked once, so many at a time, and answered in its order', async () => {
  let inside = 0
  let most = 0
  const answers = await eachOf([5, 1, 4, 2, 3], 2, async (n) => {
    most = Math.max(most, ++inside)
    await sleep(n * 5)
    inside--
    return n * 10
  })
  expect([answers, most]).toEqual([[50, 10, 40, 20, 30], 2])
  expect(await eachOf([], 2, async () => 1)).toEqual([])
  await expect(eachOf([1], 2, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})
