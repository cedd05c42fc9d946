import { domainOf, type Identity, isDomain } from './identity.ts'

/** What a record is for. */
export const RECORD_PURPOSES = ['dkim', 'mail_from', 'dmarc'] as const
type RecordPurpose = (typeof RECORD_PURPOSES)[number]
export const RECORD_TYPES = ['CNAME', 'MX', 'TXT'] as const
export type RecordType = (typeof RECORD_TYPES)[number]
/**
 * - found: it is as it should be; missing: there is none
 * - different: there is another in its place; unknown: no server answered in time
 */
export const RECORD_STATES = ['found', 'missing', 'different', 'unknown'] as const
export type RecordState = (typeof RECORD_STATES)[number]

/** A record that an identity needs in its zone. */
export interface WantedRecord {
  purpose: RecordPurpose
  type: RecordType
  name: string
  /** Of an MX record with its preference in front: `10 feedback-smtp.eu-west-1.amazonses.com`. */
  value: string
}

/** Records of a name, each as one text; `unknown`: there was no answer. */
export type Answer = readonly string[] | 'unknown'

const DEFAULT_ZONE = 'dkim.amazonses.com'
const SPF = 'v=spf1 include:amazonses.com ~all'
const DMARC = 'v=DMARC1; p=none;'
/** Names above a domain that DMARC looks at (RFC 9989, 4.10), less those of the registries. */
const MOST_PARENTS = 4

/**
 * The records that an identity needs (SES developer guide: Easy DKIM, custom MAIL FROM domain;
 * RFC 9989 for DMARC, of which the weakest policy is suggested). None for an address: its domain's
 * are what counts. Keys that the customer brought are the customer's: their records are not known.
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
 * Where a record may be: DMARC is inherited from the names above. The nearest that answers wins.
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

/** Texts of a name that are about something else: other services share it. */
const about = (record: WantedRecord, found: readonly string[]): readonly string[] => {
  if (record.type !== 'TXT') return found
  const wanted = record.purpose === 'dmarc' ? /^v=dmarc1\b/i : /^v=spf1(?: |$)/i
  return found.filter((text) => wanted.test(text))
}

/** Whether the name holds what it should, and which of its records speak of that. */
export function compareRecord(
  record: WantedRecord,
  answer: Answer,
): { state: RecordState; found: string[] } {
  if (answer === 'unknown') return { state: 'unknown', found: [] }
  const found = [...about(record, answer)]
  if (found.length === 0) return { state: 'missing', found }
  return { state: isRight(record, found) ? 'found' : 'different', found }
}

function isRight({ purpose, type, value }: WantedRecord, found: readonly string[]): boolean {
  const [first = ''] = found
  if (purpose === 'dmarc') return found.length === 1
  // Of two SPF records neither counts (RFC 7208, 4.5).
  if (type === 'TXT')
    return found.length === 1 && /(?:^|\s)\+?include:amazonses\.com(?:\s|$)/i.test(first)
  // A second MX record makes SES refuse the domain.
  return found.length === 1 && host(first) === host(value)
}

/** The host; the preference of an MX record does not belong to it. */
const host = (text: string): string => text.replace(/^\d+ /, '').replace(/\.$/, '').toLowerCase()
