import { type Static, Type } from 'typebox'
import {
  Cursor,
  ID,
  DayOrTime,
  Id,
  limit,
  NextCursor,
  nullable,
  oneOf,
  strict,
  TIME,
  Time,
} from '../common.ts'
import { AUDIT_ACTION } from '../patterns.ts'

const ACTOR_KINDS = ['key', 'user', 'operator', 'unknown'] as const

const EXAMPLE = {
  id: ID,
  actorKind: 'user',
  actorId: ID,
  action: 'api_key.created',
  subjectKind: 'api_key',
  subjectId: ID,
  requestId: ID,
  detail: { scopes: ['full'] },
  createdAt: TIME,
}

export const AuditEvent = Type.Object(
  {
    id: Id,
    actorKind: oneOf(ACTOR_KINDS),
    actorId: nullable({ ...Id, description: 'Id of the API key or the person.' }),
    action: Type.String({ examples: ['api_key.created'] }),
    subjectKind: nullable(Type.String()),
    subjectId: nullable(Type.String()),
    requestId: nullable(Type.String()),
    detail: Type.Record(Type.String(), Type.Unknown()),
    createdAt: Time,
  },
  { title: 'AuditEvent', examples: [EXAMPLE] },
)
export type AuditEvent = Static<typeof AuditEvent>

export const AuditEventListQuery = strict({
  limit: limit(20, 100),
  cursor: Cursor,
  action: Type.Optional(
    Type.String({
      pattern: AUDIT_ACTION,
      maxLength: 100,
      description: 'Returns only events of this action.',
    }),
  ),
  actorId: Type.Optional({ ...Id, description: 'Returns only events of this API key or person.' }),
  from: Type.Optional({
    ...DayOrTime,
    description: 'Returns only events on or after this day or time.',
  }),
  to: Type.Optional({
    ...DayOrTime,
    description: 'Returns only events until the end of this day, or until this time.',
  }),
})

export const AuditEventList = Type.Object(
  { data: Type.Array(AuditEvent), nextCursor: NextCursor },
  { title: 'AuditEventList', examples: [{ data: [EXAMPLE], nextCursor: null }] },
)
