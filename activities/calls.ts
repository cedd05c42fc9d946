import type { Result } from '../src/store/messages.ts'
import type { Call, Mail, Mailer, Outcome } from './mailer.ts'

/** A claimed row, rendered, or the reason why it cannot be. */
export type Job =
  | { id: string; mail: Mail }
  | { id: string; failed: { reason: string; error: string } }

/** What the calls of one claim say about the account as a whole. */
export interface Verdict {
  throttled: 'rate' | 'quota' | undefined
  unreachable: string | undefined
  unavailable: string | undefined
}

/**
 * Calls the provider for every job of one claim, all at once, and tells what became of each row.
 * Nothing is tried twice: a row that was surely not accepted goes back to `queued`.
 */
export async function callAll(mailer: Mailer, jobs: readonly Job[], call: Call) {
  const verdict: Verdict = { throttled: undefined, unreachable: undefined, unavailable: undefined }
  const results = await Promise.all(
    jobs.map(async (job): Promise<Result> => {
      if ('failed' in job) return { id: job.id, outcome: 'failed', ...job.failed }
      const outcome = await mailer.send(job.mail, call)
      judge(verdict, outcome)
      return settle(job.id, outcome, job.mail.subject)
    }),
  )
  return { results, verdict }
}

function settle(id: string, outcome: Outcome | { kind: 'not_begun' }, subject: string): Result {
  switch (outcome.kind) {
    case 'sent':
      return { id, outcome: 'sent', messageId: outcome.messageId, subject }
    case 'refused':
      return { id, outcome: 'failed', reason: outcome.reason, error: outcome.error }
    case 'unknown':
      return { id, outcome: 'unknown', error: outcome.error }
    case 'not_begun':
    case 'throttled':
    case 'unavailable':
    case 'unreachable':
      return { id, outcome: 'queued' }
  }
}

function judge(verdict: Verdict, outcome: Outcome | { kind: 'not_begun' }): void {
  if (outcome.kind === 'throttled' && verdict.throttled !== 'quota')
    verdict.throttled = outcome.scope
  if (outcome.kind === 'unreachable') verdict.unreachable = outcome.error
  if (outcome.kind === 'unavailable') verdict.unavailable = outcome.reason
}
