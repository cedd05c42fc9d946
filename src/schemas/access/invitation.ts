import { type Static, Type } from 'typebox'
import { ROLES } from '../../domain/access/access.ts'
import { LONGEST_PASSWORD } from '../../domain/access/login.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import {
  Cursor,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  nullable,
  oneOf,
  strict,
  TIME,
  Time,
} from '../common.ts'

const EXAMPLE = {
  id: ID,
  email: 'bob@example.com',
  role: 'member',
  name: 'Bob',
  invitedBy: ID,
  createdAt: TIME,
  expiresAt: TIME,
}

export const Invitation = Type.Object(
  {
    id: Id,
    email: Type.String(),
    role: oneOf(ROLES),
    name: nullable(Type.String({ description: 'As the invitation says; nothing of an account.' })),
    invitedBy: nullable({ ...Id, description: 'The member who did; null: the operator.' }),
    createdAt: Time,
    expiresAt: { ...Time, description: 'When its newest link stops working.' },
  },
  { title: 'Invitation', examples: [EXAMPLE] },
)
export type Invitation = Static<typeof Invitation>

export const InvitationListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const InvitationList = Type.Object(
  { data: Type.Array(Invitation), nextCursor: NextCursor },
  { title: 'InvitationList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)

export const AcceptanceInput = strict(
  {
    password: Type.String({
      minLength: 1,
      maxLength: LONGEST_PASSWORD,
      description:
        'Of the account that has the invited address; else the one that a new account gets, of at least 12 characters.',
    }),
    name: Type.Optional({
      ...line(LONGEST_NAME),
      description: 'What a new account is called. Ignored where there is one.',
    }),
  },
  { title: 'AcceptanceInput', examples: [{ password: 'correct horse battery', name: 'Bob' }] },
)

export const Accepted = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  { title: 'Accepted', examples: [{ success: true, message: 'You are a member now' }] },
)
