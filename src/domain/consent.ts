import { type EmailStatus, worse } from './status.ts'

/** What somebody asks for when writing a contact. */
export interface StatusRequest {
  /** Of the contact; null when it is new, has no address or a new one. */
  current: EmailStatus | null
  /** What the suppression list says of the address it will have. */
  listed: EmailStatus | undefined
  /** Undefined: nothing was said. */
  asked: EmailStatus | undefined
  /** The caller vouches that the person wants mail again. */
  resubscribe: boolean
}

/** What comes of it. */
export interface StatusDecision {
  status: EmailStatus
  /** Something better was asked for than the person's own leaving allows. */
  kept: boolean
  /** The contact is taken back: its entry in the list goes. */
  resubscribed: boolean
}

/**
 * The status that an address gets. It only gets worse, whoever writes it, so that no sync tool
 * brings back somebody who left; only `active` together with `resubscribe` makes it better.
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
