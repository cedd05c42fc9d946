import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Identity, identify, isRunning } from './processes.ts'

const PASS_MS = 100
const NEWS_MS = 10_000
/** Time after which a breaker counts as dead. Breaking a dead holder's lock takes a millisecond. */
const BREAK_MS = 5_000

/**
 * Creates `file` with our process and `more` in it. Undefined: another live process has it, which
 * `holder` names. The file of a dead holder (kill -9, power) is replaced.
 */
export async function tryLock(file: string): Promise<{ unlock: () => Promise<void> } | undefined> {
  await mkdir(dirname(file), { recursive: true })
  const self = JSON.stringify(await identify(process.pid))
  for (;;) {
    if (await createNew(file, self)) return { unlock: () => rm(file, { force: true }) }
    if (await isHeld(file)) return undefined
    await breakLock(file)
  }
}

/** Runs `work` while no other caller, in any process, runs its own under `file`. */
export async function withLock<T>(
  file: string,
  onWait: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const began = Date.now()
  let nextNews = began + PASS_MS
  for (;;) {
    const lock = await tryLock(file)
    if (lock !== undefined) {
      try {
        return await work()
      } finally {
        await lock.unlock()
      }
    }
    if (Date.now() >= nextNews) {
      const seconds = Math.round((Date.now() - began) / 1_000)
      onWait(`another process is at it (${file}), waiting for it: ${seconds} s`)
      nextNews = Date.now() + NEWS_MS
    }
    await sleep(PASS_MS)
  }
}

async function createNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function isHeld(file: string): Promise<boolean> {
  const holder = await read(file)
  if (holder === undefined) return (await ageMs(file)) < BREAK_MS // being written, or cut off
  return isRunning(holder)
}

async function read(file: string): Promise<Identity | undefined> {
  try {
    const { pid, started } = JSON.parse(await readFile(file, 'utf8')) as Partial<Identity>
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined
  } catch {
    return undefined
  }
}

/**
 * Breaks a dead holder's lock. Of two that find the same holder, the slower must not remove the
 * lock of the faster.
 */
async function breakLock(file: string): Promise<void> {
  const breaker = `${file}.break`
  if (!(await createNew(breaker, ''))) {
    if ((await ageMs(breaker)) > BREAK_MS) await rm(breaker, { force: true })
    await sleep(PASS_MS)
    return
  }
  try {
    if (!(await isHeld(file))) await rm(file, { force: true })
  } finally {
    await rm(breaker, { force: true })
  }
}

async function ageMs(file: string): Promise<number> {
  try {
    return Date.now() - (await stat(file)).mtimeMs
  } catch {
    return Number.POSITIVE_INFINITY // gone
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
