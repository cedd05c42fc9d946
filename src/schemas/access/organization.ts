import { type Static, Type } from 'typebox'
import { PLANS } from '../../domain/access/plan.ts'
import { LANGUAGES, TEXT_NAMES, TEXTS, type TextName } from '../../domain/content/wording.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import { Count, ID, Id, line, nullable, oneOf, strict, TIME, Time } from '../common.ts'
import { ADDRESS_LINES, COLOR } from '../patterns.ts'

const LONGEST_TEXT = 500

const unlimited = nullable({ ...Count, description: 'Null: unlimited.' })

const Color = Type.String({
  pattern: COLOR,
  examples: ['#1f4fd8'],
})
const branding = {
  accentColor: nullable({
    ...Color,
    description:
      'Color of buttons and links. Links in mails are darkened if they would not be readable on white. Null for the default.',
  }),
  backgroundColor: nullable({
    ...Color,
    description: 'Color around the text. Null for the default.',
  }),
  language: oneOf(LANGUAGES, {
    description:
      'Language of public pages, confirmation emails and the links at the end of marketing mail.',
  }),
  postalAddress: nullable(
    Type.String({
      minLength: 1,
      maxLength: 300,
      pattern: ADDRESS_LINES,
      description:
        'Postal address in every marketing mail, at the place of `{{ organization.postalAddress }}` or at the end. Lines are separated by line feeds.',
      examples: ['1 Main Street\nSpringfield'],
    }),
  ),
}

const text = (name: TextName) =>
  nullable(line(LONGEST_TEXT, { description: `Null for the default, in English “${TEXTS[name]}”` }))
const ownTexts = strict(
  Object.fromEntries(TEXT_NAMES.map((name) => [name, Type.Optional(text(name))])),
)

const organization = {
  id: Id,
  name: Type.String(),
  plan: oneOf(PLANS),
  limits: Type.Object({
    requestsPerMinute: Count,
    requestsPerDay: Count,
    eventsPerMonth: unlimited,
    connections: unlimited,
    workflows: unlimited,
    storedBytes: nullable({
      ...Count,
      description:
        'Limit of stored bytes. Above it, templates, batches, single mail and imports are refused with 402, and mailing steps of workflows fail with `plan_limit`. Null: unlimited.',
    }),
  }),
  usage: Type.Object({
    connections: { ...Count, description: 'Disconnected connections are not counted.' },
    members: Count,
    apiKeys: { ...Count, description: 'Revoked and expired keys are not counted.' },
    events: { ...Count, description: 'Events accepted in this UTC month.' },
    storedBytes: {
      ...Count,
      description:
        'Bytes of templates and their versions, contents of batches, single mail (for 7 days, without `retainBody` until it is sent), mail of workflows (as long as its log), responses of 8 KiB and more stored for an `Idempotency-Key` (for a day), and import reports (for 30 days).',
    },
  }),
  branding: Type.Object(
    {
      ...branding,
      texts: Type.Record(Type.String(), Type.String(), {
        description: 'Your own texts by name. They replace the default texts.',
      }),
    },
    {
      description:
        'Appearance and texts of mails and of the pages where people unsubscribe, confirm and choose topics.',
    },
  ),
  scopes: Type.Array(Type.String(), { description: 'Scopes of the credentials of this request.' }),
  createdAt: Time,
  updatedAt: Time,
}

export const Organization = Type.Object(organization, {
  title: 'Organization',
  examples: [
    {
      id: ID,
      name: 'Alice Ltd',
      plan: 'growth',
      limits: {
        requestsPerMinute: 2000,
        requestsPerDay: 200000,
        eventsPerMonth: 250000,
        connections: null,
        workflows: null,
        storedBytes: 107374182400,
      },
      usage: { connections: 2, members: 5, apiKeys: 3, events: 48210, storedBytes: 73400320 },
      branding: {
        accentColor: '#1f4fd8',
        backgroundColor: null,
        language: 'en',
        postalAddress: '1 Main Street\nSpringfield',
        texts: { 'unsubscribe.button': 'Yes, stop the mails' },
      },
      scopes: ['full'],
      createdAt: TIME,
      updatedAt: TIME,
    },
  ],
})
export type Organization = Static<typeof Organization>

const changes = {
  name: line(LONGEST_NAME),
  branding: strict({
    accentColor: Type.Optional(branding.accentColor),
    backgroundColor: Type.Optional(branding.backgroundColor),
    language: Type.Optional(branding.language),
    postalAddress: Type.Optional(branding.postalAddress),
    texts: Type.Optional(ownTexts),
  }),
}

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
export const OrganizationPatch = strict(
  {
    name: Type.Optional(changes.name),
    branding: Type.Optional(changes.branding),
    ...Object.fromEntries(
      Object.keys(organization)
        .filter((name) => !Object.hasOwn(changes, name))
        .map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored.' }))]),
    ),
  },
  {
    title: 'OrganizationPatch',
    anyOf: [
      { properties: { name: changes.name }, required: ['name'] },
      { properties: { branding: changes.branding }, required: ['branding'] },
    ],
    examples: [{ name: 'Alice & Sons' }, { branding: { accentColor: '#7a3e2c' } }],
  },
)
