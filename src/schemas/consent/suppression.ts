import { type Static, Type } from 'typebox'
import { PHONE_REASONS } from '../../domain/consent/sms-status.ts'
import { CONTACT_FIELDS } from '../../domain/contacts/contact-fields.ts'
import { CHANNELS } from '../../domain/channel.ts'
import { EMAIL_STATUSES } from '../../domain/status.ts'
import {
  Address,
  Cursor,
  ID,
  Id,
  limit,
  NextCursor,
  nullable,
  oneOf,
  strict,
  TIME,
  Time,
} from '../common.ts'

const EMAIL_REASONS = EMAIL_STATUSES.filter((status) => status !== 'active')
const REASONS = [...EMAIL_REASONS, ...PHONE_REASONS]
const SOURCES = ['link', 'event', 'api', 'import'] as const

const suppression = {
  id: Id,
  channel: oneOf(CHANNELS, { description: '`sms`: the entry is of a phone number.' }),
  email: nullable(
    Type.String({
      description:
        'Null if only the hash of the address is known. The entry is effective all the same.',
    }),
  ),
  phone: nullable(
    Type.String({
      description: 'The number of an entry of channel `sms`. Null as `email` is.',
    }),
  ),
  reason: oneOf(REASONS, {
    description: 'Numbers are `opted_out` or `invalid`; the other reasons are of addresses.',
  }),
  source: oneOf(SOURCES, { description: 'Source of the reason.' }),
  createdAt: Time,
  updatedAt: Time,
}

const EXAMPLE = {
  id: ID,
  channel: 'email',
  email: 'ada@example.com',
  phone: null,
  reason: 'bounced',
  source: 'event',
  createdAt: TIME,
  updatedAt: TIME,
}

export const Suppression = Type.Object(suppression, { title: 'Suppression', examples: [EXAMPLE] })
export type Suppression = Static<typeof Suppression>

export const SuppressionInput = strict(
  {
    email: Type.Optional(Address({ examples: ['ada@example.com'] })),
    phone: Type.Optional(
      Type.String({ maxLength: CONTACT_FIELDS.phone.most, examples: ['+4915112345678'] }),
    ),
    reason: Type.Optional(
      oneOf(REASONS, {
        description:
          'Reason of the suppression. Defaults to `suppressed` for an address and to `opted_out` for a number.',
      }),
    ),
  },
  {
    title: 'SuppressionInput',
    description: '`email` or `phone` is required.',
    examples: [{ email: 'ada@example.com' }, { phone: '+4915112345678' }],
  },
)

export type SuppressionInput = Static<typeof SuppressionInput>

export const SuppressionListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  channel: Type.Optional(
    oneOf(CHANNELS, { description: '`email` (default): addresses. `sms`: phone numbers.' }),
  ),
  reason: Type.Optional(oneOf(REASONS)),
  email: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'The complete email address.' }),
  ),
  phone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: CONTACT_FIELDS.phone.most,
      description: 'The complete phone number. Implies the channel `sms`.',
    }),
  ),
})

export const SuppressionList = Type.Object(
  { data: Type.Array(Suppression), nextCursor: NextCursor },
  { title: 'SuppressionList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const SuppressionParams = strict({
  email: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The email address, or the phone number.',
  }),
})
