import type { AppError, ErrorCode } from '../../src/domain/errors.ts'

/**
 * Reply code of each refusal. The enhanced status code (RFC 3463) follows from it: 4.3.0 "try
 * again", 4.2.2 "no room", 5.6.0 "the content", 5.7.8 "the credentials".
 */
const REPLIES: Record<ErrorCode, number> = {
  BAD_REQUEST: 554,
  MALFORMED_REQUEST: 554,
  VALIDATION_FAILED: 554,
  PAYLOAD_TOO_LARGE: 554,
  FORBIDDEN: 554,
  NOT_FOUND: 554,
  REQUEST_FAILED: 554,
  UNAUTHORIZED: 535,
  PAYMENT_REQUIRED: 452,
  // A message with its key is being stored at this moment.
  CONFLICT: 451,
  RATE_LIMITED: 451,
  INTERNAL_ERROR: 451,
}
/** A reply has at most 512 characters (RFC 5321, 4.5.3.1.5), with its codes. */
const LONGEST_REPLY = 480

export class Reply extends Error {
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(asciiOf(message).slice(0, LONGEST_REPLY))
    this.responseCode = responseCode
  }
}

export const replyOf = ({ code, message }: AppError): Reply => new Reply(REPLIES[code], message)

/** Replies are in US-ASCII (RFC 5321, 2.4). */
const asciiOf = (text: string): string => text.replaceAll('’', "'").replace(/[^ -~]/g, '?')
