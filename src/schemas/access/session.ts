import { type Static, Type } from 'typebox'
import { ROLES } from '../../domain/access/access.ts'
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../domain/access/login.ts'
import {
  Address,
  Count,
  Cursor,
  ID,
  Id,
  limit,
  NextCursor,
  oneOf,
  strict,
  TIME,
  Time,
} from '../common.ts'

/** An existing password. Only its length is checked. */
const Password = Type.String({ minLength: 1, maxLength: LONGEST_PASSWORD })

export const LoginInput = strict(
  {
    email: Address(),
    password: Password,
    organizationId: Type.Optional({
      ...Id,
      description: 'Organization of the session. Defaults to the one that you joined first.',
    }),
  },
  {
    title: 'LoginInput',
    examples: [{ email: 'alice@example.com', password: 'correct horse battery' }],
  },
)

const token = {
  token: Type.String({
    description: 'Token for the Authorization header. It is returned only once.',
  }),
  expiresAt: {
    ...Time,
    description: 'When the session expires. It expires earlier if it is not used for 14 days.',
  },
  organizationId: { ...Id, description: 'Organization of the session.' },
}

const TOKEN = {
  token: 'loomses_3fY7aQ2x9Kp0Vn5Tr8Lw1Zc4Bm6Hs2Dj7Gq3Xe9Ya5Uf0R1kT2b',
  expiresAt: TIME,
  organizationId: ID,
}

const OrganizationOfPerson = Type.Object({
  id: Id,
  name: Type.String(),
  role: oneOf(ROLES),
})

export const Login = Type.Object(
  {
    ...token,
    user: Type.Object({ id: Id, email: Type.String(), name: Type.String() }),
    organizations: Type.Array(OrganizationOfPerson),
  },
  {
    title: 'Login',
    examples: [
      {
        ...TOKEN,
        user: { id: ID, email: 'alice@example.com', name: 'Alice' },
        organizations: [{ id: ID, name: 'Alice Ltd', role: 'owner' }],
      },
    ],
  },
)

const PERSON = {
  user: { id: ID, email: 'alice@example.com', name: 'Alice' },
  organization: { id: ID, name: 'Alice Ltd' },
  role: 'owner',
  scopes: ['full', 'keys', 'members', 'session'],
  organizations: [{ id: ID, name: 'Alice Ltd', role: 'owner' }],
  expiresAt: TIME,
}

export const CurrentSession = Type.Object(
  {
    user: Type.Object({ id: Id, email: Type.String(), name: Type.String() }),
    organization: Type.Object(
      { id: Id, name: Type.String() },
      { description: 'Organization of the session.' },
    ),
    role: oneOf(ROLES, { description: 'Your role in the organization.' }),
    scopes: Type.Array(Type.String(), { description: 'Scopes of the role.' }),
    organizations: Type.Array(OrganizationOfPerson, {
      description: 'All organizations of the person, in the order of joining.',
    }),
    expiresAt: token.expiresAt,
  },
  { title: 'CurrentSession', examples: [PERSON] },
)
export type CurrentSession = Static<typeof CurrentSession>

export const ConsoleLoginInput = strict({
  ...LoginInput.properties,
  keep: Type.Optional(
    Type.Boolean({ description: 'Set to `true` to stay signed in when the browser is closed.' }),
  ),
})

export const SwitchInput = strict(
  { organizationId: Id },
  {
    title: 'SwitchInput',
    examples: [{ organizationId: ID }],
  },
)

export const SwitchedSession = Type.Object(token, { title: 'SwitchedSession', examples: [TOKEN] })

const Session = Type.Object(
  {
    id: Id,
    organizationId: Id,
    organizationName: Type.String(),
    createdAt: Time,
    lastSeenAt: { ...Time, description: 'Time of the last request, to the minute.' },
    expiresAt: Time,
    current: Type.Boolean({ description: '`true` for the session of this request.' }),
  },
  { title: 'Session' },
)

export const SessionListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const SessionList = Type.Object(
  { data: Type.Array(Session), nextCursor: NextCursor },
  {
    title: 'SessionList',
    examples: [
      {
        data: [
          {
            id: ID,
            organizationId: ID,
            organizationName: 'Alice Ltd',
            createdAt: TIME,
            lastSeenAt: TIME,
            expiresAt: TIME,
            current: true,
          },
        ],
        nextCursor: null,
      },
    ],
  },
)

export const EndedSessions = Type.Object(
  { success: Type.Literal(true), ended: Count },
  { title: 'EndedSessions', examples: [{ success: true, ended: 2 }] },
)

export const PasswordInput = strict(
  {
    currentPassword: Password,
    newPassword: Type.String({ minLength: SHORTEST_PASSWORD, maxLength: LONGEST_PASSWORD }),
  },
  {
    title: 'PasswordInput',
    examples: [{ currentPassword: 'correct horse battery', newPassword: 'staple of the horse' }],
  },
)
