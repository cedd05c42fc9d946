import { type Static, Type } from 'typebox'
import { Count, Cursor, ID, Id, limit, NextCursor, strict, TIME, Time } from '../common.ts'

const BatchClick = Type.Object(
  {
    id: { ...Id, description: 'A hash of the link.' },
    url: Type.String({ description: 'As it stood in the mails.' }),
    clicks: Count,
    recipients: { ...Count, description: 'Who clicked it at least once.' },
    firstClickedAt: Time,
    lastClickedAt: Time,
  },
  { title: 'BatchClick' },
)
export type BatchClick = Static<typeof BatchClick>

export const BatchClickListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const BatchClickList = Type.Object(
  { data: Type.Array(BatchClick), nextCursor: NextCursor },
  {
    title: 'BatchClickList',
    examples: [
      {
        data: [
          {
            id: ID,
            url: 'https://example.com/offer',
            clicks: 120,
            recipients: 80,
            firstClickedAt: TIME,
            lastClickedAt: TIME,
          },
        ],
        nextCursor: null,
      },
    ],
  },
)
