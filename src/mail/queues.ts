import { setTimeout as sleep } from 'node:timers/promises'
import type { Thread, TurnEnd } from './threads.ts'
import type { Answer, Report } from './turns.ts'
import type { Work, Works } from './works.ts'

const PAUSE_MS = 1_000

export interface Entry {
  item: Works[Work]['item']
  settle: (answer: Answer | { kind: 'late' }) => void
  isSecondTry: boolean
}

export interface Job {
  work: Work
  shared: Works[Work]['shared']
  key: string | undefined
  organization: string
  content: string
  by: number
  entries: Entry[]
}

type Stopped = Extract<TurnEnd, { kind: 'stopped' }>

interface QueueOptions {
  thread: Thread
  itemMs: (work: Work) => number
  isElsewhere?: (job: Job) => boolean
  /** Called with the item at which the thread was ended. The job's other items go on. */
  onStopped: (job: Job, entry: Entry, how: Stopped) => void
}

export interface Queue {
  add(job: Job): void
  countOf(organization: string): number
  /** Jobs that wait or are at work, of all organizations. */
  count(): number
  close(): Promise<void>
}

/**
 * A queue for one thread. Organizations take turns, and so do the contents of an organization,
 * however many jobs each has.
 */
export function createQueue({ thread, itemMs, isElsewhere, onStopped }: QueueOptions): Queue {
  const waiting = new Map<string, Map<string, Job[]>>()
  let current: Job | undefined
  let running = Promise.resolve()
  let isRunning = false
  let isClosed = false

  async function run(): Promise<void> {
    isRunning = true
    for (let job = next(); job; job = next()) {
      if (isElsewhere?.(job)) continue
      current = job
      await takeTurn(job)
      current = undefined
      if (job.entries.length > 0) push(job)
    }
    isRunning = false
  }

  function push(job: Job): void {
    const contents = waiting.get(job.organization) ?? new Map<string, Job[]>()
    waiting.set(job.organization, contents)
    contents.set(job.content, [...(contents.get(job.content) ?? []), job])
  }

  /**
   * Takes a job of the content that has waited longest. Its organization and content go to the end.
   */
  function next(): Job | undefined {
    for (const [organization, contents] of waiting) {
      waiting.delete(organization)
      for (const [content, [job, ...more]] of contents) {
        contents.delete(content)
        if (more.length > 0) contents.set(content, more)
        if (contents.size > 0) waiting.set(organization, contents)
        if (job) return job
      }
    }
    return undefined
  }

  async function takeTurn(job: Job): Promise<void> {
    if (isClosed || performance.now() >= job.by) return giveUp(job)
    const { work, shared, key, entries } = job
    let answeredCount = 0
    const onReport = ({ answers }: Report): void => {
      answeredCount += answers.length
      for (const answer of answers) entries.shift()?.settle(answer)
    }
    const items = entries.map(({ item }) => item)
    const turn = { work, shared, key, items }
    // A turn that cannot be started must not stop those that come after it.
    const end = await thread
      .run(turn, itemMs(work), onReport)
      .catch((error: unknown): TurnEnd => ({ kind: 'died', error: toError(error) }))
    if (isClosed) return giveUp(job)
    if (end.kind === 'died') {
      process.emitWarning(`A rendering thread did not start: ${end.error.message}`)
      giveUp(job)
      await sleep(PAUSE_MS)
    }
    if (end.kind !== 'stopped') return
    // Its answer may have arrived before the thread ended.
    if (end.item < answeredCount) return
    const [entry] = entries.splice(end.item - answeredCount, 1)
    if (entry) onStopped(job, entry, end)
  }

  return {
    add: (job) => {
      push(job)
      if (!isRunning) running = run()
    },
    countOf: (organization) => {
      const contents = [...(waiting.get(organization)?.values() ?? [])]
      const atWork = current?.organization === organization ? 1 : 0
      return contents.reduce((sum, jobs) => sum + jobs.length, atWork)
    },
    count: () => {
      const jobs = [...waiting.values()].flatMap((contents) => [...contents.values()].flat())
      return jobs.length + (current ? 1 : 0)
    },
    close: async () => {
      isClosed = true
      await thread.close()
      await running
    },
  }
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

export function giveUp({ entries }: Job): void {
  for (const { settle } of entries.splice(0)) settle({ kind: 'late' })
}
