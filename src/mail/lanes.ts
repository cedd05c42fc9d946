import type { Thread, TurnEnd } from './threads.ts'
import type { Answer, Report } from './turns.ts'
import type { Work, Works } from './works.ts'

/** One item that waits for its answer. */
export interface Entry {
  item: Works[Work]['item']
  settle: (answer: Answer | { kind: 'late' }) => void
  /** It was too much once; this one decides. */
  isSecondTry: boolean
}

/** Items of one work, in the order in which they are answered. */
export interface Job {
  work: Work
  shared: Works[Work]['shared']
  key: string | undefined
  owner: string
  by: number
  entries: Entry[]
}

type Stopped = Extract<TurnEnd, { kind: 'stopped' }>

interface LaneOptions {
  thread: Thread
  itemMs: (work: Work) => number
  /** The item that the thread was ended at; all others of the job go on. */
  onStopped: (job: Job, entry: Entry, how: Stopped) => void
}

export interface Lane {
  add(job: Job): void
  close(): Promise<void>
}

/** One thread and who waits for it. They take turns: whoever has more to do goes to the end. */
export function createLane({ thread, itemMs, onStopped }: LaneOptions): Lane {
  const queue: Job[] = []
  let running: Promise<void> | undefined
  let isClosed = false

  async function run(): Promise<void> {
    for (let job = queue.shift(); job; job = queue.shift()) {
      await takeTurn(job)
      if (job.entries.length > 0) queue.push(job)
    }
    running = undefined
  }

  async function takeTurn(job: Job): Promise<void> {
    if (isClosed || performance.now() >= job.by) return giveUp(job)
    const { work, shared, key, entries } = job
    let answered = 0
    const onReport = ({ answers }: Report): void => {
      answered += answers.length
      for (const answer of answers) entries.shift()?.settle(answer)
    }
    const items = entries.map(({ item }) => item)
    const end = await thread.run({ work, shared, key, items }, itemMs(work), onReport)
    if (isClosed) return giveUp(job)
    if (end.kind === 'died') {
      for (const { settle } of entries.splice(0)) {
        settle({ kind: 'broken', message: `A rendering thread died: ${end.error.message}` })
      }
    }
    if (end.kind !== 'stopped') return
    // Its answer may have come with the end.
    if (end.item < answered) return
    const [entry] = entries.splice(end.item - answered, 1)
    if (entry) onStopped(job, entry, end)
  }

  return {
    add: (job) => {
      queue.push(job)
      running ??= run()
    },
    close: async () => {
      isClosed = true
      await thread.close()
      await running
    },
  }
}

function giveUp({ entries }: Job): void {
  for (const { settle } of entries.splice(0)) settle({ kind: 'late' })
}
