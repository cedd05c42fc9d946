import { SELECTOR } from '../patterns.ts'
import { type Static, Type } from 'typebox'
import { strict } from '../common.ts'

const LONGEST_SUBJECT = 1_024
const MOST_SELECTORS = 10

const Domain = Type.String({
  minLength: 1,
  maxLength: LONGEST_SUBJECT,
  description: 'A domain. An email address or a web address is reduced to its domain.',
  examples: ['example.com'],
})
const DomainOrIp = Type.String({
  minLength: 1,
  maxLength: LONGEST_SUBJECT,
  description: 'A domain or an IP address.',
  examples: ['example.com', '9.9.9.9'],
})
const Selector = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: SELECTOR,
  description: 'DKIM selector, the `s=` of the DKIM-Signature header.',
  examples: ['selector1'],
})
const Selectors = Type.Optional(
  Type.Array(Selector, {
    maxItems: MOST_SELECTORS,
    description:
      'DKIM selectors. Without them, common selectors are tried. Selectors of Amazon SES cannot be guessed.',
  }),
)

export const DomainParams = strict({ domain: Domain })
export const SubjectParams = strict({ domain: DomainOrIp })
export const DomainInput = strict({ domain: Domain }, { examples: [{ domain: 'example.com' }] })
export const SubjectInput = strict({ domain: DomainOrIp }, { examples: [{ domain: '9.9.9.9' }] })
export const SelectorsInput = strict(
  { domain: Domain, selectors: Selectors },
  { examples: [{ domain: 'example.com', selectors: ['selector1'] }] },
)
export const SelectorQuery = strict({ selector: Type.Optional(Selector) })
const BimiSelector = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 63,
    pattern: SELECTOR,
    description: 'BIMI selector, the `s=` of the BIMI-Selector header. Defaults to `default`.',
    examples: ['default'],
  }),
)
export const BimiQuery = strict({ selector: BimiSelector })
export const BimiInput = strict(
  { domain: Domain, selector: BimiSelector },
  { examples: [{ domain: 'example.com' }] },
)
export const SpfInput = strict(
  {
    domain: Domain,
    ip: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'An IP address. The report then includes whether its mail passes.',
        examples: ['9.9.9.9'],
      }),
    ),
    sender: Type.Optional(
      Type.String({
        format: 'email',
        maxLength: 255,
        description: 'Envelope sender. Defaults to postmaster of the domain.',
        examples: ['ann@example.com'],
      }),
    ),
    helo: Type.Optional(
      Type.String({ maxLength: 253, description: 'HELO name. Defaults to the domain.' }),
    ),
  },
  { examples: [{ domain: 'example.com', ip: '9.9.9.9' }] },
)
export type SpfInput = Static<typeof SpfInput>
