import { type Static, Type } from 'typebox'
import { ERROR_CODES } from '../domain/errors.ts'
import { Count, oneOf } from './common.ts'

const Details = Type.Array(
  Type.Object({
    path: Type.String({ description: 'Where in the input: `steps[0].config.url`.' }),
    message: Type.String(),
    contactId: Type.Optional(Type.String()),
  }),
)

/** Body of every 4xx and 5xx answer. */
export const ApiError = Type.Object(
  {
    error: Type.String({ description: 'For people. Wording may change; do not parse it.' }),
    code: oneOf(ERROR_CODES, { description: 'For programs. Stable.' }),
    requestId: Type.Optional(
      Type.String({ description: 'Equals the `x-request-id` header; quote it to support.' }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'A stable snake_case word that says more than the code.' }),
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
    index: { ...Count, description: 'Which row of the request, from 0.' },
    code: oneOf(ERROR_CODES, { description: 'As of an error of this row alone.' }),
    reason: Type.String({ description: 'A stable word: `contact_not_found` …' }),
    message: Type.String({ description: 'For people. Names the place: `contacts[3].email`.' }),
    details: Type.Optional(Details),
  },
  { title: 'RowError' },
)

/** Refused rows in the answer to a request of many rows. */
export const rowErrors = {
  errors: Type.Array(Type.String(), { description: 'What `errorDetails` says, for people.' }),
  errorDetails: Type.Array(RowError, { description: 'Rows that were refused, in their order.' }),
}
