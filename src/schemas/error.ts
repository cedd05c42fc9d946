import { type Static, Type } from 'typebox'
import { ERROR_CODES } from '../domain/errors.ts'
import { oneOf } from './common.ts'

/** What every 4xx and 5xx answers. */
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
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'Where in the input, with dots between.' }),
          message: Type.String(),
          contactId: Type.Optional(Type.String()),
        }),
      ),
    ),
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
