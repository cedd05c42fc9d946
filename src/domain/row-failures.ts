import { type AppError, type ErrorCode, type ErrorDetail, sentence } from './errors.ts'
import { LONGEST_MESSAGE, shown } from './text.ts'

export interface RowFailure {
  index: number
  code: ErrorCode
  reason: string
  /** Contains the row's path if one of its fields is to blame. */
  message: string
  details?: ErrorDetail[]
}

export const MOST_ROW_DETAILS = 10

export interface RowFailures {
  add: (index: number, refusal: AppError) => void
  list: () => RowFailure[]
}

export function rowFailures(name: string): RowFailures {
  const failures: RowFailure[] = []
  return {
    add: (index, refusal) => failures.push(failureOf(`${name}[${index}]`, index, refusal)),
    list: () => failures.toSorted((a, b) => a.index - b.index),
  }
}

function failureOf(row: string, index: number, refusal: AppError): RowFailure {
  const { code, reason = code.toLowerCase() } = refusal
  const details = refusal.details?.slice(0, MOST_ROW_DETAILS).map((detail) => ({
    ...detail,
    path: shown(detail.path === '' ? row : `${row}.${detail.path}`),
    message: shown(detail.message, LONGEST_MESSAGE),
  }))
  const isOfInput = ['BAD_REQUEST', 'VALIDATION_FAILED', 'MALFORMED_REQUEST'].includes(code)
  const message = isOfInput && details ? sentence(details) : refusal.message
  return {
    index,
    code,
    reason,
    message: shown(message, LONGEST_MESSAGE),
    ...(details ? { details } : {}),
  }
}

/** Returns the failures as the response has them, for people and for programs. */
export function toldFailures(name: string, failures: readonly RowFailure[]) {
  const errors = failures.map(({ index, message }) => {
    const row = `${name}[${index}]`
    return message.startsWith(row) ? message : `${row}: ${message}`
  })
  return { errors, errorDetails: [...failures] }
}
