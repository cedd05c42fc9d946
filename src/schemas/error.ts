import { type Static, Type } from 'typebox'
import { ERROR_CODES } from '../domain/errors.ts'
import { Count, oneOf } from './common.ts'

const Details = Type.Array(
  Type.Object({
    path: Type.String({ description: 'Path of the invalid input: `steps[0].config.url`.' }),
    message: Type.String(),
    contactId: Type.Optional(Type.String()),
  }),
)

export const ApiError = Type.Object(
  {
    error: Type.String({
      description: 'Message for people. Its wording may change, so do not parse it.',
    }),
    code: oneOf(ERROR_CODES, { description: 'Stable error code for programs.' }),
    requestId: Type.Optional(
      Type.String({
        description: 'Equals the `x-request-id` header. Include it when you contact support.',
      }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'A stable snake_case word that is more specific than the code.' }),
    ),
    details: Type.Optional(Details),
  },
  {
    title: 'ApiError',
    examples: [
      {
        error: 'Batch not found',
        code: 'NOT_FOUND',
        requestId: '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11',
      },
    ],
  },
)
export type ApiError = Static<typeof ApiError>

const RowError = Type.Object(
  {
    index: { ...Count, description: 'Position of the row in the request, starting at 0.' },
    code: oneOf(ERROR_CODES, {
      description: 'Error code that the row would get in a request of its own.',
    }),
    reason: Type.String({ description: 'A stable snake_case word: `contact_not_found` …' }),
    message: Type.String({
      description: 'Message for people. It contains the path: `contacts[3].email`.',
    }),
    details: Type.Optional(Details),
  },
  { title: 'RowError' },
)

export const rowErrors = {
  errors: Type.Array(Type.String(), { description: 'Messages of `errorDetails`, for people.' }),
  errorDetails: Type.Array(RowError, { description: 'Refused rows, in the order of the request.' }),
}
