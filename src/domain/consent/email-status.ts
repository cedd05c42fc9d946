import { type EmailStatus, worse } from '../status.ts'

export interface StatusRequest {
  /** Status of the contact. Null: it is new, or has no address or a new one. */
  current: EmailStatus | null
  /** Reason of the suppression entry of its address after the write. */
  listed: EmailStatus | undefined
  requestedStatus: EmailStatus | undefined
  resubscribe: boolean
}

export interface StatusDecision {
  status: EmailStatus
  isKept: boolean
  resubscribed: boolean
}

/**
 * Decides the status of a contact. A write only makes it worse, so that no sync tool resubscribes a
 * person who unsubscribed; only `active` together with `resubscribe` makes it better.
 */
export function decideStatus({
  current,
  listed,
  requestedStatus,
  resubscribe,
}: StatusRequest): StatusDecision {
  const before = worse(current ?? 'active', listed ?? 'active')
  if (requestedStatus === undefined) return { status: before, isKept: false, resubscribed: false }
  if (requestedStatus === 'active' && resubscribe) {
    return { status: 'active', isKept: false, resubscribed: before !== 'active' }
  }
  const status = worse(before, requestedStatus)
  return { status, isKept: status !== requestedStatus, resubscribed: false }
}
