import { setMaxListeners } from 'node:events'
import { AppError } from '../../domain/errors.ts'
import type { Check } from '../../domain/deliverability/report.ts'
import { FetchError } from '../../net/fetch-error.ts'
import type { Fetcher } from '../../net/fetch.ts'
import type { FindAddresses } from '../../net/find-addresses.ts'
import type { BudgetedLookup, Lookups } from '../../net/lookups.ts'
import { checkBimi } from './bimi.ts'
import { checkBlocklists } from './blocklists.ts'
import { MOST_DNS_BYTES, MOST_QUESTIONS, MOST_RUN_MS, type ToolContext } from './context.ts'
import { checkDkim } from './dkim.ts'
import { checkDmarc } from './dmarc.ts'
import { checkEmail } from './email.ts'
import { checkMtaSts } from './mta-sts.ts'
import { checkMx } from './mx.ts'
import { checkReverseDns } from './reverse-dns.ts'
import { checkSpf } from './spf.ts'
import { checkTlsRpt } from './tls-rpt.ts'

export const CHECKS = {
  'email-check': checkEmail,
  'spf-check': checkSpf,
  'dkim-check': checkDkim,
  'dmarc-check': checkDmarc,
  'mx-check': checkMx,
  'mta-sts-check': checkMtaSts,
  'tls-rpt-check': checkTlsRpt,
  'bimi-check': checkBimi,
  'blocklist-check': checkBlocklists,
  'reverse-dns-check': checkReverseDns,
} as const
export type CheckTool = keyof typeof CHECKS
export type CheckInput<Name extends CheckTool> = Parameters<(typeof CHECKS)[Name]>[1]

export interface Report extends Check<unknown> {
  tool: string
  subject: string
  lookups: number
  checkedAt: string
}

export interface KeptReport {
  report: Report
  json: string
}

export interface Toolbox {
  /** Does not record the caller. Throws RATE_LIMITED if too many checks are running. */
  check: <Name extends CheckTool>(
    tool: Name,
    subject: string,
    input: CheckInput<Name>,
  ) => Promise<KeptReport>
  /** Runs a check of a text. Its report is not cached. */
  run: (tool: string, subject: string, work: Work) => Promise<Report>
}

interface ToolboxOptions {
  lookups: Lookups
  createFetcher: (findAddresses: FindAddresses) => Fetcher
  now: () => number
  /** User agent of fetches. It tells the owner of the server which program reads, and why. */
  userAgent: string
  /** Set by tests, whose servers use other ports. Absent: 443 only. */
  isAnyPort?: boolean
}

const MOST_AT_ONCE = 100
const RETRY_AFTER_SECONDS = 2
/** Lifetime of a report in the cache. Shorter if a look-up failed. */
const KEPT_MS = 60_000
const KEPT_UNKNOWN_MS = 5_000
const MOST_KEPT = 2_000
const MOST_KEPT_CHARACTERS = 16_000_000
const LONGEST_KEPT = 1_000_000

type Work = (context: ToolContext) => Promise<Check<unknown>>

interface Performed {
  report: Report
  /** Nothing is unknown, so a repeated check would find the same. */
  isSettled: boolean
}

/** All tools of one process, within limits for all callers together. */
export function createToolbox(options: ToolboxOptions): Toolbox {
  const { lookups, now } = options
  const cachedReports = new Map<string, KeptReport & { until: number }>()
  const underWay = new Map<string, Promise<KeptReport>>()
  let characters = 0
  let running = 0

  async function perform(tool: string, subject: string, work: Work) {
    if (running >= MOST_AT_ONCE) throw tooBusy()
    running++
    const signal = AbortSignal.timeout(MOST_RUN_MS)
    // Each waiting look-up adds a listener.
    setMaxListeners(2 * MOST_QUESTIONS, signal)
    try {
      const budget = { mostQuestions: MOST_QUESTIONS, mostBytes: MOST_DNS_BYTES, signal }
      const own = lookups.within(budget)
      const check = await work({ lookups: own, fetch: fetchBy(options, own, signal), now })
      const checkedAt = new Date(now()).toISOString()
      const report = { tool, subject, ...check, lookups: own.askedCount(), checkedAt }
      const isUnknown = check.findings.some(({ severity }) => severity === 'unknown')
      return { report, isSettled: !isUnknown && own.unansweredCount() === 0 }
    } finally {
      running--
    }
  }

  function keep(key: string, { report, isSettled }: Performed): KeptReport {
    const entry = { report, json: JSON.stringify(report) }
    if (entry.json.length > LONGEST_KEPT) return entry
    drop(key)
    cachedReports.set(key, { ...entry, until: now() + (isSettled ? KEPT_MS : KEPT_UNKNOWN_MS) })
    characters += entry.json.length
    for (const oldest of cachedReports.keys()) {
      if (cachedReports.size <= MOST_KEPT && characters <= MOST_KEPT_CHARACTERS) break
      drop(oldest)
    }
    return entry
  }

  function drop(key: string): void {
    characters -= cachedReports.get(key)?.json.length ?? 0
    cachedReports.delete(key)
  }

  return {
    run: async (tool, subject, work) => (await perform(tool, subject, work)).report,
    check: async (tool, subject, input) => {
      const key = JSON.stringify([tool, input])
      const cachedReport = cachedReports.get(key)
      if (cachedReport && now() < cachedReport.until) return cachedReport
      const shared = underWay.get(key)
      if (shared) return shared
      // One signature for all tools: the relation of `tool` and `input` in the type is lost here.
      const work = CHECKS[tool] as (context: ToolContext, input: unknown) => Promise<Check<unknown>>
      const promise = perform(tool, subject, (context) => work(context, input))
        .then((performed) => keep(key, performed))
        .finally(() => underWay.delete(key))
      underWay.set(key, promise)
      return promise
    },
  }
}

const tooBusy = (): AppError =>
  new AppError('RATE_LIMITED', 'Too many checks are running. Try again in a moment.', {
    reason: 'tools_busy',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

const addressesBy =
  ({ ask }: BudgetedLookup): FindAddresses =>
  async (name) => {
    const answers = await Promise.all([ask(name, 'A'), ask(name, 'AAAA')])
    const addresses = answers.flatMap((answer) => (answer.status === 'found' ? answer.values : []))
    const isSilent = answers.some(({ status }) => status === 'failed')
    if (addresses.length === 0 && isSilent) throw new FetchError('dns_unanswered')
    return addresses
  }

/** Fetches once, without redirects. A timeout is a FetchError. */
function fetchBy(
  { createFetcher, userAgent, isAnyPort = false }: ToolboxOptions,
  lookup: BudgetedLookup,
  signal: AbortSignal,
): ToolContext['fetch'] {
  const fetcher = createFetcher(addressesBy(lookup))
  return async (url, mostBytes) => {
    if (!isAnyPort && URL.canParse(url) && new URL(url).port !== '') {
      throw new FetchError('request_refused', 'The port is not allowed')
    }
    try {
      const headers = { 'user-agent': userAgent }
      const limits = { timeoutMs: MOST_RUN_MS, mostBytes, signal }
      return await fetcher.send({ url, method: 'GET', headers, ...limits })
    } catch (error) {
      if (signal.aborted) throw new FetchError('timeout')
      throw error
    }
  }
}
