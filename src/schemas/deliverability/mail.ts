import { type Static, Type } from 'typebox'
import { Count, nullable, oneOf, strict } from '../common.ts'
import { reportOf } from './report.ts'

// The tools that are about a text: an address, a header, a mail, a record to write.

/** Limit of a pasted mail, in characters. Gmail clips mail at 102 KB. */
export const LONGEST_MAIL = 262_144
const LONGEST_TEXT_ADDRESS = 320
const MOST_REPORT_ADDRESSES = 5

const text = (description?: string) => Type.String(description === undefined ? {} : { description })
const orNull = (description?: string) => nullable(text(description))
const POLICIES = ['none', 'quarantine', 'reject'] as const

export const AddressInput = strict(
  {
    address: Type.String({
      minLength: 1,
      maxLength: LONGEST_TEXT_ADDRESS,
      examples: ['ann@example.com'],
    }),
  },
  { examples: [{ address: 'ann@example.com' }] },
)

export const HeadersInput = strict(
  {
    headers: Type.String({
      minLength: 1,
      maxLength: LONGEST_MAIL,
      description:
        'Header of the mail, as “show original” displays it. A body after the header is ignored.',
      examples: ['From: Ann <ann@example.com>\nDate: Mon, 23 Nov 2026 12:00:00 +0000'],
    }),
  },
  { examples: [{ headers: 'From: Ann <ann@example.com>' }] },
)

export const MailInput = strict(
  {
    message: Type.String({
      minLength: 1,
      maxLength: LONGEST_MAIL,
      description: 'The complete mail as it was received, unchanged. It is not stored.',
      examples: [
        'From: Ann <ann@example.com>\nList-Unsubscribe: <https://example.com/u/1>\n\nHello',
      ],
    }),
  },
  { examples: [{ message: 'From: Ann <ann@example.com>' }] },
)

const ReportAddresses = Type.Optional(
  Type.Array(Type.String({ format: 'email', maxLength: 255, examples: ['dmarc@example.com'] }), {
    maxItems: MOST_REPORT_ADDRESSES,
  }),
)

export const DmarcInput = strict(
  {
    domain: Type.String({ minLength: 1, maxLength: 1_024, examples: ['example.com'] }),
    policy: oneOf(POLICIES, { description: 'Policy for mail that fails the check.' }),
    subdomainPolicy: Type.Optional(oneOf(POLICIES)),
    aggregateReports: ReportAddresses,
    failureReports: ReportAddresses,
    strictDkim: Type.Optional(
      Type.Boolean({ description: '`true` if the signing domain must equal the domain in From.' }),
    ),
    strictSpf: Type.Optional(
      Type.Boolean({
        description: '`true` if the domain of the return path must equal the domain in From.',
      }),
    ),
  },
  {
    examples: [{ domain: 'example.com', policy: 'none', aggregateReports: ['dmarc@example.com'] }],
  },
)
export type DmarcInput = Static<typeof DmarcInput>

const signature = {
  domain: text(),
  selector: text(),
  algorithm: text(),
  covers: Type.Array(text(), { description: 'Covered header fields, in lower case.' }),
  isAligned: Type.Boolean({
    description: '`true` if the domain belongs to the organization of the From address.',
  }),
}

export const AddressReport = reportOf(
  {
    title: 'AddressReport',
    tool: 'validate-address',
    example: { address: 'ann@example.com', isRole: false, suggestion: null },
  },
  Type.Object({
    address: orNull('As it would be mailed; null: it is no address.'),
    isRole: Type.Boolean(),
    suggestion: orNull('What may be meant.'),
  }),
)

export const HeaderReport = reportOf(
  {
    title: 'HeaderReport',
    tool: 'headers',
    example: {
      from: 'ann@example.com',
      returnPath: null,
      messageId: null,
      date: null,
      hops: [],
      authentication: [
        { server: 'mx.example.org', method: 'spf', result: 'pass', domain: 'example.com' },
      ],
      signatures: [],
      fields: 1,
    },
  },
  Type.Object({
    from: orNull(),
    returnPath: orNull(),
    messageId: orNull(),
    date: orNull(),
    hops: Type.Array(
      Type.Object({
        from: orNull(),
        by: orNull(),
        at: orNull(),
        delaySeconds: nullable(Type.Integer()),
        isEncrypted: Type.Boolean(),
      }),
      { description: 'Servers that the mail passed, in order.' },
    ),
    authentication: Type.Array(
      Type.Object({
        server: text(),
        method: text(),
        result: text(),
        domain: orNull('Whose mail it is by this method; null: it does not say.'),
      }),
      { description: 'Results recorded by the receiving server.' },
    ),
    signatures: Type.Array(Type.Object(signature)),
    fields: Count,
  }),
)

export const UnsubscribeReport = reportOf(
  {
    title: 'UnsubscribeReport',
    tool: 'unsubscribe-check',
    example: {
      from: 'example.com',
      listUnsubscribe: '<https://example.com/u/1>',
      listUnsubscribePost: 'List-Unsubscribe=One-Click',
      addresses: ['https://example.com/u/1'],
      signatures: [],
      isOneClick: true,
    },
  },
  Type.Object({
    from: orNull('Its domain.'),
    listUnsubscribe: orNull(),
    listUnsubscribePost: orNull(),
    addresses: Type.Array(text(), {
      description: 'Addresses in List-Unsubscribe. The check does not call them.',
    }),
    signatures: Type.Array(
      Type.Object({
        ...signature,
        result: oneOf(['pass', 'fail', 'unknown'] as const),
        reason: orNull(),
      }),
    ),
    isOneClick: Type.Boolean({ description: '`true` if all requirements of RFC 8058 are met.' }),
  }),
)

export const DmarcRecordReport = reportOf(
  {
    title: 'DmarcRecordReport',
    tool: 'dmarc-generator',
    example: { name: '_dmarc.example.com', type: 'TXT', value: 'v=DMARC1; p=reject' },
  },
  Type.Object({
    name: Type.String({ examples: ['_dmarc.example.com'] }),
    type: oneOf(['TXT'] as const),
    value: Type.String({ examples: ['v=DMARC1; p=none; rua=mailto:dmarc@example.com'] }),
  }),
)
