import { LINE } from '../domain/text.ts'

// The patterns of texts that come in.

export const SLUG = '^[a-z0-9-]{1,100}$'
export const STEP_ID = '^[A-Za-z0-9_-]{1,100}$'
export const TIME_OF_DAY = '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$'
export const ACCOUNT_NUMBER = '^[0-9]{12}$'
/** Only standard topics deliver over HTTPS (SNS developer guide). */
export const SNS_TOPIC = '^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_-]{1,256}$'
/** No `@` and no `/`, so that one path parameter tells an external id from an address. */
export const EXTERNAL_ID = '^[^@/\\u0000-\\u001f\\u007f]+$'
export const AUDIT_ACTION = '^[a-z_]+\\.[a-z_]+$'
export const COLOR = '^#[0-9a-f]{6}$'

/** What a text must be that fits a pattern: nobody should have to read the pattern. */
export const PATTERN_WORDS: ReadonlyMap<string, string> = new Map([
  [LINE, 'must not contain control characters'],
  [SLUG, 'must be 1 to 100 small letters, digits and hyphens'],
  [STEP_ID, 'must be 1 to 100 letters, digits, hyphens and underscores'],
  [TIME_OF_DAY, 'must be a time of day such as 09:30'],
  [ACCOUNT_NUMBER, 'must be the 12 digits of an AWS account'],
  [SNS_TOPIC, 'must be the ARN of an SNS standard topic'],
  [EXTERNAL_ID, 'must not contain @, / or control characters'],
  [AUDIT_ACTION, 'must be an action such as session.ended'],
  [COLOR, 'must be a color such as #1f4fd8: six hexadecimal digits in small letters'],
])
