import { ApplicationFailure, Context } from '@temporalio/activity'
import type { Audience, Criterion, SegmentFailure } from '../../src/domain/audience/audience.ts'
import { hashedId } from '../../src/runtime/ids.ts'
import { pageOfIds } from '../../src/core/audience/pages.ts'
import { segmentAudience } from '../../src/core/audience/segment-audience.ts'
import { admit } from '../../src/core/flows/admission.ts'
import * as flowSchedules from '../../src/store/flows/schedules.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import {
  hasState,
  isRefusedValue,
  QUERY_CANCELED,
  type Sql,
  transact,
} from '../../src/store/db/sql.ts'
import type { FireScheduleInput } from '../../workflows/contract.ts'

const PAGE = 1_000
/**
 * Waiting outbox messages above which no page is written, since all other messages would wait
 * behind it.
 */
const BACKLOG = 1_000
const WAIT_MS = 2_000
const MOST_SLOW_ATTEMPTS = 5

export interface FireScheduleDeps {
  sql: Sql
  schedulePage?: number
  scheduleBacklog?: number
}

type Page = Required<FireScheduleInput>

export interface PageOutcome {
  /** No contact comes after this page, or the flow no longer runs by this schedule. */
  isLast: boolean
  after: string | null
  waitMs: number
}

/**
 * Returns the audience of a schedule at its moment. Undefined: it cannot be determined, so it is
 * empty.
 */
async function membersOf(
  sql: Sql,
  organizationId: string,
  segmentId: string | undefined,
  moment: string,
): Promise<Criterion | undefined> {
  return segmentId === undefined
    ? { type: 'all' }
    : segmentAudience(sql, organizationId, segmentId, moment)
}

/** Returns why a condition cannot be evaluated, if trying again is useless. */
function failureOf(error: unknown): SegmentFailure | undefined {
  if (isRefusedValue(error)) return 'segment_not_usable'
  // A busy server may have been slow once; a condition that is slow again and again is too slow.
  return hasState(error, QUERY_CANCELED) && countSlow() >= MOST_SLOW_ATTEMPTS
    ? 'segment_too_slow'
    : undefined
}

function countSlow(): number {
  const context = Context.current()
  const former: unknown = context.info.heartbeatDetails
  const slow = (typeof former === 'number' ? former : 0) + 1
  context.heartbeat(slow)
  return slow
}

const MESSAGES: Record<SegmentFailure, string> = {
  segment_not_usable: 'the segment cannot be evaluated',
  segment_too_slow: 'the contacts of the segment take too long to find',
}

export function createFlowScheduleActivities(deps: FireScheduleDeps) {
  const { sql, schedulePage: limit = PAGE, scheduleBacklog: backlog = BACKLOG } = deps

  /**
   * Starts a flow for a page of contacts, on behalf of one moment of its schedule. Does nothing
   * when the flow is disabled, deleted or no longer has a schedule; and waits while many outbox
   * messages do.
   */
  async function fireSchedulePage(page: Page): Promise<PageOutcome> {
    const { organizationId, flowId, firedFor, after } = page
    const flow = await flowSchedules.find(sql, flowId)
    if (flow?.organizationId !== organizationId) {
      await flowSchedules.giveUp(sql, page)
      return { isLast: true, after, waitMs: 0 }
    }
    await flowSchedules.recordProgress(sql, page)
    if ((await outbox.countWaiting(sql, backlog)) >= backlog) {
      return { isLast: false, after, waitMs: WAIT_MS }
    }
    const { segmentId } = flow.trigger
    const members = await membersOf(sql, organizationId, segmentId, firedFor)
    if (!members) return fail(page, 'segment_not_usable')
    const there: Audience = [members, { type: 'filters', createdUntil: firedFor }]
    const { rows, next } = await pageOfIds(sql, organizationId, there, { after, limit }).catch(
      async (error: unknown) => {
        const failure = segmentId === undefined ? undefined : failureOf(error)
        if (failure === undefined) throw error
        return fail(page, failure)
      },
    )
    const { version, settings } = flow
    await transact(sql, (tx) =>
      admit(
        tx,
        organizationId,
        rows.map(({ id }) => ({
          flow: { id: flowId, version, settings },
          contactId: id,
          data: { scheduledFor: firedFor },
          dedupeKey: hashedId('schedule', flowId, firedFor, id),
        })),
        undefined,
      ),
    )
    const isLast = next === undefined
    if (isLast) await flowSchedules.recordSuccess(sql, page)
    return { isLast, after: next ?? rows.at(-1)?.id ?? after, waitMs: 0 }
  }

  /** Ends the moment for good. It starts no further contact, and the flow shows the reason. */
  async function fail(page: Page, type: SegmentFailure): Promise<never> {
    await flowSchedules.recordFailure(sql, page, type)
    throw ApplicationFailure.create({ type, message: MESSAGES[type], nonRetryable: true })
  }

  return { fireSchedulePage }
}
