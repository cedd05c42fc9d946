import { Worker } from 'node:worker_threads'
import { startThread } from './start-thread.ts'
import { threadTime } from './thread-time.ts'
import { NO_ITEM, type Report, STATE, type Turn } from './turns.ts'

/** Milliseconds of processor time for one item. A large mail takes one. */
export const ITEM_MS = 200
/** Limit in wall-clock milliseconds where the system does not report a thread's processor time. */
const CLOCK_MS = 2_000
const MEMORY_MB = 128
const YOUNG_MEMORY_MB = 16
const CHECK_EVERY_MS = 20

export type TurnEnd =
  | { kind: 'over' }
  /**
   * The thread was ended at this item, and unreported results are lost. `isCertain`: by its own
   * processor time, which a busy machine does not add to.
   */
  | { kind: 'stopped'; item: number; why: 'time' | 'memory' | 'crash'; isCertain: boolean }
  | { kind: 'died'; error: Error }

/**
 * A thread that starts when it is needed and is ended when an item takes too long or too much
 * memory, or after a time without work. It runs one turn at a time.
 */
export interface Thread {
  /** `onReport` is called before the promise resolves, and not afterwards. */
  run(turn: Turn, itemMs: number, onReport: (report: Report) => void): Promise<TurnEnd>
  close(): Promise<void>
}

export function createThread({ idleMs, readTime = threadTime }: ThreadOptions): Thread {
  let worker: Worker | undefined
  let state = newState()
  let idle: NodeJS.Timeout | undefined

  function start(): Worker {
    state = newState()
    const started = startWorker(state)
    // A thread that ends while it is idle is not an error; the next turn starts another.
    started
      .on('error', () => {})
      .once('exit', () => {
        if (worker === started) worker = undefined
      })
    return started
  }

  async function close(): Promise<void> {
    clearTimeout(idle)
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }

  return {
    close,
    run: async (turn, itemMs, onReport) => {
      clearTimeout(idle)
      worker ??= start()
      worker.ref()
      const end = await runTurn({ worker, state, turn, itemMs, readTime, onReport })
      if (end.kind !== 'over') worker = undefined
      worker?.unref()
      idle = setTimeout(() => void close(), idleMs).unref()
      return end
    },
  }
}

interface ThreadOptions {
  idleMs: number
  readTime?: ((threadId: number) => number | undefined) | undefined
}

interface Running {
  worker: Worker
  state: Int32Array
  turn: Turn
  itemMs: number
  readTime: (threadId: number) => number | undefined
  onReport: (report: Report) => void
}

function runTurn(running: Running): Promise<TurnEnd> {
  const { worker, state, turn, itemMs, readTime, onReport } = running
  return new Promise((resolve) => {
    let stopped: TurnEnd | undefined
    const look = watch({ state, itemMs, readTime }, (item, isCertain) => {
      stopped = { kind: 'stopped', item, why: 'time', isCertain }
      void worker.terminate()
    })
    const onMessage = (report: Report): void => {
      onReport(report)
      // A thread that was stopped while it finished still counts as stopped.
      if (report.isOver && stopped === undefined) end({ kind: 'over' })
    }
    const onError = (error: Error): void => {
      const item = Atomics.load(state, STATE.item)
      const isFull = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      const why = isFull ? 'memory' : 'crash'
      stopped ??=
        item === NO_ITEM
          ? { kind: 'died', error }
          : { kind: 'stopped', item, why, isCertain: false }
    }
    const onExit = (): void => end(stopped ?? { kind: 'died', error: new Error('a thread ended') })
    const end = (how: TurnEnd): void => {
      clearInterval(look)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      resolve(how)
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    worker.postMessage(turn)
  })
}

function watch(
  { state, itemMs, readTime }: Pick<Running, 'state' | 'itemMs' | 'readTime'>,
  onSlow: (item: number, isCertain: boolean) => void,
): NodeJS.Timeout {
  let at = NO_ITEM
  let sinceMs: number | undefined
  let clockMs = 0
  let lookedAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    // Time in which this process was stopped or busy elsewhere counts for two checks at most.
    clockMs += Math.min(now - lookedAt, 2 * CHECK_EVERY_MS)
    lookedAt = now
    const spentMs = readTime(Atomics.load(state, STATE.threadId))
    const item = Atomics.load(state, STATE.item)
    if (item !== at) {
      at = item
      sinceMs = spentMs
      clockMs = 0
      return
    }
    if (item === NO_ITEM) return
    const isCertain = spentMs !== undefined && sinceMs !== undefined
    const isSlow =
      spentMs !== undefined && sinceMs !== undefined
        ? spentMs - sinceMs >= itemMs
        : clockMs >= CLOCK_MS
    if (!isSlow) return
    clearInterval(timer)
    onSlow(item, isCertain)
  }, CHECK_EVERY_MS)
  return timer
}

function newState(): Int32Array {
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * 2))
  state[STATE.item] = NO_ITEM
  return state
}

/** Set if this runs from sources and a compiled file of the thread exists. */
let compiled: URL | undefined

/** Lets tests that start many threads name the compiled file, which starts sooner. */
export function useCompiledThread(file: URL | undefined): void {
  compiled = file
}

function startWorker(state: Int32Array): Worker {
  const options = {
    name: 'letterloom-render',
    workerData: state,
    resourceLimits: {
      maxOldGenerationSizeMb: MEMORY_MB,
      maxYoungGenerationSizeMb: YOUNG_MEMORY_MB,
    },
  }
  return compiled
    ? new Worker(compiled, { env: {}, execArgv: [], ...options })
    : startThread('thread', options)
}
