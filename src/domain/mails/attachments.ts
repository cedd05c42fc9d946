export interface Attachment {
  filename: string
  /** Undefined: the type follows from the name. */
  contentType?: string | undefined
  /** Name in `cid:` links of the HTML. The file is shown there and not listed. */
  contentId?: string | undefined
  /** Base64 (RFC 4648, 4). */
  content: string
}

const CALENDAR = /^text\/calendar\s*;/i
const METHOD = /;\s*method="?([a-z-]+)"?\s*(?:;|$)/i

/**
 * Returns the method of an attachment that is an invitation or an answer to one (RFC 6047, 2.4),
 * such as `REQUEST`; undefined: it is none.
 */
export function calendarMethod({ contentType = '' }: Attachment): string | undefined {
  return CALENDAR.test(contentType) ? METHOD.exec(contentType)?.[1]?.toUpperCase() : undefined
}

/** Limit for one mail. A mail reader that lists more shows none of them. */
export const MOST_ATTACHMENTS = 20
/** Bytes of the attachments of one mail, decoded. */
export const MOST_ATTACHED_BYTES = 10 * 1024 * 1024

/** Number of bytes that a base64 text stands for. */
export function decodedBytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return (text.length / 4) * 3 - padding
}
