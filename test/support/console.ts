import { fileURLToPath } from 'node:url'
import type { InjectOptions } from 'fastify'
import type { ConsoleSettings } from '../../api/deps.ts'
import { type Answer, type Api, inject } from './api.ts'
import { PASSWORD } from './people.ts'

/** The console as it was built for these tests. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../dist/console', import.meta.url))

export const consoleSettings: ConsoleSettings = {
  folder: CONSOLE_FOLDER,
  isDevelopment: false,
  inboxUrl: undefined,
  temporalUiUrl: undefined,
}

/** What a browser adds to a request of the console's page. */
export const FROM_PAGE = { 'sec-fetch-site': 'same-origin', 'x-letterloom-console': '1' }

export const COOKIE = '__Host-letterloom'

/** A request of the page, with the cookie of a session or without. */
export const fromPage = (
  { app }: Pick<Api, 'app'>,
  cookie: string | undefined,
  options: InjectOptions,
): Promise<Answer> =>
  inject(app, {
    ...options,
    headers: {
      ...FROM_PAGE,
      ...(cookie === undefined ? {} : { cookie: `theme=dark; ${COOKIE}=${cookie}` }),
      ...options.headers,
    },
  })

/** The value of the session cookie that an answer sets. Undefined: it sets none. */
export function cookieOf({ headers }: Answer): string | undefined {
  const { 'set-cookie': set } = headers
  const text = typeof set === 'string' ? set : ''
  const [, value] = new RegExp(`^${COOKIE}=([^;]*)`).exec(text) ?? []
  return value
}

export const signIn = (api: Pick<Api, 'app'>, input: object): Promise<Answer> =>
  fromPage(api, undefined, {
    method: 'POST',
    url: '/console/session',
    payload: { password: PASSWORD, ...input },
  })
