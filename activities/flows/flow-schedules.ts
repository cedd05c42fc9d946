import type { Audience } from '../../src/domain/audience/audience.ts'
import { hashedId } from '../../src/ids.ts'
import * as audience from '../../src/store/audience/audience.ts'
import { admit } from '../../src/core/flows/admission.ts'
import * as flowSchedules from '../../src/store/flows/schedules.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import type { FireScheduleInput } from '../../workflows/contract.ts'

/** Contacts of one page, which is one transaction. */
const PAGE = 1_000
/** Waiting outbox messages: above it no page is written, or all others would wait behind it. */
const BACKLOG = 1_000
const WAIT_MS = 2_000

export interface FireScheduleDeps {
  sql: Sql
  /** Tests make them small. */
  schedulePage?: number
  scheduleBacklog?: number
}

type Page = Required<FireScheduleInput>

export interface PageOutcome {
  /** No contact comes after this page, or the flow no longer runs by this schedule. */
  isLast: boolean
  after: string | null
  /** Before the next page. */
  waitMs: number
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
    // Segments have no contacts yet, and a flow that names one cannot be saved.
    if (flow?.organizationId !== organizationId || flow.trigger.segmentId !== undefined) {
      return { isLast: true, after, waitMs: 0 }
    }
    if ((await outbox.countWaiting(sql, backlog)) >= backlog) {
      return { isLast: false, after, waitMs: WAIT_MS }
    }
    const everybody: Audience = [{ type: 'all' }, { type: 'filters', createdUntil: firedFor }]
    const contacts = await audience.listIds(sql, organizationId, everybody, { after, limit })
    const { version, settings } = flow
    await transact(sql, (tx) =>
      admit(
        tx,
        organizationId,
        contacts.map(({ id }) => ({
          flow: { id: flowId, version, settings },
          contactId: id,
          data: { scheduledFor: firedFor },
          dedupeKey: hashedId('schedule', flowId, firedFor, id),
        })),
        undefined,
      ),
    )
    const last = contacts.at(-1)?.id ?? after
    return { isLast: contacts.length < limit, after: last, waitMs: 0 }
  }

  return { fireSchedulePage }
}
