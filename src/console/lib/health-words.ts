const REASONS: Record<string, string> = {
  sending_disabled: 'AWS has switched sending off for this account. Look into its SES console.',
  bounce_pause:
    'So many mails bounce that AWS may pause the account. Mail only people who asked for it.',
  complaint_pause:
    'So many people complain that AWS may pause the account. Stop, and look at what you sent.',
  enforcement_probation: 'AWS reviews the account. Answer the case in the AWS support console.',
  bounce_review:
    'Many mails bounce: AWS may review the account. Clean the list before the next batch.',
  complaint_review: 'Many people complain: AWS may review the account. Look at what you sent last.',
  quota_high: 'Most of the 24-hour quota is used. Batches wait when it is used up.',
  no_configuration_set:
    'No mail was accepted with the configuration set of the setup file. Run the file again.',
  no_events: 'No delivery event has come yet. They come with the first mail.',
  events_missing:
    'Mail leaves, but no delivery events come. Check the event rule of the setup file.',
  event_queue_denied: 'AWS does not let us read the event queue. Run the setup file again.',
  event_queue_missing: 'The event queue is gone. Run the setup file again.',
  event_queue_throttled: 'AWS slows reading of the event queue down. It is tried again by itself.',
  event_queue_failed: 'The event queue did not answer. It is tried again by itself.',
  events_not_kept: 'Too many events came that are not about your mail. Narrow the event rule.',
}

const ENFORCEMENT = /^enforcement_(.+)$/

/** Why an account is not healthy, and what to do. Newer reasons are shown as they are. */
export function healthSentence(reason: string): string {
  const known = REASONS[reason]
  if (known !== undefined) return known
  const [, status] = ENFORCEMENT.exec(reason) ?? []
  if (status !== undefined)
    return `AWS has put the account on “${status}”. Answer its case at AWS support.`
  return reason.replaceAll('_', ' ')
}
