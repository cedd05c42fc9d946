import { type Clock, keepMembership, markDue, type SetAside } from '../core/flows/membership.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'
import type { WorkNotices } from './work-notices.ts'

const IDLE_MS = 100
const DUE_IDLE_MS = 1_000
const DUE = 1_000

interface Deps {
  sql: Sql
  log: Log
  /** Absent: Postgres' own clock. Tests in which days pass set another. */
  clock?: Clock | undefined
  notices?: WorkNotices | undefined
}

/**
 * Updates the stored members of watched segments, organization by organization: evaluates contacts
 * that were written, or for which time has passed.
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
