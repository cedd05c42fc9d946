import { badRequest } from '../domain/errors.ts'
import type { ConfirmationRequest, ConfirmationTemplate } from './confirmation.ts'
import type { Content, ContentPaths, ContentSource } from './content.ts'
import { createQueue, type Entry, type Job } from './queues.ts'
import type { Syntax } from './liquid.ts'
import { type MergeData, RenderError, type RenderedMail } from './render.ts'
import { createThread, ITEM_MS } from './threads.ts'
import type { Answer } from './turns.ts'
import type { MailTemplate, Work, Works } from './works.ts'

/** Milliseconds of processor time for checking one content, alone: once, not for each mail. */
const CHECK_MS = 2_000
/** Whoever names no moment waits this long for its turn. */
const PATIENCE_MS = 10_000
/** Whose content was too slow is rendered apart for a while. */
const SUSPICION_MS = 60_000
const MOST_SUSPECTS = 1_000
const IDLE_MS = 60_000

/** There was no time to begin with it: nothing is wrong with the content. */
export class RendererBusy extends Error {
  constructor() {
    super('Rendering has more to do than it can')
  }
}

/** Whose work it is: what came too late is not begun, and the slow are kept apart by name. */
interface RenderCall {
  /** A content, or an organization: whose slow items make its next ones be rendered apart. */
  owner: string
  /** On `performance.now()`'s scale: what has not begun by then throws RendererBusy. */
  by?: number
}

/**
 * Renders and checks what callers wrote, in threads that are ended when it takes more than 200 ms
 * of processor time or 128 MB: nothing of theirs holds this process, and a busy machine makes
 * nothing of theirs too slow. What was too slow beside others gets one more try alone, in a thread
 * of its own, where nobody else waits for it.
 *
 * Each promise ends with a result, a RenderError (`render_timeout`, `too_large` and all the rest),
 * an AppError of what is wrong with a content, or RendererBusy.
 */
export interface Renderer {
  /** One promise for each recipient; they end as the mails are made. `key` names the template. */
  mails(
    template: MailTemplate & { key: string },
    recipients: readonly MergeData[],
    call: RenderCall,
  ): Promise<RenderedMail>[]
  /** The same for confirmations; null: the link did not come out. */
  confirmations(
    template: ConfirmationTemplate & { key: string },
    requests: readonly ConfirmationRequest[],
    call: RenderCall,
  ): Promise<RenderedMail | null>[]
  /** One text that is no mail, such as the body of a webhook. */
  text(source: string, scope: object, call: RenderCall): Promise<string>
  /** See `compileContent`. */
  compile(
    source: ContentSource,
    paths: ContentPaths | undefined,
    call: RenderCall,
  ): Promise<Content>
  /** See `rootsOf`. */
  roots(syntax: Syntax, source: string, call: RenderCall): Promise<Set<string>>
  /** Ends the threads; what they had to do throws RendererBusy. */
  close(): Promise<void>
}

let own: Renderer | undefined

/** The one of this process, for whoever is given none: threads are dear. Its owner closes it. */
export const processRenderer = (): Renderer => (own ??= createRenderer())

interface RendererOptions {
  idleMs?: number
  /** See `Thread`. */
  readTime?: (threadId: number) => number | undefined
}

export function createRenderer({ idleMs = IDLE_MS, readTime }: RendererOptions = {}): Renderer {
  const suspects = new Map<string, number>()
  const threads = {
    shared: createThread({ idleMs, readTime }),
    alone: createThread({ idleMs, readTime }),
  }
  const alone = createQueue({
    thread: threads.alone,
    itemMs: (work) => (work === 'contents' || work === 'roots' ? CHECK_MS : ITEM_MS),
    onStopped: (job, entry, { why, isCertain }) => {
      suspect(job.owner)
      if (isCertain || entry.isSecondTry) entry.settle(REFUSALS[why])
      else alone.add({ ...job, entries: [{ ...entry, isSecondTry: true }] })
    },
  })
  const shared = createQueue({
    thread: threads.shared,
    itemMs: () => ITEM_MS,
    isElsewhere: (job) => {
      if (!isSuspect(job.owner)) return false
      alone.add(job)
      return true
    },
    onStopped: (job, entry) => {
      suspect(job.owner)
      alone.add({ ...job, entries: [{ ...entry, isSecondTry: true }] })
    },
  })

  const isSuspect = (owner: string): boolean => (suspects.get(owner) ?? 0) > performance.now()

  function suspect(owner: string): void {
    suspects.delete(owner)
    suspects.set(owner, performance.now() + SUSPICION_MS)
    const [oldest] = suspects.keys()
    if (suspects.size > MOST_SUSPECTS && oldest !== undefined) suspects.delete(oldest)
  }

  function run<W extends Work>(
    work: W,
    { shared: template, key }: { shared: Works[W]['shared']; key?: string },
    items: readonly Works[W]['item'][],
    { owner, by = performance.now() + PATIENCE_MS }: RenderCall,
  ): Promise<Works[W]['result']>[] {
    const promises: Promise<Works[W]['result']>[] = []
    const entries = items.map((item): Entry => {
      let settle: Entry['settle'] = () => {}
      const promise = new Promise<Works[W]['result']>((resolve, reject) => {
        settle = (answer) => {
          if (answer.kind === 'made') resolve(answer.result)
          else reject(errorOf(answer))
        }
      })
      // Whoever asked looks at each in its time: one that fails before that is no stray.
      promise.catch(() => {})
      promises.push(promise)
      return { item, settle, isSecondTry: false }
    })
    const job: Job = { work, shared: template, key, owner, by, entries }
    shared.add(job)
    return promises
  }

  /** Of one item. */
  const runOne = async <W extends Work>(
    work: W,
    template: { shared: Works[W]['shared']; key?: string },
    item: Works[W]['item'],
    call: RenderCall,
  ): Promise<Works[W]['result']> => {
    const [promise] = run(work, template, [item], call)
    if (!promise) throw new Error('an item has a promise')
    return promise
  }

  return {
    mails: ({ key, content, marketing }, recipients, call) =>
      run('mails', { shared: { content, marketing }, key }, recipients, call),
    confirmations: ({ key, ...template }, requests, call) =>
      run('confirmations', { shared: template, key }, requests, call),
    text: (source, scope, call) => runOne('texts', { shared: source }, scope, call),
    compile: (source, paths, call) => runOne('contents', { shared: null }, { source, paths }, call),
    roots: async (syntax, source, call) =>
      new Set(await runOne('roots', { shared: null }, { syntax, source }, call)),
    close: async () => {
      await Promise.all([shared.close(), alone.close()])
    },
  }
}

const REFUSALS = {
  time: { kind: 'refused', reason: 'render_timeout', message: 'Takes too long to render' },
  memory: { kind: 'refused', reason: 'too_large', message: 'Takes more memory than it may' },
  crash: { kind: 'refused', reason: 'render_failed', message: 'Ended the thread that rendered it' },
} as const

function errorOf(answer: Exclude<Answer, { kind: 'made' }> | { kind: 'late' }): Error {
  switch (answer.kind) {
    case 'refused':
      return new RenderError(answer.reason, answer.message)
    case 'invalid':
      return badRequest(answer.message, answer.details)
    case 'late':
      return new RendererBusy()
    case 'broken':
      return new Error(answer.message)
  }
}
