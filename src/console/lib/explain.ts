import { ApiFailure } from '../../client/failure.ts'

/** A failure in words: what happened, and what the person can do. */
export interface Explanation {
  title: string
  text: string
  /** What support asks for. */
  requestId?: string
  /** What is wrong with which field, by its path. */
  fields: Record<string, string>
  /** Trying again may help. */
  canRetry: boolean
}

export function explain(error: unknown): Explanation {
  if (!(error instanceof ApiFailure)) return unreachable()
  const { message, requestId, details = [] } = error
  return {
    ...wordsOf(error),
    text: textOf(error, message),
    ...(requestId === undefined ? {} : { requestId }),
    fields: Object.fromEntries(details.map(({ path, message }) => [path, message])),
  }
}

/** `fetch` fails with a TypeError: nothing came back. */
const unreachable = (): Explanation => ({
  title: 'The server cannot be reached',
  text: 'Nothing came back. What you see may be old. Check the connection, then try again.',
  fields: {},
  canRetry: true,
})

function wordsOf({ status }: ApiFailure): { title: string; canRetry: boolean } {
  switch (status) {
    case 400:
    case 422:
      return { title: 'Something is not right yet', canRetry: false }
    case 401:
      return { title: 'You are signed out', canRetry: false }
    case 402:
      return { title: 'Your plan does not have this', canRetry: false }
    case 403:
      return { title: 'You may not do this', canRetry: false }
    case 404:
      return { title: 'It is not here', canRetry: false }
    case 409:
      return { title: 'That does not go at the moment', canRetry: true }
    case 413:
      return { title: 'This is too large', canRetry: false }
    case 429:
      return { title: 'Too many requests for now', canRetry: true }
    case 503:
      return { title: 'The server is busy or restarting', canRetry: true }
    default:
      return { title: 'The server failed', canRetry: true }
  }
}

function textOf({ status }: ApiFailure, message: string): string {
  switch (status) {
    case 404:
      return 'It was deleted, belongs to another organization, or the address is mistyped.'
    case 500:
      return 'This is a fault of ours. Nothing was changed unless you see it changed.'
    case 503:
      return 'Nothing was changed. It is tried again in a moment.'
    default:
      return sentence(message)
  }
}

/** Messages of the API have no full stop. */
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)
