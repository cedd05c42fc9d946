/** Refusals for the sender's sake, one after the other, after which a batch stops. */
export const MOST_SENDER_REFUSALS = 20
/** Mails in a row that took too long to make, after which a batch stops. */
const MOST_RENDER_TIMEOUTS = 10
/** The share of the processed that may take too long to make; it counts from a thousand on. */
const RENDER_TIMEOUT_SHARE = 0.01
const LEAST_PROCESSED = 1_000

/** Why a recipient failed whose mail took too long to make. */
export const RENDER_TIMEOUT = 'render_timeout'

/** Why a batch stopped: `sender_rejected` or `render_timeout`. */
export type Trip = 'sender_rejected' | 'render_timeout'

/** What has been counted against an attempt at a batch. */
export interface Troubles {
  /** In a row. */
  senderRefusals: number
  renderTimeouts: number
  renderTimeoutsInRow: number
}

/** What one claim came to. */
export interface ClaimTroubles {
  senderRefusals: number
  renderTimeouts: number
  isAnySent: boolean
}

/**
 * Counts a claim. The calls of a claim are made at once, so that it has no order of its own: one
 * accepted mail ends what came in a row. `isUnbroken`: nothing was accepted since the last count,
 * by any of the batch's claims.
 */
export function count(before: Troubles, claim: ClaimTroubles, isUnbroken: boolean): Troubles {
  const inRow = (counted: number, more: number): number =>
    claim.isAnySent ? 0 : (isUnbroken ? counted : 0) + more
  return {
    senderRefusals: inRow(before.senderRefusals, claim.senderRefusals),
    renderTimeouts: before.renderTimeouts + claim.renderTimeouts,
    renderTimeoutsInRow: inRow(before.renderTimeoutsInRow, claim.renderTimeouts),
  }
}

/** Why the batch stops, of which `processed` recipients have an outcome; undefined: it goes on. */
export function tripOf(troubles: Troubles, processed: number): Trip | undefined {
  if (troubles.senderRefusals >= MOST_SENDER_REFUSALS) return 'sender_rejected'
  const isShareTooLarge =
    processed >= LEAST_PROCESSED && troubles.renderTimeouts > processed * RENDER_TIMEOUT_SHARE
  const isTooSlow = troubles.renderTimeoutsInRow >= MOST_RENDER_TIMEOUTS || isShareTooLarge
  return isTooSlow ? 'render_timeout' : undefined
}
