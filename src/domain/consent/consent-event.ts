/** Where a change of consent came from. */
export type ConsentSource =
  | 'api'
  | 'import'
  | 'link'
  | 'preferences'
  | 'confirmation'
  | 'event'
  | 'expiry'
  | 'workflow'

/** What changed. */
export type ConsentKind =
  | 'requested'
  | 'subscribed'
  | 'unsubscribed'
  | 'expired'
  | 'resubscribed'
  | 'bounced'
  | 'suppressed'
  | 'complained'
