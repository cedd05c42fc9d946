import { type Static, Type } from 'typebox'
import { Count, Cursor, ID, Id, limit, NextCursor, strict, TIME, Time } from '../common.ts'

const LinkClick = Type.Object(
  {
    id: { ...Id, description: 'A hash of the link.' },
    url: Type.String({ description: 'As it stood in the mails.' }),
    clicks: Count,
    recipients: { ...Count, description: 'Mails in which it was clicked at least once.' },
    firstClickedAt: Time,
    lastClickedAt: Time,
  },
  { title: 'LinkClick' },
)
export type LinkClick = Static<typeof LinkClick>

export const LinkClickListQuery = strict({ limit: limit(20, 100), cursor: Cursor })

export const LinkClickList = Type.Object(
  { data: Type.Array(LinkClick), nextCursor: NextCursor },
  {
    title: 'LinkClickList',
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
