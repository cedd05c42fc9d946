import type { Schemas } from '../../client/index.ts'

type Check = Schemas['ConnectionVerificationChecksItem']

const NAMES: Record<string, string> = {
  role: 'We can assume the role',
  external_id: 'The role asks for its external id',
  'ses:GetAccount': 'Reading quota and state of the account',
  'ses:SendEmail': 'Sending mail',
  'ses:SendBulkEmail': 'Sending mail in bulk',
  'ses:ListEmailIdentities': 'Listing senders',
  'ses:GetEmailIdentity': 'Reading senders',
  'cloudwatch:GetMetricData': 'Reading bounce and complaint rates',
  'iam:GetRolePolicy': 'Reading what its role may do',
}

/** What a check looks at. One that is newer than this page is called as IAM calls it. */
export const checkName = (name: string): string => NAMES[name] ?? name

/** What to do about a check that is not in order. */
export function cureOf({ name, error }: Check): string {
  switch (error) {
    case 'role_refused':
      return 'AWS does not let us in. Run the setup file in this account and region; a new role may take a minute.'
    case 'external_id_not_required':
      return 'The role lets anybody in who knows its name. Run the setup file again: it asks for the external id.'
    case 'denied':
      return `The role does not allow ${name}. Run the newest setup file.`
    case 'no_sending_rate':
      return 'The account may not send at all. Ask AWS for production access in its SES console.'
    case 'throttled':
    case 'no_answer':
      return 'AWS did not answer in time. It is asked again.'
    case 'not_tried':
    case undefined:
      return 'It is looked at once the checks before it are in order.'
    default:
      return error
  }
}

const IDENTITY_STATES: Record<string, { tone: 'good' | 'busy' | 'bad' | 'waiting'; word: string }> =
  {
    SUCCESS: { tone: 'good', word: 'Verified' },
    PENDING: { tone: 'busy', word: 'Being verified' },
    NOT_STARTED: { tone: 'waiting', word: 'Not begun' },
    TEMPORARY_FAILURE: { tone: 'busy', word: 'Being verified again' },
    FAILED: { tone: 'bad', word: 'Not verified' },
  }

/** Where an identity stands. Pending is no failure: AWS may take an hour to see a record. */
export const identityState = (status: string | null) =>
  IDENTITY_STATES[status ?? 'NOT_STARTED'] ?? { tone: 'waiting' as const, word: status ?? '' }

const RECORD_PURPOSES: Record<string, string> = {
  dkim: 'Signature (DKIM)',
  mail_from: 'Return address (MAIL FROM)',
  dmarc: 'Policy (DMARC)',
}
export const purposeName = (purpose: string): string => RECORD_PURPOSES[purpose] ?? purpose

const RECORD_STATES: Record<string, { tone: 'good' | 'careful' | 'waiting'; word: string }> = {
  found: { tone: 'good', word: 'Seen' },
  missing: { tone: 'waiting', word: 'Not seen yet' },
  different: { tone: 'careful', word: 'Another record is there' },
  unknown: { tone: 'waiting', word: 'No answer' },
}

/** What our own resolver sees of a record. */
export const recordState = (state: string) =>
  RECORD_STATES[state] ?? { tone: 'waiting' as const, word: state }
