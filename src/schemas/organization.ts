import { type Static, Type } from 'typebox'
import { PLANS } from '../domain/plan.ts'
import { LONGEST_NAME } from '../domain/text.ts'
import { Count, ID, Id, line, nullable, oneOf, strict, TIME, Time } from './common.ts'

const unlimited = nullable({ ...Count, description: 'Null: unlimited.' })

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
      usage: { connections: 2, members: 5, apiKeys: 3 },
      scopes: ['full'],
      createdAt: TIME,
      updatedAt: TIME,
    },
  ],
})
export type Organization = Static<typeof Organization>

/** What is read-only may come along and is ignored: get, edit, patch works. */
export const OrganizationPatch = strict(
  {
    name: line(LONGEST_NAME),
    ...Object.fromEntries(
      Object.keys(organization)
        .filter((name) => name !== 'name')
        .map((name) => [name, Type.Optional(Type.Unknown({ description: 'Ignored.' }))]),
    ),
  },
  { title: 'OrganizationPatch', examples: [{ name: 'Alice & Sons' }] },
)
