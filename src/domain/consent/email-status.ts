import { type EmailStatus, worse } from '../status.ts'

/** The status that a write of a contact asks for. */
export interface StatusRequest {
  /** Of the contact; null when it is new, has no address or a new one. */
  current: EmailStatus | null
  /** The reason of the suppression entry of the address that it will have. */
  listed: EmailStatus | undefined
  /** Undefined: the write names no status. */
  asked: EmailStatus | undefined
  /** The caller vouches that the person wants mail again. */
  resubscribe: boolean
}

/** The decision about it. */
export interface StatusDecision {
  status: EmailStatus
  /** A better status was asked for and refused. */
  kept: boolean
  /** The contact is resubscribed: its suppression entry is removed. */
  resubscribed: boolean
}

/**
 * Decides the status of a contact. A write only makes it worse, so that no sync tool resubscribes a
 * person who unsubscribed; only `active` together with `resubscribe` makes it better.
 */
export function decideStatus({
  current,
  listed,
  asked,
  resubscribe,
}: StatusRequest): StatusDecision {
  const before = worse(current ?? 'active', listed ?? 'active')
  if (asked === undefined) return { status: before, kept: false, resubscribed: false }
  if (asked === 'active' && resubscribe) {
    return { status: 'active', kept: false, resubscribed: before !== 'active' }
  }
  const status = worse(before, asked)
  return { status, kept: status !== asked, resubscribed: false }
}
