export type ConsentSource =
  | 'api'
  | 'import'
  | 'link'
  | 'preferences'
  | 'confirmation'
  | 'event'
  | 'expiry'
  | 'workflow'

export type ConsentKind =
  | 'requested'
  | 'subscribed'
  | 'unsubscribed'
  | 'expired'
  | 'resubscribed'
  | 'bounced'
  | 'suppressed'
  | 'complained'
