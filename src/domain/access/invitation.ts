import { type Role, ROLES, mayManage } from './access.ts'

const DAY_MS = 86_400_000

/** How long a link works. A link that is sent again works as long from then. */
export const INVITATION_MS = 7 * DAY_MS

/** In this time an organization has at most so many invitations mailed … */
export const INVITATION_WINDOW_MS = DAY_MS
/** … in all: they leave as the operator's own mail … */
const MOST_INVITATION_MAILS = 50
/** … and to one address, whatever is revoked and invited again. */
const MOST_MAILS_TO_ADDRESS = 3

/** The roles that somebody of this role may invite nobody as; undefined: no member any more. */
export const rolesBeyond = (role: Role | undefined): Role[] =>
  ROLES.filter((other) => role === undefined || !mayManage(role, other))

interface Mailed {
  count: number
  /** ISO time; null: none. */
  oldestAt: string | null
}

/**
 * After how many milliseconds one more invitation may be mailed; 0: now. `now`: milliseconds.
 */
export function invitationWaitMs(
  { all, toAddress }: { all: Mailed; toAddress: Mailed },
  now: number,
): number {
  return Math.max(
    waitMs(all, MOST_INVITATION_MAILS, now),
    waitMs(toAddress, MOST_MAILS_TO_ADDRESS, now),
  )
}

function waitMs({ count, oldestAt }: Mailed, most: number, now: number): number {
  if (count < most || oldestAt === null) return 0
  return Math.max(1, Date.parse(oldestAt) + INVITATION_WINDOW_MS - now)
}
