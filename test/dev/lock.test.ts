import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tryLock, withLock } from '../../src/main/dev/lock.ts'
import { identify } from '../../src/main/dev/processes.ts'
import { testFolder } from '../support/folders.ts'

test('one of many concurrent callers has the lock at a time', async () => {
  const file = join(await testFolder('lock'), 'deep', 'lock')
  let inside = 0
  let most = 0
  const work = async (): Promise<void> => {
    most = Math.max(most, ++inside)
    await sleep(5)
    inside--
  }
  await Promise.all(Array.from({ length: 8 }, () => withLock(file, () => {}, work)))
  expect(most).toBe(1)
})

test('work that fails gives the lock back', async () => {
  const file = join(await testFolder('lock'), 'lock')
  const failing = withLock(
    file,
    () => {},
    () => Promise.reject(new Error('no luck')),
  )
  await expect(failing).rejects.toThrow('no luck')
  expect(await tryLock(file)).toBeDefined()
})

test('the lock of a living process is respected', async () => {
  const file = join(await testFolder('lock'), 'lock')
  await tryLock(file)
  expect(await tryLock(file)).toBeUndefined()
})

test.each([
  ['a dead process', { pid: 999_999_999, started: '1' }],
  ['one whose number another process has now', { pid: process.pid, started: 'long ago' }],
])('of many that find the lock of %s one gets it', async (_, holder) => {
  const file = join(await testFolder('lock'), 'lock')
  await writeFile(file, JSON.stringify(holder))
  const locks = await Promise.all(Array.from({ length: 8 }, () => tryLock(file)))
  expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1)
})

test('a process is told from a later one of the same number', async () => {
  const self = await identify(process.pid)
  expect(self?.pid).toBe(process.pid)
  expect(self?.started).toMatch(/\d/)
})
