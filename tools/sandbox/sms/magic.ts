import { conflict, notFound, type SmsRefusal, smsRefusal, validation } from './errors.ts'

/**
 * Fictional numbers of the United States whose last two digits decide what becomes of a text. Every
 * other number gets its text.
 */
const PREFIX = '+155501000'

/** What the carriers report in the end. `NONE`: nothing, ever. `PENDING`: nothing final. */
export type Report =
  | 'DELIVERED'
  | 'INVALID'
  | 'UNREACHABLE'
  | 'CARRIER_UNREACHABLE'
  | 'BLOCKED'
  | 'CARRIER_BLOCKED'
  | 'SPAM'
  | 'TTL_EXPIRED'
  | 'INVALID_MESSAGE'
  | 'PROTECT_BLOCKED'
  | 'UNKNOWN'
  | 'PENDING'
  | 'NONE'

const REPORTS: Record<string, Report> = {
  '01': 'INVALID',
  '02': 'UNREACHABLE',
  '03': 'CARRIER_UNREACHABLE',
  '04': 'BLOCKED',
  '05': 'CARRIER_BLOCKED',
  '06': 'SPAM',
  '07': 'TTL_EXPIRED',
  '08': 'INVALID_MESSAGE',
  '09': 'PROTECT_BLOCKED',
  '10': 'UNKNOWN',
  '11': 'NONE',
  '12': 'PENDING',
}

const REFUSALS: Record<string, () => SmsRefusal> = {
  '20': () => conflict('DESTINATION_PHONE_NUMBER_OPTED_OUT', 'opted-out-number'),
  '21': () => conflict('DESTINATION_PHONE_NUMBER_NOT_VERIFIED', 'verified-destination-number'),
  '22': () =>
    conflict('DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION', 'protect-configuration'),
  '23': () =>
    conflict(
      'DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE',
      'protect-configuration',
    ),
  '24': () => validation('INVALID_PARAMETER', 'DestinationPhoneNumber'),
  '25': () => validation('COUNTRY_NOT_ENABLED'),
  '26': () => validation('DESTINATION_COUNTRY_BLOCKED'),
  '27': () => validation('INVALID_IDENTITY_FOR_DESTINATION_COUNTRY'),
  '28': () => validation('PRICE_OVER_THRESHOLD'),
  '29': () => conflict('NO_ORIGINATION_IDENTITIES_FOUND', 'phone-number'),
  '30': () => conflict('NUMBER_CAPABILITIES_MISMATCH', 'phone-number'),
  '31': () => conflict('MESSAGE_TYPE_MISMATCH', 'phone-number'),
  '32': () => notFound('phone-number'),
  '33': () => smsRefusal(400, 'ThrottlingException', 'Rate exceeded'),
  '34': () => smsRefusal(500, 'InternalServerException', 'An internal error has occurred.'),
  '35': () =>
    smsRefusal(400, 'AccessDeniedException', 'The account is disabled.', {
      Reason: 'ACCOUNT_DISABLED',
    }),
}

const digitsOf = (destination: string): string =>
  destination.startsWith(PREFIX) ? destination.slice(PREFIX.length) : ''

export const refusalOf = (destination: string): SmsRefusal | undefined =>
  REFUSALS[digitsOf(destination)]?.()

export const reportOf = (destination: string): Report =>
  REPORTS[digitsOf(destination)] ?? 'DELIVERED'
