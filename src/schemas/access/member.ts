import { type Static, Type } from 'typebox'
import { ROLES } from '../../domain/access/access.ts'
import { LONGEST_NAME } from '../../domain/text.ts'
import {
  Address,
  Cursor,
  ID,
  Id,
  limit,
  line,
  NextCursor,
  oneOf,
  strict,
  TIME,
  Time,
} from '../common.ts'

const Role = oneOf(ROLES)

const EXAMPLE = {
  id: ID,
  email: 'bob@example.com',
  name: 'Bob',
  role: 'member',
  createdAt: TIME,
}

export const Member = Type.Object(
  {
    id: { ...Id, description: 'Id of the person.' },
    email: Type.String(),
    name: Type.String({
      description:
        'Name of the person. For a person who was added without an invitation, the name that the organization gave them, until they log in to it.',
    }),
    role: Role,
    createdAt: { ...Time, description: 'When the person became a member.' },
  },
  { title: 'Member', examples: [EXAMPLE] },
)
export type Member = Static<typeof Member>

export const MemberInput = strict(
  {
    email: Address(),
    role: Role,
    name: Type.Optional({
      ...line(LONGEST_NAME),
      description: 'Suggested name for a person who is new to Letterloom. Defaults to the address.',
    }),
  },
  {
    title: 'MemberInput',
    examples: [{ email: 'bob@example.com', role: 'member', name: 'Bob' }],
  },
)

const Ignored = Type.Optional(Type.Unknown({ description: 'Ignored.' }))

export const MemberPatch = strict(
  { role: Role, id: Ignored, email: Ignored, name: Ignored, createdAt: Ignored },
  { title: 'MemberPatch', examples: [{ role: 'admin' }] },
)

export const MemberListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const MemberList = Type.Object(
  { data: Type.Array(Member), nextCursor: NextCursor },
  { title: 'MemberList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)
