/**
 * Why a mail did not leave: `reason` of a recipient, of a log, of an event of a workflow. Skipped
 * ones were decided by us, failed ones also by the provider. The set is open: readers show a reason
 * that they do not know as it is.
 */
export const MAIL_REASONS = [
  // Skipped when the mail was claimed.
  'contact_deleted',
  'no_address',
  'unsubscribed',
  'bounced',
  'suppressed',
  'complained',
  'topic_unsubscribed',
  'execution_ended',
  'not_awaited',
  'address_changed',
  'cancelled',
  // Failed when it was made.
  'missing_value',
  'bad_subject',
  'too_large',
  'render_timeout',
  'render_failed',
  'no_confirm_link',
  'content_lost',
  // Failed at the provider.
  'message_rejected',
  'bad_request',
  'not_found',
  'validation',
  'provider_refused',
  // Failed when a doubt was decided.
  'not_accepted',
  'unknown_outcome',
] as const
export type MailReason = (typeof MAIL_REASONS)[number]
