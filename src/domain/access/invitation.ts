import { type Role, ROLES, mayManage } from './access.ts'

const DAY_MS = 86_400_000

/** Lifetime of a link. Sending an invitation again starts it anew. */
export const INVITATION_MS = 7 * DAY_MS

/** Period of the two limits of invitation mails. */
export const INVITATION_WINDOW_MS = DAY_MS
/** Invitation mails of an organization in a window, since they leave as the operator's own mail. */
const MOST_INVITATION_MAILS = 50
/** Invitation mails to one address in a window, whatever was revoked in between. */
const MOST_MAILS_TO_ADDRESS = 3

/** Returns the roles that a member with this role may not invite. Undefined: no longer a member. */
export const rolesBeyond = (role: Role | undefined): Role[] =>
  ROLES.filter((other) => role === undefined || !mayManage(role, other))

interface Mailed {
  count: number
  oldestAt: string | null
}

/**
 * Milliseconds until one more invitation may be mailed, 0 if it may be now. `now` is in
 * milliseconds.
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
