/** Limit of a mail's custom headers. */
export const MOST_HEADERS = 50

/** Headers that other fields, SES or we set, in lower case. */
const REFUSED = new Set([
  'from',
  'sender',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'return-path',
  'mime-version',
  'feedback-id',
  // Recipients and senders by other names, which mail servers act on or show.
  'apparently-to',
  'bounces-to',
  'delivered-to',
  'envelope-to',
  'errors-to',
  'original-recipient',
  'return-receipt-to',
  'x-original-to',
])
const REFUSED_BEGINNINGS = [
  'arc-',
  'authentication-results',
  'content-',
  'dkim-',
  'domainkey-',
  'list-',
  // `Received` and `Received-SPF`: the trace of a mail is its servers'.
  'received',
  // Sent on by somebody else (RFC 5322, 3.6.6): their address would be shown as the sender's.
  'resent-',
  'x-ses-',
]

/** Returns whether callers may not set this header. */
export function isRefusedHeader(name: string): boolean {
  const small = name.toLowerCase()
  return REFUSED.has(small) || REFUSED_BEGINNINGS.some((beginning) => small.startsWith(beginning))
}
