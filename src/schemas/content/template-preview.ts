import { type Static, Type } from 'typebox'
import { CONTACT_FIELDS, eachLine } from '../../domain/contacts/contact-fields.ts'
import { MOST_PROPERTIES } from '../../domain/contacts/properties.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import {
  accountNames,
  Address,
  Count,
  From,
  FromName,
  ID,
  Id,
  nullable,
  oneOf,
  strict,
  warnings,
} from '../common.ts'
import { lines } from '../contacts/contact.ts'
import { EXAMPLE_CHECKS, MailChecks } from './mail-check.ts'

const MOST_VARIABLES = 200
const Values = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { maxProperties: MOST_PROPERTIES, description })
const text = (maxLength: number) => Type.Optional(nullable(Type.String({ maxLength })))
const { externalId, phone } = CONTACT_FIELDS

const SampleContact = strict({
  externalId: text(externalId.most),
  email: Type.Optional(Address()),
  phone: text(phone.most),
  ...eachLine((field) => Type.Optional(nullable(lines[field]))),
  properties: Type.Optional(Values('As `contact.properties`.')),
})

const EXAMPLE_CONTACT = { firstName: 'Ada', properties: { plan: 'pro' } }

const sample = {
  contactId: Type.Optional(
    Type.String({ maxLength: 36, description: 'Contact whose mail is shown.' }),
  ),
  contact: Type.Optional({
    ...SampleContact,
    description:
      'A sample contact instead of a stored one. Missing fields are missing in the mail, too. Without a contact and a sample, Ada Lovelace is used.',
  }),
  variables: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: MOST_VARIABLES,
      description: 'Values of the variables of the template.',
    }),
  ),
  trigger: Type.Optional(strict({ data: Values('As `trigger.data` in mail of workflows.') })),
  event: Type.Optional(
    strict({
      name: Type.String({ maxLength: 255 }),
      properties: Values('As `event.properties` in mail of workflows.'),
    }),
  ),
}

export const TemplatePreviewInput = nullable(
  strict(sample, { title: 'TemplatePreviewInput', examples: [{ contact: EXAMPLE_CONTACT }] }),
)
export type TemplatePreviewInput = NonNullable<Static<typeof TemplatePreviewInput>>

export const TemplatePreview = Type.Object(
  {
    templateId: Id,
    name: Type.String(),
    contactId: nullable(Id),
    email: nullable(Type.String()),
    subject: nullable(Type.String()),
    previewText: nullable(
      Type.String({ description: 'The preview text as written, with its Liquid.' }),
    ),
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    sizeBytes: { ...Count, description: 'Size of the HTML part. Gmail shows 102 KB.' },
    problem: nullable(
      Type.Object(
        { reason: Type.String(), message: Type.String() },
        { description: 'Why this contact gets no mail. The parts of the mail are null then.' },
      ),
    ),
    checks: MailChecks,
    ...warnings,
  },
  {
    title: 'TemplatePreview',
    examples: [
      {
        templateId: ID,
        name: 'Newsletter',
        contactId: null,
        email: 'ada@example.com',
        subject: 'Hello Ada',
        previewText: null,
        html: '<p>Hello Ada. <a>Read more</a></p>',
        text: 'Hello Ada. Read more',
        sizeBytes: 34,
        problem: null,
        checks: EXAMPLE_CHECKS,
      },
    ],
  },
)
export type TemplatePreview = Static<typeof TemplatePreview>

const MOST_TESTED = 5

export const TemplateTestInput = strict(
  {
    to: Type.Array(Address(), {
      minItems: 1,
      maxItems: MOST_TESTED,
      description: 'Addresses that get the test. A repeated address gets one mail.',
    }),
    from: From(),
    fromName: Type.Optional(FromName(LONGEST_NAME)),
    replyTo: Type.Optional(Address()),
    ...sample,
    ...accountNames,
  },
  {
    title: 'TemplateTestInput',
    examples: [
      {
        to: ['editor@example.com'],
        from: 'Example News <news@example.com>',
        contact: EXAMPLE_CONTACT,
      },
    ],
  },
)
export type TemplateTestInput = Static<typeof TemplateTestInput>

export const TemplateTest = Type.Object(
  {
    subject: Type.String(),
    mails: Type.Array(
      Type.Object({
        id: { ...Id, description: 'Id for `GET /v1/email/{id}`.' },
        to: Type.String(),
        status: oneOf(['queued', 'suppressed'] as const, {
          description: '`suppressed`: the address cannot be mailed.',
        }),
      }),
    ),
  },
  {
    title: 'TemplateTest',
    examples: [
      {
        subject: '[Test] Hello Ada',
        mails: [{ id: ID, to: 'editor@example.com', status: 'queued' }],
      },
    ],
  },
)
export type TemplateTest = Static<typeof TemplateTest>
