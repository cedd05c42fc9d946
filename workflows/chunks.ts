import { condition, proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { SendActivities } from '../activities/index.ts'
import type { SendChunkResult } from '../activities/batches/chunk-results.ts'
import type { SendChunkInput } from '../activities/batches/send-chunk.ts'
import {
  HEARTBEAT_TIMEOUT,
  SEND_QUEUE,
  type SendPart,
  type SendPlan,
  type SendProgress,
} from './contract.ts'

const SENDING = {
  taskQueue: SEND_QUEUE,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '200ms', maximumInterval: '5s' },
} as const
const { sendChunk } = proxyActivities<SendActivities>(SENDING)

export type Ending =
  | { kind: 'sent' }
  | { kind: 'stopped' }
  | { kind: 'unavailable'; reason: string }

/**
 * The chunks of a batch in one run.
 *
 * States of a chunk, and what leads out of each:
 * - *untried* (`#next` and later): `start`, once the time of its part has come and, where it is not
 *   of the share of an A/B test, the test is decided. Leads to *in flight*.
 * - *in flight*: the result of its activity. `done` leads to *done*, `waiting` to *in doubt*, any
 *   other result and a failure to *unfinished*.
 * - *unfinished*: rows may be left. The next pass leads to *in flight*.
 * - *in doubt*: unfinished, and only the outcomes of its mails are open. The next pass leads to *in
 *   flight*. The decision of an A/B test does not wait for it.
 * - *done*: no row is left. Only `tryAllAgain` leads out, to *unfinished*.
 *
 * States of all of them, in which the workflow starts no chunk:
 * - *paused*: the account cannot send. The time `#pausedUntil` leads out, or `tryAllAgain`.
 * - *held*: a person has paused the batch. `lookAgain` leads out.
 * - *awaiting a decision*: the share of an A/B test was mailed. `markDecided` leads out.
 * - *resting*: everything was tried in this pass. `beginPass` leads out, or a part whose time
 *   comes.
 * - *over*: a chunk was told to stop (`#ending`), one failed, or all are done. Nothing leads out.
 */
export class Chunks {
  readonly #batch: Omit<SendChunkInput, 'from' | 'to'>
  readonly #plan: SendPlan
  /** Ranges of a plan with parts. A chunk never spans two parts. */
  readonly #ranges: readonly SendPart[] | undefined
  readonly #count: number
  /** The first chunk that was never tried. */
  #next: number
  readonly #unfinished: Set<number>
  /** Chunks whose remaining rows are in doubt. */
  readonly #inDoubt = new Set<number>()
  /** Number of chunks of the share of an A/B test. They come first. */
  readonly #tests: number
  #isDecided = false
  /** Chunks to try again in this pass. */
  #pass: number[] = []
  readonly #inFlight = new Set<number>()
  /** Rate of the last minute at the time `at`. */
  #rate: { perSecond: number; at: number } | undefined
  #pausedUntil = 0
  #pausedFor = ''
  #isHeld = false
  #ending: Ending | undefined
  #failure: unknown

  constructor(
    batch: Omit<SendChunkInput, 'from' | 'to'>,
    { plan, next, unfinished }: SendProgress,
  ) {
    this.#batch = batch
    this.#plan = plan
    this.#ranges = plan.parts?.flatMap((part) => divide(part, plan.chunkSize))
    this.#count = this.#ranges?.length ?? Math.ceil(plan.total / plan.chunkSize)
    this.#tests = this.#ranges?.filter(({ isTest }) => isTest).length ?? 0
    this.#next = next
    this.#unfinished = new Set(unfinished)
  }

  /** State for the next run, once nothing is in flight. */
  progress(): SendProgress {
    return { plan: this.#plan, next: this.#next, unfinished: [...this.#unfinished] }
  }

  /** False: a chunk was told to stop, or failed. */
  mayGoOn(): boolean {
    return this.#ending === undefined && this.#failure === undefined
  }

  /** Returns whether every row has its outcome. */
  areDone(): boolean {
    return this.#unfinished.size === 0 && this.#next >= this.#count
  }

  /** Returns whether the share of an A/B test is mailed and the rest waits for the winner. */
  awaitsDecision(): boolean {
    if (this.#next >= this.#count) return false
    const isOut = this.#next >= this.#tests && this.#unfinished.size === this.#inDoubt.size
    return isOut && !this.#isOpen(this.#next)
  }

  /** Returns whether the chunk does not wait for the decision of an A/B test. */
  #isOpen(chunk: number): boolean {
    return this.#tests === 0 || this.#isDecided || chunk < this.#tests
  }

  /** Opens the chunks that wait for the decision of an A/B test. */
  markDecided(): void {
    this.#isDecided = true
  }

  /** Milliseconds without work: until the next part's time, or the next pass. */
  idleMs(): number {
    const untilDue =
      this.#next < this.#count ? this.#dueAt(this.#next) - Date.now() : Number.POSITIVE_INFINITY
    return Math.max(
      1,
      this.#unfinished.size === 0 ? untilDue : Math.min(untilDue, this.#plan.passMs),
    )
  }

  /** Returns whether a chunk has found the batch paused. */
  isHeld(): boolean {
    return this.#isHeld
  }

  /** Makes the chunks ask again whether the batch is still paused. */
  lookAgain(): void {
    this.#isHeld = false
    this.beginPass()
  }

  /** Milliseconds for which the account cannot send. */
  pauseMs(): number {
    return this.#pausedUntil - Date.now()
  }

  /**
   * Takes an untried chunk whose time has come, else the next one of the pass. Undefined: the pass
   * is over.
   */
  takeNext(): number | undefined {
    const isDue = this.#next < this.#count && this.#dueAt(this.#next) <= Date.now()
    return isDue ? this.#next++ : this.#pass.shift()
  }

  #dueAt(chunk: number): number {
    if (!this.#isOpen(chunk)) return Number.POSITIVE_INFINITY
    return this.#ranges?.[chunk]?.sendAt ?? 0
  }

  /**
   * Makes all tried chunks unfinished after a wake: they may have rows again, the account may send
   * again, and the batch may be resumed.
   */
  tryAllAgain(): void {
    this.#isHeld = false
    for (let chunk = 0; chunk < this.#next; chunk++) this.#unfinished.add(chunk)
    this.#inDoubt.clear()
    this.#pausedUntil = 0
    this.beginPass()
  }

  /** Begins a pass over the chunks that may have rows left. */
  beginPass(): void {
    this.#pass = [...this.#unfinished].toSorted((a, b) => a - b)
  }

  /** Waits until another chunk may be started, or none may any more. */
  room(): Promise<void> {
    return condition(() => this.#inFlight.size < this.#plan.window || !this.mayGoOn())
  }

  /** Waits until nothing is in flight. */
  returned(): Promise<void> {
    return condition(() => this.#inFlight.size === 0)
  }

  start(chunk: number): void {
    this.#inFlight.add(chunk)
    const { total, chunkSize } = this.#plan
    const start = chunk * chunkSize
    const { from, to } = this.#ranges?.[chunk] ?? {
      from: start,
      to: Math.min(total, start + chunkSize),
    }
    const summary = `rows ${from} to ${to - 1} of ${total}`
    void sendChunk
      .executeWithOptions({ ...SENDING, summary }, [{ ...this.#batch, from, to }])
      .then(
        (result) => this.#applyResult(chunk, result),
        (error: unknown) => {
          this.#failure ??= error
          this.#unfinished.add(chunk)
        },
      )
      .finally(() => {
        this.#inFlight.delete(chunk)
        this.show()
      })
  }

  #applyResult(chunk: number, result: SendChunkResult): void {
    const { ratePerSecond: perSecond } = result
    if (perSecond !== undefined) this.#rate = { perSecond, at: Date.now() }
    if (result.kind === 'done') this.#unfinished.delete(chunk)
    else this.#unfinished.add(chunk)
    if (result.kind === 'waiting') this.#inDoubt.add(chunk)
    else this.#inDoubt.delete(chunk)
    if (result.kind === 'paused') {
      const { waitMs, resumeAt, reason } = result
      const until = waitMs === undefined ? resumeAt : Date.now() + waitMs
      if (until > this.#pausedUntil) {
        this.#pausedUntil = until
        this.#pausedFor = reason
      }
    }
    if (result.kind === 'held') this.#isHeld = true
    if (result.kind === 'stopped' || result.kind === 'unavailable') this.#ending ??= result
  }

  /** Brings the operators' view up to date. */
  show(): void {
    const tried = this.#next - this.#inFlight.size
    const waits =
      this.pauseMs() > 0
        ? `, waits until ${new Date(this.#pausedUntil).toISOString()} (${this.#pausedFor})`
        : ''
    const rate = this.#rate
      ? `, ${this.#rate.perSecond} mails/s in the minute before ${new Date(this.#rate.at).toISOString()}`
      : ''
    setCurrentDetails(
      `**${tried} of ${this.#count} chunks** tried, ${this.#unfinished.size} with rows left, ${this.#plan.total} recipients${rate}${waits}`,
    )
  }

  /** Throws the error of a chunk that failed. */
  ending(): Ending {
    if (this.#failure !== undefined) throw this.#failure
    return this.#ending ?? { kind: 'sent' }
  }
}

/** Divides a part into chunks. */
function divide({ from, to, ...part }: SendPart, size: number): SendPart[] {
  return Array.from({ length: Math.ceil((to - from) / size) }, (_, n) => ({
    from: from + n * size,
    to: Math.min(to, from + (n + 1) * size),
    ...part,
  }))
}
