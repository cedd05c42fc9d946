import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { breather } from '../../src/runtime/breather.ts'
import { AppError, type ErrorDetail } from '../../src/domain/errors.ts'
import { MOST_ROW_DETAILS, type RowFailures } from '../../src/domain/row-failures.ts'
import { duplicateKey, inexactNumbersOf, refuseUnstorable } from './bodies.ts'
import { type CheckedInput, inputChecker } from './validation.ts'

export interface Row<T> {
  index: number
  row: T
}

/**
 * Checks the rows of a list that `rowsOf` declares separately: returns those that fit `schema` and
 * adds the others to `failures`. Other requests are answered in between.
 */
export function rowChecker<T extends TSchema>(schema: T) {
  const check = inputChecker(schema, MOST_ROW_DETAILS)
  return async (
    request: Pick<FastifyRequest, 'hasSuspiciousText' | 'duplicateKeys' | 'inexactNumbers'>,
    givenRows: readonly unknown[],
    failures: RowFailures,
  ): Promise<Row<Static<T>>[]> => {
    const rows: Row<Static<T>>[] = []
    const breathe = breather()
    for (const [index, each] of givenRows.entries()) {
      await breathe()
      const twice = request.duplicateKeys?.get(index)
      if (twice !== undefined) {
        failures.add(index, duplicateKey('row', twice))
        continue
      }
      const { value, details } = checkRow(each, index)
      if (details) failures.add(index, notFitting(details))
      else rows.push({ index, row: value })
    }
    return rows

    function checkRow(row: unknown, index: number): CheckedInput<Static<T>> {
      const details = inexactNumbersOf(request, index)
      if (details.length > 0) return { details }
      try {
        refuseUnstorable(row, request.hasSuspiciousText)
      } catch (error) {
        if (error instanceof AppError && error.details) return { details: error.details }
        throw error
      }
      return check(row)
    }
  }
}

const notFitting = (details: ErrorDetail[]): AppError =>
  new AppError('VALIDATION_FAILED', 'The row does not fit its schema', { details })
