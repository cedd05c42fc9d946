const REASONS: Record<string, string> = {
  // Skipped by us.
  unsubscribed: 'They have unsubscribed',
  topic_unsubscribed: 'They do not subscribe to the topic any more',
  bounced: 'Their address has bounced before',
  complained: 'They have complained before',
  suppressed: 'Their address is on the suppression list',
  contact_deleted: 'The contact was deleted',
  no_address: 'They have no email address',
  account_suppressed: 'AWS has the address on its suppression list',
  // Failed.
  message_rejected: 'AWS refused the mail',
  sender_rejected: 'AWS refused the sender',
  render_failed: 'Their mail could not be made of the content',
  render_timeout: 'Their mail took too long to make',
  invalid_address: 'AWS does not take the address',
  not_tried: 'The batch stopped before it was their turn',
  unknown_outcome: 'Nobody knows whether AWS took the mail, and it was not sent again',
  unknown: 'Nobody knows whether AWS took the mail, and it was not sent again',
}

/** Why somebody was not mailed, in words. A newer reason is shown as it is. */
export function reasonWords(reason: string | null): string {
  if (reason === null) return 'AWS may have taken the mail: its events decide'
  return REASONS[reason] ?? reason.replaceAll('_', ' ')
}
