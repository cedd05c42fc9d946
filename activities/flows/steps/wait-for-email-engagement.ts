import { durationMs } from '../../../src/domain/flows/duration.ts'
import type { Engagement } from '../../../src/domain/flows/steps/wait-for-email-engagement.ts'
import * as engagements from '../../../src/store/flows/engagements.ts'
import * as waits from '../../../src/store/flows/waits.ts'
import type { StepOutcome } from '../../../src/core/flows/moves.ts'
import type { StepRun, StoredStep } from './step.ts'

type Run = StepRun<'wait_for_email_engagement'>

/** Longest delay of a timeout while provider events are stored but not yet applied. */
const LONGEST_LAG_MS = 300_000
const LOOK_AGAIN_MS = 1_000

/**
 * Waits for what the person does with the mail of the last visit of a send_email step, or what
 * becomes of it; earlier engagements count. Without a mail it times out: at once on its first
 * visit, and after its timeout on later ones, so that a loop through it pauses.
 *
 * The row of the mail is the common lock with the transaction that applies the provider's events.
 * What the provider reported before the timeout counts, also where it is applied later.
 */
export const waitForEmailEngagement: StoredStep<'wait_for_email_engagement'> = {
  where: 'local',
  locksContact: false,

  async locks(tx, { execution, step }) {
    await engagements.lockMail(tx, execution.organizationId, {
      executionId: execution.id,
      stepId: step.config.stepId,
    })
  },

  async enter(tx, run) {
    const { execution, step } = run
    const { stepId, events, timeout } = step.config
    const { id: executionId, organizationId, contactId } = execution
    const mail = await engagements.findMail(tx, organizationId, { executionId, stepId })
    const expiresAt = new Date(Date.parse(run.now) + durationMs(timeout)).toISOString()
    if (!mail) return withoutMail(run, run.visit === 1 ? run.now : expiresAt)
    const [first] = engagementsOf(mail, events)
    await waits.registerEngagement(tx, organizationId, {
      ...keyOf(run),
      contactId,
      since: run.enteredAt,
      expiresAt,
      mailId: mail.id,
      engagements: events,
      match: first
        ? { matched: first.engagement, matchedEventId: null, matchedAt: first.at }
        : null,
    })
    return first
      ? came(first.engagement, first.at)
      : { kind: 'wait', status: 'waiting', until: expiresAt }
  },

  async resume(tx, run) {
    const { organizationId } = run.execution
    const wait = await waits.find(tx, organizationId, keyOf(run))
    if (!wait && run.dueAt !== null) return withoutMail(run, run.dueAt)
    if (!wait) return waitForEmailEngagement.enter(tx, run)
    if (wait.status !== 'waiting') return over(wait)
    const late = Date.parse(run.now) - Date.parse(wait.expiresAt)
    if (late < 0) return { kind: 'wait', status: 'waiting', until: wait.expiresAt }
    if (late < LONGEST_LAG_MS && (await engagements.mayBeUnapplied(tx, wait.expiresAt))) {
      const again = new Date(Date.parse(run.now) + LOOK_AGAIN_MS).toISOString()
      return { kind: 'wait', status: 'waiting', until: again }
    }
    await waits.timeOut(tx, organizationId, keyOf(run), run.now)
    // An engagement that was applied in this moment came first, and counts.
    const decided = await waits.find(tx, organizationId, keyOf(run))
    return over(decided ?? wait)
  },
}

const keyOf = ({ execution, step, visit }: Run): waits.WaitKey => ({
  executionId: execution.id,
  stepId: step.id,
  visit,
})

const withoutMail = ({ now }: Run, until: string): StepOutcome =>
  until > now
    ? { kind: 'wait', status: 'waiting', until }
    : { kind: 'skipped', reason: 'no_mail', branch: 'timeout' }

const over = ({ matched, matchedAt }: waits.Wait): StepOutcome =>
  matched !== null && matchedAt !== null
    ? came(matched, matchedAt)
    : { kind: 'done', branch: 'timeout' }

const came = (engagement: string, at: string): StepOutcome => ({
  kind: 'done',
  branch: engagement,
  result: { engagement, at },
})

/** Returns the engagements of the mail, earliest first. A click comes before its open. */
function engagementsOf(
  mail: engagements.EngagedMail,
  awaitedEngagements: readonly Engagement[],
): { engagement: Engagement; at: string }[] {
  const times: Record<Engagement, string | null> = {
    opened: mail.openedAt,
    clicked: mail.clickedAt,
    bounced: mail.bouncedAt,
  }
  return awaitedEngagements
    .flatMap((engagement) => {
      const at = times[engagement]
      return at === null ? [] : [{ engagement, at }]
    })
    .toSorted((a, b) => (`${a.at} ${a.engagement}` < `${b.at} ${b.engagement}` ? -1 : 1))
}
