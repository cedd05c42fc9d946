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
    name: nullable(
      Type.String({ description: 'Name in the invitation. It is not taken from an account.' }),
    ),
    invitedBy: nullable({
      ...Id,
      description: 'Id of the member who sent the invitation. Null if the operator did.',
    }),
    createdAt: Time,
    expiresAt: { ...Time, description: 'When the newest link expires.' },
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
        'If the invited address has an account, its password. Otherwise the password of the new account, of at least 12 characters.',
    }),
    name: Type.Optional({
      ...line(LONGEST_NAME),
      description: 'Name of the new account. Ignored if the address has an account.',
    }),
  },
  { title: 'AcceptanceInput', examples: [{ password: 'correct horse battery', name: 'Bob' }] },
)

export const Accepted = Type.Object(
  { success: Type.Literal(true), message: Type.String() },
  { title: 'Accepted', examples: [{ success: true, message: 'You are a member now' }] },
)
