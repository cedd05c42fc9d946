/** Headers of a mail that its sender's fields, SES or we decide, in small letters. */
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
  'received',
  'mime-version',
  'feedback-id',
])
const REFUSED_BEGINNINGS = ['content-', 'dkim-', 'arc-', 'list-', 'x-ses-']

/** Whether a caller may not give a mail a header of this name. */
export function isRefusedHeader(name: string): boolean {
  const small = name.toLowerCase()
  return REFUSED.has(small) || REFUSED_BEGINNINGS.some((beginning) => small.startsWith(beginning))
}
