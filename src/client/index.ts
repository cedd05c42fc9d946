import createFetchClient from 'openapi-fetch'
import { failureOf } from './failure.ts'
import { type Fetch, retrying } from './retry.ts'
import type { components, paths } from './schema.ts'

export { ApiFailure } from './failure.ts'
export type { components, paths } from './schema.ts'

/** What the API answers with, by name: `Schemas['Batch']`. */
export type Schemas = components['schemas']

export interface ClientOptions {
  /** Where the API is, without `/v1`: `https://mail.example.com`. */
  baseUrl: string
  /** An API key or a session token; none for public operations. */
  token?: string
  /** Instead of the global one. */
  fetch?: Fetch
}

export type Client = ReturnType<typeof createClient>

/**
 * A client of the API, typed by its OpenAPI document: `client.get('/v1/batch/{id}', { params:
 * { path: { id } } })` answers the Batch. What is refused throws an `ApiFailure`; what may succeed
 * later is tried again, see `retry.ts`.
 */
export function createClient({ baseUrl, token, fetch = globalThis.fetch }: ClientOptions) {
  const calls = createFetchClient<paths, 'application/json'>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    fetch: retrying(fetch),
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  })
  calls.use({
    onResponse: async ({ response }) => {
      if (!response.ok) throw await failureOf(response)
    },
  })
  return {
    get: answering(calls.GET),
    post: answering(calls.POST),
    put: answering(calls.PUT),
    patch: answering(calls.PATCH),
    delete: answering(calls.DELETE),
  }
}

/** The same call, returning its data alone: a failure was thrown before. */
function answering<Input extends unknown[], Data>(
  call: (...input: Input) => Promise<{ data?: Data; response: Response }>,
) {
  return async (...input: Input): Promise<Data> => {
    const { data, response } = await call(...input)
    if (data === undefined) throw await failureOf(response)
    return data
  }
}

/** What a page of a list by cursor has. */
interface Page {
  nextCursor: string | null
}

/**
 * The pages of a list, one after the other: `for await (const { logs } of pages((cursor) =>
 * client.get('/v1/email/logs', { params: { query: { limit: 100, ...cursor } } })))`.
 */
export async function* pages<T extends Page>(
  load: (cursor: { cursor?: string }) => Promise<T>,
): AsyncGenerator<T, void, void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: T = await load(cursor === undefined ? {} : { cursor })
    yield page
    cursor = page.nextCursor
  }
}
