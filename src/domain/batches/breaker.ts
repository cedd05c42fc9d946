/** Consecutive refusals of the sender after which a batch stops. */
export const MOST_SENDER_REFUSALS = 20
/** Consecutive mails that took too long to render, after which a batch stops. */
const MOST_RENDER_TIMEOUTS = 10
/** Share of processed mails that may take too long to render, once there are a thousand. */
const RENDER_TIMEOUT_SHARE = 0.01
const LEAST_PROCESSED = 1_000

/** Failure reason of a recipient whose mail took too long to render. */
export const RENDER_TIMEOUT = 'render_timeout'

/** Reason for which a batch stops: `sender_rejected` or `render_timeout`. */
export type Trip = 'sender_rejected' | 'render_timeout'

/** Troubles of one attempt at a batch. */
export interface Troubles {
  /** Consecutive refusals. */
  senderRefusals: number
  renderTimeouts: number
  renderTimeoutsInRow: number
}

/** Troubles of one claim. */
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

/** Returns why the batch stops after `processed` outcomes, or undefined. */
export function tripOf(troubles: Troubles, processed: number): Trip | undefined {
  if (troubles.senderRefusals >= MOST_SENDER_REFUSALS) return 'sender_rejected'
  const isShareTooLarge =
    processed >= LEAST_PROCESSED && troubles.renderTimeouts > processed * RENDER_TIMEOUT_SHARE
  const isTooSlow = troubles.renderTimeoutsInRow >= MOST_RENDER_TIMEOUTS || isShareTooLarge
  return isTooSlow ? 'render_timeout' : undefined
}
