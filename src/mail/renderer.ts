import { badRequest } from '../domain/errors.ts'
import type { Content, ContentPaths, ContentSource } from './content.ts'
import { createIsolation } from './isolation.ts'
import { createQueue, type Entry, giveUp, type Job } from './queues.ts'
import type { Syntax } from './liquid.ts'
import { type MergeData, RenderError, type RenderedMail } from './render.ts'
import { createThread, ITEM_MS } from './threads.ts'
import type { Answer } from './turns.ts'
import type { MailPreview, MailTemplate, Work, Works } from './works.ts'

/**
 * Milliseconds of processor time for checking one content, which happens once and not for each
 * mail.
 */
const CHECK_MS = 2_000
const CHECKS: readonly Work[] = ['contents', 'roots', 'valueChecks']
const DEFAULT_TIMEOUT_MS = 10_000
/**
 * Jobs of an isolated organization that may wait or run. One more throws RendererBusy at once,
 * since its caller holds a slot that others need.
 */
const MOST_APART = 4
const IDLE_MS = 60_000

/** The work did not begin in time. The content is not at fault. */
export class RendererBusy extends Error {
  constructor() {
    super('The renderer is overloaded')
  }
}

interface RenderCall {
  organization: string
  /** Names the content within the organization. After a slow item, its next ones run apart. */
  content: string
  /** Deadline for the work to begin, in `performance.now()`. After it RendererBusy is thrown. */
  by?: number
}

/**
 * Renders and checks callers' contents in threads, which are ended when one item takes more than
 * 200 ms of processor time or 128 MB. So no content blocks this process, and a busy machine does
 * not make a content too slow. An item that was too slow beside others is tried once more in a
 * separate thread, where no other content waits for it. Organizations take turns, and so do the
 * contents of each. After three slow contents in a minute, all of an organization is rendered in
 * the separate thread.
 *
 * Each promise ends with a result, a RenderError (`render_timeout`, `too_large` and so on), an
 * AppError about a wrong content, or RendererBusy.
 */
export interface Renderer {
  /**
   * Returns one promise for each recipient, which ends when its mail is done. `key` names the
   * template.
   */
  mails(
    template: MailTemplate & { key: string },
    recipients: readonly MergeData[],
    call: RenderCall,
  ): Promise<RenderedMail>[]
  preview(
    template: MailTemplate & { key: string },
    recipient: MergeData,
    call: RenderCall,
  ): Promise<MailPreview>
  text(source: string, scope: object, call: RenderCall): Promise<string>
  values(sources: readonly string[], scope: object, call: RenderCall): Promise<unknown[]>
  checkValues(sources: readonly string[], call: RenderCall): Promise<string[][]>
  textParts(parts: readonly string[], call: RenderCall): Promise<string>[]
  compile(
    source: ContentSource,
    paths: ContentPaths | undefined,
    call: RenderCall,
  ): Promise<Content>
  roots(syntax: Syntax, source: string, call: RenderCall): Promise<Set<string>>
  /**
   * Called before mails of an organization are claimed. Returns how many may be claimed until `end`
   * is called, or undefined if the organization renders apart and its last mail is not done.
   */
  takeTurn(organization: string): RenderTurn | undefined
  /** Returns the jobs that wait for each thread, or are at work in it. */
  load(): { shared: number; alone: number }
  /** Ends the threads. Unfinished work throws RendererBusy. */
  close(): Promise<void>
}

interface RenderTurn {
  mostMails: number
  end(): void
}

let own: Renderer | undefined

/** The shared renderer of this process, since threads are expensive. The process closes it. */
export const processRenderer = (): Renderer => (own ??= createRenderer())

interface RendererOptions {
  idleMs?: number
  readTime?: (threadId: number) => number | undefined
}

export function createRenderer({ idleMs = IDLE_MS, readTime }: RendererOptions = {}): Renderer {
  const isolation = createIsolation(() => performance.now())
  const claiming = new Set<string>()
  const threads = {
    shared: createThread({ idleMs, readTime }),
    alone: createThread({ idleMs, readTime }),
  }
  const alone = createQueue({
    thread: threads.alone,
    itemMs: (work) => (CHECKS.includes(work) ? CHECK_MS : ITEM_MS),
    onStopped: (job, entry, { why, isCertain }) => {
      isolation.noteSlow(job)
      if (isCertain || entry.isSecondTry) entry.settle(REFUSALS[why])
      else alone.add({ ...job, entries: [{ ...entry, isSecondTry: true }] })
    },
  })
  const shared = createQueue({
    thread: threads.shared,
    itemMs: () => ITEM_MS,
    isElsewhere: (job) => {
      if (!isolation.isApart(job)) return false
      const { organization } = job
      if (isolation.isOrganizationApart(organization) && alone.countOf(organization) >= MOST_APART)
        giveUp(job)
      else alone.add(job)
      return true
    },
    onStopped: (job, entry) => {
      isolation.noteSlow(job)
      alone.add({ ...job, entries: [{ ...entry, isSecondTry: true }] })
    },
  })

  function run<W extends Work>(
    work: W,
    { shared: template, key }: { shared: Works[W]['shared']; key?: string },
    items: readonly Works[W]['item'][],
    { organization, content, by = performance.now() + DEFAULT_TIMEOUT_MS }: RenderCall,
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
      // The caller awaits them in turn, so an earlier failure must not be an unhandled rejection.
      promise.catch(() => {})
      promises.push(promise)
      return { item, settle, isSecondTry: false }
    })
    const job: Job = { work, shared: template, key, organization, content, by, entries }
    shared.add(job)
    return promises
  }

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
    preview: ({ key, content, marketing }, recipient, call) =>
      runOne('previews', { shared: { content, marketing }, key }, recipient, call),
    text: (source, scope, call) => runOne('texts', { shared: source }, scope, call),
    values: (sources, scope, call) => runOne('values', { shared: sources }, scope, call),
    checkValues: (sources, call) => runOne('valueChecks', { shared: null }, sources, call),
    textParts: (parts, call) => run('textParts', { shared: null }, parts, call),
    compile: (source, paths, call) => runOne('contents', { shared: null }, { source, paths }, call),
    roots: async (syntax, source, call) =>
      new Set(await runOne('roots', { shared: null }, { syntax, source }, call)),
    takeTurn: (organization) => {
      if (!isolation.isOrganizationApart(organization))
        return { mostMails: Infinity, end: () => {} }
      if (claiming.has(organization) || alone.countOf(organization) > 0) return undefined
      claiming.add(organization)
      return { mostMails: 1, end: () => void claiming.delete(organization) }
    },
    load: () => ({ shared: shared.count(), alone: alone.count() }),
    close: async () => {
      await Promise.all([shared.close(), alone.close()])
    },
  }
}

const REFUSALS = {
  time: { kind: 'refused', reason: 'render_timeout', message: 'Takes too long to render' },
  memory: { kind: 'refused', reason: 'too_large', message: 'Exceeds the memory limit' },
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
