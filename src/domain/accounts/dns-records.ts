import { domainOf, type Identity, isDomain } from './identity.ts'

export const RECORD_PURPOSES = ['dkim', 'mail_from', 'dmarc'] as const
type RecordPurpose = (typeof RECORD_PURPOSES)[number]
export const RECORD_TYPES = ['CNAME', 'MX', 'TXT'] as const
export type RecordType = (typeof RECORD_TYPES)[number]
/**
 * - found: as required; missing: no record exists
 * - different: another record has its place; unknown: no server answered in time
 */
export const RECORD_STATES = ['found', 'missing', 'different', 'unknown'] as const
export type RecordState = (typeof RECORD_STATES)[number]

export interface WantedRecord {
  purpose: RecordPurpose
  type: RecordType
  name: string
  /**
   * Value of the record. An MX record begins with its preference: `10
   * feedback-smtp.eu-west-1.amazonses.com`.
   */
  value: string
}

/** Records of a name, each as one text. `unknown`: no server answered. */
export type Answer = readonly string[] | 'unknown'

const DEFAULT_ZONE = 'dkim.amazonses.com'
const SPF = 'v=spf1 include:amazonses.com ~all'
const DMARC = 'v=DMARC1; p=none;'
/** Parent names that DMARC reads (RFC 9989, 4.10), without those of the registries. */
const MOST_PARENTS = 4

/**
 * Returns the records that an identity needs (SES developer guide: Easy DKIM, custom MAIL FROM
 * domain; RFC 9989 for DMARC, with the weakest policy). Empty for an address, since the records of
 * its domain count. Records of the customer's own keys are not known.
 */
export function wantedRecords(identity: Identity, region: string): WantedRecord[] {
  const domain = identity.identity.toLowerCase()
  if (!isDomain(domain)) return []
  const { dkim, mailFromDomain } = identity
  const isOurs = dkim?.signingAttributesOrigin !== 'EXTERNAL'
  const zone = dkim?.signingHostedZone ?? DEFAULT_ZONE
  const tokens = isOurs ? (dkim?.tokens ?? []) : []
  const from = mailFromDomain?.domain.toLowerCase()
  return [
    ...tokens.map((token) => ({
      purpose: 'dkim' as const,
      type: 'CNAME' as const,
      name: `${token}._domainkey.${domain}`,
      value: `${token}.${zone}`,
    })),
    ...(from === undefined
      ? []
      : [
          {
            purpose: 'mail_from' as const,
            type: 'MX' as const,
            name: from,
            value: `10 feedback-smtp.${region}.amazonses.com`,
          },
          { purpose: 'mail_from' as const, type: 'TXT' as const, name: from, value: SPF },
        ]),
    { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: DMARC },
  ]
}

/**
 * Returns the names where a record may be. DMARC is inherited from parent names, and the nearest
 * answer wins.
 */
export function placesOf({ purpose, name }: WantedRecord): string[] {
  if (purpose !== 'dmarc') return [name]
  const labels = domainOf(name).split('.').slice(1)
  const parents: string[] = []
  for (let from = 0; labels.length - from >= 2 && parents.length <= MOST_PARENTS; from++) {
    parents.push(`_dmarc.${labels.slice(from).join('.')}`)
  }
  return parents
}

/** Filters the texts of a name. Other services use the same name, and their texts do not count. */
const about = (record: WantedRecord, texts: readonly string[]): readonly string[] => {
  if (record.type !== 'TXT') return texts
  const pattern = record.purpose === 'dmarc' ? /^v=dmarc1\b/i : /^v=spf1(?: |$)/i
  return texts.filter((text) => pattern.test(text))
}

/**
 * Compares a name's records with the required one. Returns the state and the records that concern
 * it.
 */
export function compareRecord(
  record: WantedRecord,
  answer: Answer,
): { state: RecordState; found: string[] } {
  if (answer === 'unknown') return { state: 'unknown', found: [] }
  const foundTexts = [...about(record, answer)]
  if (foundTexts.length === 0) return { state: 'missing', found: foundTexts }
  return { state: isRight(record, foundTexts) ? 'found' : 'different', found: foundTexts }
}

function isRight({ purpose, type, value }: WantedRecord, texts: readonly string[]): boolean {
  const [first = ''] = texts
  if (purpose === 'dmarc') return texts.length === 1
  // Of two SPF records neither counts (RFC 7208, 4.5).
  if (type === 'TXT')
    return texts.length === 1 && /(?:^|\s)\+?include:amazonses\.com(?:\s|$)/i.test(first)
  // A second MX record makes SES refuse the domain.
  return texts.length === 1 && host(first) === host(value)
}

/** Returns the host of a record, without the preference of an MX record. */
const host = (text: string): string => text.replace(/^\d+ /, '').replace(/\.$/, '').toLowerCase()
