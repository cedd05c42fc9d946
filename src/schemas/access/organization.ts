import { type Static, Type } from 'typebox'
import { PLANS } from '../../domain/access/plan.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import { Count, ID, Id, line, nullable, oneOf, strict, TIME, Time } from '../common.ts'
import { COLOR } from '../patterns.ts'

const unlimited = nullable({ ...Count, description: 'Null: unlimited.' })

const Color = Type.String({
  pattern: COLOR,
  examples: ['#1f4fd8'],
})
const branding = {
  accentColor: nullable({ ...Color, description: 'Of the buttons. Null: ours.' }),
  backgroundColor: nullable({ ...Color, description: 'Around the text. Null: ours.' }),
}

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
  }),
  usage: Type.Object({
    connections: { ...Count, description: 'Disconnected ones do not count.' },
    members: Count,
    apiKeys: { ...Count, description: 'Revoked and expired ones do not count.' },
    events: { ...Count, description: 'Accepted this month, UTC.' },
  }),
  branding: Type.Object(branding, {
    description: 'The look of the pages where people unsubscribe, confirm and choose.',
  }),
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
      },
      usage: { connections: 2, members: 5, apiKeys: 3, events: 48210 },
      branding: { accentColor: '#1f4fd8', backgroundColor: null },
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
  }),
}

/** What is read-only may come along and is ignored: get, edit, patch works. */
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
