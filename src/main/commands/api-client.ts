import { readFile } from 'node:fs/promises'
import { ApiFailure, type Client, createClient } from '../../client/index.ts'
import { readConfig } from '../../config.ts'
import type { ApiAccess } from './api-access.ts'

export async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Error(`${path} cannot be read: ${wordsOf(error)}`, { cause: error })
  }
}

export async function asking<T>(
  { baseUrl, keyFile }: ApiAccess,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const token = await keyOf(keyFile)
  try {
    return await work(createClient({ baseUrl, token, fetch: stay }))
  } catch (error) {
    throw new Error(sentenceOf(error, baseUrl), { cause: error })
  }
}

function sentenceOf(error: unknown, baseUrl: string): string {
  if (error instanceof ApiFailure) return refusalOf(error, baseUrl)
  // The answer is not JSON, or not the API's; a TypeError of `fetch` itself has a cause.
  const isForeign =
    error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined)
  return isForeign
    ? `What answers at ${baseUrl} is not the API`
    : `The API does not answer at ${baseUrl}: ${wordsOf(error)}`
}

/**
 * Follows no redirect, since the key would go elsewhere, and a push would become another request.
 */
const stay = (request: Request): Promise<Response> => fetch(request, { redirect: 'manual' })

/** Characters that a header can carry. The error of `fetch` about another key would repeat it. */
const KEY = /^[\x21-\x7e]{1,1000}$/

async function keyOf(file: string | undefined): Promise<string> {
  const key = file === undefined ? readConfig().apiKey : (await textOf(file)).trim()
  if (key === undefined)
    throw new Error('There is no API key: set LETTERLOOM_API_KEY or --key-file')
  if (KEY.test(key)) return key
  throw new Error(`${file ?? 'LETTERLOOM_API_KEY'} does not hold an API key`)
}

function refusalOf(
  { status, message, details = [], requestId }: ApiFailure,
  baseUrl: string,
): string {
  if (status >= 300 && status < 400) {
    return `${baseUrl} answers ${status}: give the address that it leads to`
  }
  const lines = details.map((detail) => `  ${detail.path}: ${detail.message}`)
  const request = requestId === undefined ? [] : [`  (request ${requestId})`]
  return [message, ...lines, ...request].join('\n')
}

/** Returns the innermost cause, since `fetch` itself only says that it failed. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return wordsOf(error.cause)
  return error.message === '' && 'code' in error ? String(error.code) : error.message
}
