import { MAIL_REASONS, type MailReason } from '../../domain/delivery/mail-reasons.ts'

const WORDS: Record<MailReason, string> = {
  contact_deleted: 'The contact was deleted',
  no_address: 'They have no email address',
  unsubscribed: 'They have unsubscribed',
  bounced: 'Their address has bounced before',
  suppressed: 'Their address is on the suppression list',
  complained: 'They have complained before',
  topic_unsubscribed: 'They do not subscribe to the topic',
  execution_ended: 'Their execution of the workflow had ended',
  not_awaited: 'They had confirmed already, or had left',
  address_changed: 'Their address was changed meanwhile',
  cancelled: 'It was cancelled',
  missing_value: 'A value that their mail needs is missing',
  bad_subject: 'Their subject cannot be sent',
  too_large: 'Their mail would be too large',
  render_timeout: 'Their mail took too long to make',
  render_failed: 'Their mail could not be made of the content',
  no_confirm_link: 'Their mail would have no link to confirm',
  content_lost: 'What it says could not be read any more',
  message_rejected: 'AWS refused the mail',
  bad_request: 'AWS does not take the mail or its address',
  not_found: 'AWS does not find what the mail needs',
  validation: 'AWS does not take the mail or its address',
  provider_refused: 'AWS refused the mail',
  not_accepted: 'AWS never got the mail, and the batch was over',
  unknown_outcome: 'Nobody knows whether AWS took the mail, and it was not sent again',
}

const isKnown = (reason: string): reason is MailReason =>
  MAIL_REASONS.some((known) => known === reason)

/** Why somebody was not mailed, in words. A newer reason is shown as it is. */
export function reasonWords(reason: string | null): string {
  if (reason === null) return 'AWS may have taken the mail: its events decide'
  return isKnown(reason) ? WORDS[reason] : reason.replaceAll('_', ' ')
}
