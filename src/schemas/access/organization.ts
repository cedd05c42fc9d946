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
      'Of the buttons, and of links in mails, there as dark as white needs it. Null: ours.',
  }),
  backgroundColor: nullable({ ...Color, description: 'Around the text. Null: ours.' }),
  language: oneOf(LANGUAGES, {
    description: 'Of public pages, confirmation mails and the links at the end of marketing mail.',
  }),
  postalAddress: nullable(
    Type.String({
      minLength: 1,
      maxLength: 300,
      pattern: ADDRESS_LINES,
      description:
        'Stands in every marketing mail: as `{{ organization.postalAddress }}`, else at its end. Lines are separated by line feeds.',
      examples: ['1 Main Street\nSpringfield'],
    }),
  ),
}

const text = (name: TextName) =>
  nullable(line(LONGEST_TEXT, { description: `Null: ours, in English “${TEXTS[name]}”` }))
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
        'When so many are stored, templates, batches, single mail and imports are refused with 402. Null: unlimited.',
    }),
  }),
  usage: Type.Object({
    connections: { ...Count, description: 'Disconnected ones do not count.' },
    members: Count,
    apiKeys: { ...Count, description: 'Revoked and expired ones do not count.' },
    events: { ...Count, description: 'Accepted this month, UTC.' },
    storedBytes: {
      ...Count,
      description:
        'Of templates and their versions, contents of batches, single mail (for 7 days, without `retainBody` until it is sent), answers kept for an `Idempotency-Key` of 8 KiB and more (for a day), and reports of imports (for 30 days).',
    },
  }),
  branding: Type.Object(
    {
      ...branding,
      texts: Type.Record(Type.String(), Type.String(), {
        description: 'Your own texts in the place of ours, by name.',
      }),
    },
    {
      description:
        'How mails and the pages where people unsubscribe, confirm and choose look, and what they say.',
    },
  ),
  scopes: Type.Array(Type.String(), { description: 'What the caller may do.' }),
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
