import { type Static, Type } from 'typebox'
import {
  Count,
  Cursor,
  ID,
  Id,
  limit,
  NextCursor,
  nullable,
  strict,
  TIME,
  Time,
} from '../common.ts'

const LinkClick = Type.Object(
  {
    id: { ...Id, description: 'Hash of the link.' },
    url: nullable(
      Type.String({
        description:
          'The link as it was in the mails. Null for all links beyond the first 1,000 of a batch, or of a day’s single mail of a template.',
      }),
    ),
    clicks: Count,
    recipients: {
      ...Count,
      description: 'Mails in which the link was clicked at least once. For several links, the sum.',
    },
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
