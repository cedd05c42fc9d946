import { type Clock, keepMembership, markDue, type SetAside } from '../core/flows/membership.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'
import type { WorkNotices } from './work-notices.ts'

const IDLE_MS = 100
const DUE_IDLE_MS = 1_000
/** Contacts of one statement. */
const DUE = 1_000

interface Deps {
  sql: Sql
  log: Log
  /** Instead of Postgres' own, for tests in which days pass. */
  clock?: Clock | undefined
  notices?: WorkNotices | undefined
}

/**
 * Keeps the members of segments that something waits for: looks at the contacts of which something
 * was written, or for which time has passed, organization by organization.
 */
export function startMembershipKeeper({ sql, log, clock, notices }: Deps): {
  stop(): Promise<void>
} {
  const onFailure = (organization: string, error: unknown) =>
    log.error({ err: error, organization }, 'members of segments could not be brought up to date')
  const onSetAside = ({
    organizationId: organization,
    segmentId,
    failure,
    until,
    error,
  }: SetAside) =>
    log.warn(
      { err: error, organization, segment: segmentId, reason: failure, until },
      'a segment is set aside: nobody enters or leaves it for now',
    )
  const loops = [
    startLoop({
      name: 'membership-keeper',
      idleMs: IDLE_MS,
      log,
      notices,
      channel: 'dirty_contacts',
      round: () => keepMembership({ sql, clock, onFailure, onSetAside }),
    }),
    startLoop({
      name: 'membership-deadlines',
      idleMs: DUE_IDLE_MS,
      log,
      round: () => markDue({ sql, clock }, DUE),
    }),
  ]
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
