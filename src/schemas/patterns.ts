import { LINE } from '../domain/text.ts'

// The patterns of texts that come in.

export const SLUG = '^[a-z0-9-]{1,100}$'
export const STEP_ID = '^[A-Za-z0-9_-]{1,100}$'
export const TIME_OF_DAY = '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$'
export const ACCOUNT_NUMBER = '^[0-9]{12}$'
/** Only standard topics deliver over HTTPS (SNS developer guide). */
export const SNS_TOPIC = '^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}$'
/** URL of a standard queue. The connection decides which queue is allowed. */
export const SQS_QUEUE_URL =
  '^https://sqs\\.[a-z0-9-]{1,30}\\.amazonaws\\.com(\\.cn)?/[0-9]{12}/[A-Za-z0-9_-]{1,80}$'
/** Without `@` and `/`, so that one path parameter can be an external id or an address. */
export const EXTERNAL_ID = '^[^@/\\u0000-\\u001f\\u007f]+$'
export const AUDIT_ACTION = '^[a-z_]+\\.[a-z_]+$'
/** A selector as in the names of DKIM and BIMI records. */
export const SELECTOR = '^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$'
export const COLOR = '^#[0-9a-f]{6}$'
/** Up to ten lines, separated by line feeds. */
export const ADDRESS_LINES = '^[^\\p{Cc}]+(?:\\n[^\\p{Cc}]+){0,9}$'
const MEDIA_NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}'
/** A parameter of a media type: `method=REQUEST`, `charset="utf-8"` (RFC 2045, 5.1). */
const PARAMETER = '[A-Za-z0-9!#$&^_.+-]+=(?:[A-Za-z0-9!#$&^_.+-]+|"[ !#-\\[\\]-~]*")'
/** `image/png` (RFC 6838, 4.2), or `text/calendar; method=REQUEST`. */
export const MEDIA_TYPE = `^${MEDIA_NAME}/${MEDIA_NAME}(?: ?; ?${PARAMETER}){0,8}$`
export const CONTENT_ID = '^[A-Za-z0-9._@-]{1,200}$'
export const TAG = '^[A-Za-z0-9_-]+$'

/** Printable ASCII, without a blank at its ends. */
export const IDEMPOTENCY_KEY = '^[!-~](?:[ -~]{0,253}[!-~])?$'

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
export const ID_LIST = `^${UUID}(?:,${UUID})*$`
export const WORD_LIST = '^[a-z]+(?:,[a-z]+)*$'
export const DOMAIN_LIST = '^[^,@\\s]+(?:,[^,@\\s]+)*$'

/** Requirements of each pattern in words, since nobody should have to read the pattern. */
export const PATTERN_WORDS: ReadonlyMap<string, string> = new Map([
  [IDEMPOTENCY_KEY, 'must be 1 to 255 printable ASCII characters, without a blank at its ends'],
  [LINE, 'must not contain control characters'],
  [SLUG, 'must be 1 to 100 small letters, digits and hyphens'],
  [STEP_ID, 'must be 1 to 100 letters, digits, hyphens and underscores'],
  [TIME_OF_DAY, 'must be a time of day such as 09:30'],
  [ACCOUNT_NUMBER, 'must be the 12 digits of an AWS account'],
  [SNS_TOPIC, 'must be the ARN of an SNS standard topic'],
  [SQS_QUEUE_URL, 'must be the URL of an SQS standard queue'],
  [EXTERNAL_ID, 'must not contain @, / or control characters'],
  [AUDIT_ACTION, 'must be an action such as session.ended'],
  [ADDRESS_LINES, 'must be at most ten lines without other control characters'],
  [MEDIA_TYPE, 'must be a media type such as application/pdf or text/calendar; method=REQUEST'],
  [CONTENT_ID, 'must be 1 to 200 letters, digits, dots, hyphens, underscores and @'],
  [TAG, 'must have letters, digits, underscores and hyphens only'],
  [SELECTOR, 'must be letters, digits, dots, hyphens and underscores, such as selector1'],
  [ID_LIST, 'must be ids, which are UUIDs, separated by commas'],
  [WORD_LIST, 'must be words separated by commas'],
  [DOMAIN_LIST, 'must be domains separated by commas'],
  [COLOR, 'must be a color such as #1f4fd8: six hexadecimal digits in small letters'],
])
