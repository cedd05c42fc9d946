/**
 * The thread that renders and checks callers' contents. It has no keys, storage or network, and may
 * be ended at any moment. No file imports this one: `threads.ts` starts it.
 */
import { readlinkSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../domain/errors.ts'
import { RenderError } from './render.ts'
import { prepareInliner } from './styles.ts'
import { type Answer, NO_ITEM, type Report, STATE, type Turn } from './turns.ts'
import { type Work, type Works, works } from './works.ts'

const REPORT_MS = 10
/** Longest turn, so that no owner waits for another owner's thousand mails. */
const TURN_MS = 40
/** Parsed contents in the cache. Parsing costs as much as rendering hundreds of mails. */
const MOST_KEPT = 20

const state: Int32Array = workerData
type Prepared<W extends Work> = (item: Works[W]['item']) => Works[W]['result']
const preparedContents: { [W in Work]: Map<string, Prepared<W>> } = {
  mails: new Map(),
  previews: new Map(),
  texts: new Map(),
  values: new Map(),
  valueChecks: new Map(),
  contents: new Map(),
  textParts: new Map(),
  roots: new Map(),
}

Atomics.store(state, STATE.threadId, ownThreadId())
parentPort?.on('message', (turn: Turn) => void begin(turn))

async function begin(turn: Turn): Promise<void> {
  if (turn.work === 'contents') await prepareInliner()
  runTurn(turn)
}

function runTurn<W extends Work>(turn: Turn<W>): void {
  const startedAt = performance.now()
  let reportedAt = startedAt
  let answers: Answer[] = []
  for (const [index, item] of turn.items.entries()) {
    Atomics.store(state, STATE.item, index)
    answers.push(answer(turn, item))
    const now = performance.now()
    if (now - startedAt >= TURN_MS) break
    if (now - reportedAt < REPORT_MS) continue
    report({ answers, isOver: false })
    answers = []
    reportedAt = now
  }
  Atomics.store(state, STATE.item, NO_ITEM)
  report({ answers, isOver: true })
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, no window
const report = (ready: Report): void => parentPort?.postMessage(ready)

function answer<W extends Work>(turn: Turn<W>, item: Works[W]['item']): Answer {
  try {
    return { kind: 'made', result: prepared(turn)(item) }
  } catch (error) {
    if (error instanceof RenderError) {
      return { kind: 'refused', reason: error.reason, message: error.message }
    }
    if (error instanceof AppError && error.code === 'BAD_REQUEST') {
      return { kind: 'invalid', message: error.message, details: error.details ?? [] }
    }
    // After a failure WebAssembly is in an unknown state, so the thread ends and another one
    // starts.
    if (error instanceof WebAssembly.RuntimeError) throw error
    return { kind: 'broken', message: error instanceof Error ? error.message : String(error) }
  }
}

function prepared<W extends Work>({ work, shared, key }: Turn<W>): Prepared<W> {
  if (key === undefined) return works[work](shared)
  const ofWork: Map<string, Prepared<W>> = preparedContents[work]
  const cachedContent = ofWork.get(key)
  if (cachedContent) return cachedContent
  const preparedContent = works[work](shared)
  const [oldest] = ofWork.keys()
  if (ofWork.size >= MOST_KEPT && oldest !== undefined) ofWork.delete(oldest)
  ofWork.set(key, preparedContent)
  return preparedContent
}

function ownThreadId(): number {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0] ?? 0)
  } catch {
    return 0
  }
}
