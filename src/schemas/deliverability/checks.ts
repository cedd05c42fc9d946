import { Type } from 'typebox'
import { GRADES, WEIGHTS } from '../../domain/deliverability/score.ts'
import { Count, nullable, oneOf } from '../common.ts'
import { Finding, reportOf, Verdict } from './report.ts'

// What each tool that looks something up answers in `details`.

const text = (description?: string) => Type.String(description === undefined ? {} : { description })
const orNull = (description?: string) => nullable(text(description))
const SPF_RESULTS = [
  'none',
  'neutral',
  'pass',
  'fail',
  'softfail',
  'temperror',
  'permerror',
] as const
const POLICIES = ['none', 'quarantine', 'reject'] as const

const SpfNode = Type.Object(
  {
    domain: text(),
    depth: Type.Integer({
      minimum: 0,
      description: 'Depth in the tree. The root is 0, the records that it includes are 1.',
    }),
    record: orNull(),
    status: oneOf(['record', 'none', 'many', 'failed', 'skipped', 'loop'] as const, {
      description: '`skipped`: beyond the limit, or dependent on the mail.',
    }),
    problem: orNull('What is wrong with its syntax.'),
    terms: Type.Array(
      Type.Object({
        text: text('As it is written.'),
        lookups: Type.Integer({
          minimum: 0,
          description: 'Look-ups of this term and of everything that it leads to.',
        }),
        isVoid: Type.Boolean({ description: '`true` if the look-up finds nothing.' }),
        isUnanswered: Type.Boolean({ description: '`true` if the look-up was not answered.' }),
        problem: orNull('Why receivers stop here with a permerror.'),
        leadsTo: orNull('The domain of `include` and `redirect`.'),
      }),
    ),
  },
  { title: 'SpfNode' },
)

export const SpfReport = reportOf(
  {
    title: 'SpfReport',
    tool: 'spf-check',
    example: {
      record: 'v=spf1 -all',
      lookups: 0,
      mostLookups: 10,
      voidLookups: 0,
      mostVoidLookups: 2,
      all: '-',
      nodes: [],
      evaluation: null,
    },
  },
  Type.Object({
    record: orNull(),
    lookups: Type.Integer({
      minimum: 0,
      description: 'Look-ups that a receiver makes (RFC 7208, 4.6.4).',
    }),
    mostLookups: Count,
    voidLookups: Type.Integer({ minimum: 0, description: 'Look-ups that find nothing.' }),
    mostVoidLookups: Count,
    all: orNull(
      'What happens to mail that nothing matches: `-`, `~`, `?` or `+`; of the record that redirects lead to.',
    ),
    nodes: Type.Array(SpfNode, { description: 'All records that were read.' }),
    evaluation: nullable(
      Type.Object({
        ip: text(),
        sender: text(),
        result: oneOf(SPF_RESULTS),
        term: orNull('The mechanism that decided.'),
        reason: orNull(),
      }),
    ),
  }),
)

const DkimKey = Type.Object({
  selector: text(),
  name: text(),
  record: text(),
  keyType: text(),
  bits: nullable(
    Type.Integer({
      description: 'Length of the key. Null if the key was revoked or cannot be read.',
    }),
  ),
  isTesting: Type.Boolean(),
  isRevoked: Type.Boolean(),
})

export const DkimReport = reportOf(
  {
    title: 'DkimReport',
    tool: 'dkim-check',
    example: { keys: [], tried: ['selector1'] },
  },
  Type.Object({ keys: Type.Array(DkimKey), tried: Type.Array(text()) }),
)

export const DmarcReport = reportOf(
  {
    title: 'DmarcReport',
    tool: 'dmarc-check',
    example: {
      record: 'v=DMARC1; p=reject',
      foundAt: '_dmarc.example.com',
      organizationalDomain: 'example.com',
      effectivePolicy: 'reject',
    },
  },
  Type.Object({
    record: orNull(),
    foundAt: orNull('The name that has it.'),
    organizationalDomain: orNull('By the public suffix list.'),
    effectivePolicy: nullable(oneOf(POLICIES)),
    policy: Type.Optional(nullable(oneOf(POLICIES))),
    subdomainPolicy: Type.Optional(nullable(oneOf(POLICIES))),
    percent: Type.Optional(Count),
    isTesting: Type.Optional(Type.Boolean({ description: '`true` if the record has `t=y`.' })),
    adkim: Type.Optional(oneOf(['r', 's'] as const)),
    aspf: Type.Optional(oneOf(['r', 's'] as const)),
    rua: Type.Optional(Type.Array(text())),
    ruf: Type.Optional(Type.Array(text())),
  }),
)

export const MxReport = reportOf(
  {
    title: 'MxReport',
    tool: 'mx-check',
    example: {
      hosts: [{ host: 'mx.example.com', priority: 10, addresses: ['192.0.2.1'] }],
      isNull: false,
    },
  },
  Type.Object({
    hosts: Type.Array(
      Type.Object({
        host: text(),
        priority: Count,
        addresses: nullable(
          Type.Array(text(), {
            description: 'Addresses of the host. Null if they were not looked up.',
          }),
        ),
      }),
    ),
    isNull: Type.Boolean({
      description: '`true` if the domain declares that it accepts no mail (RFC 7505).',
    }),
  }),
)

export const MtaStsReport = reportOf(
  {
    title: 'MtaStsReport',
    tool: 'mta-sts-check',
    example: {
      record: 'v=STSv1; id=1',
      id: '1',
      policyUrl: 'https://mta-sts.example.com/.well-known/mta-sts.txt',
      mode: 'enforce',
      maxAgeSeconds: 604_800,
      mx: ['mx.example.com'],
    },
  },
  Type.Object({
    record: orNull(),
    id: orNull(),
    policyUrl: text(),
    mode: nullable(oneOf(['enforce', 'testing', 'none'] as const)),
    maxAgeSeconds: nullable(Count),
    mx: Type.Array(text()),
  }),
)

export const TlsRptReport = reportOf(
  {
    title: 'TlsRptReport',
    tool: 'tls-rpt-check',
    example: { record: 'v=TLSRPTv1; rua=mailto:tls@example.com', rua: ['mailto:tls@example.com'] },
  },
  Type.Object({ record: orNull(), rua: Type.Array(text()) }),
)

export const BimiReport = reportOf(
  {
    title: 'BimiReport',
    tool: 'bimi-check',
    example: { record: null, foundAt: null, logoUrl: null, certificateUrl: null },
  },
  Type.Object({
    record: orNull(),
    foundAt: orNull(),
    logoUrl: orNull(),
    certificateUrl: orNull(),
  }),
)

export const BlocklistReport = reportOf(
  {
    title: 'BlocklistReport',
    tool: 'blocklist-check',
    example: {
      readings: [{ list: 'Spamhaus DBL', entry: 'example.com', state: 'not_listed', codes: [] }],
    },
  },
  Type.Object({
    readings: Type.Array(
      Type.Object({
        list: text(),
        entry: text('An address or a domain.'),
        state: oneOf(['listed', 'not_listed', 'unknown'] as const, {
          description: '`unknown`: the list refused the query or did not answer.',
        }),
        codes: Type.Array(text()),
      }),
    ),
  }),
)

export const ReverseDnsReport = reportOf(
  {
    title: 'ReverseDnsReport',
    tool: 'reverse-dns-check',
    example: { addresses: [{ ip: '192.0.2.1', names: ['mx.example.com'], isConfirmed: true }] },
  },
  Type.Object({
    addresses: Type.Array(
      Type.Object({
        ip: text(),
        names: Type.Array(text()),
        isConfirmed: Type.Boolean({ description: '`true` if a name leads back to the address.' }),
      }),
    ),
  }),
)

const CheckSummary = Type.Object({ verdict: Verdict, summary: text() }, { title: 'ToolCheck' })

export const EmailReport = reportOf(
  {
    title: 'EmailReport',
    tool: 'email-check',
    example: {
      score: 100,
      grade: 'A',
      checks: Object.fromEntries(
        Object.keys(WEIGHTS).map((name) => [
          name,
          { verdict: 'pass', summary: 'No problems were found.' },
        ]),
      ),
    },
    finding: Type.Object({ ...Finding.properties, check: oneOf(Object.keys(WEIGHTS)) }),
  },
  Type.Object({
    score: nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'Null if too little is known for a grade.',
      }),
    ),
    grade: nullable(oneOf(GRADES)),
    checks: Type.Object(
      Object.fromEntries(Object.keys(WEIGHTS).map((name) => [name, CheckSummary])),
    ),
  }),
)
