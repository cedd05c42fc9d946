import createFetchClient from 'openapi-fetch'
import { failureOf } from './failure.ts'
import { type Fetch, retrying } from './retry.ts'
import type { components, paths } from './schema.ts'

export { ApiFailure } from './failure.ts'
export type { components, paths } from './schema.ts'

/** Types of the API's answers by name: `Schemas['Batch']`. */
export type Schemas = components['schemas']

export interface ClientOptions {
  baseUrl: string
  token?: string
  fetch?: Fetch
}

export type Client = ReturnType<typeof createClient>

/**
 * Returns a client of the API, typed by its OpenAPI document: `client.get('/v1/batch/{id}', {
 * params: { path: { id } } })` resolves to the Batch. A refused call throws an `ApiFailure`. Calls
 * that may succeed later are repeated, see `retry.ts`.
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

function answering<Input extends unknown[], Data>(
  call: (...input: Input) => Promise<{ data?: Data; response: Response }>,
) {
  return async (...input: Input): Promise<Data> => {
    const { data, response } = await call(...input)
    if (data === undefined) throw await failureOf(response)
    return data
  }
}

interface Page {
  nextCursor: string | null
}

/**
 * Iterates over the pages of a list: `for await (const { logs } of pages((cursor) =>
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
