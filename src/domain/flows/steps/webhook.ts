import type { ErrorDetail } from '../../errors.ts'
import { shown } from '../../text.ts'
import { type CallConfig, problem, repeated, type StepRules } from './rules.ts'

export const MOST_HEADERS = 50
export const HIDDEN = '***'

export interface Config extends CallConfig {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body?: string
  timeoutSeconds?: number
}

export const webhook: StepRules<Config> & { calls: true } = {
  check: checkWebhook,
  calls: true,
  content: ({ body = '' }) => ({
    html: '',
    text: body,
    variableNames: ['execution', 'workflow'],
    field: 'body',
  }),
  // Without a transition for its failure a failed call fails the execution.
  branches: () => ['success', 'failure'],
  usualBranch: 'success',
  // Without its path and query, which may hold secrets.
  gist: ({ method, url }) => `${method} ${/^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? ''}`,
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** Headers that we set ourselves, or that belong to the connection and not to the message. */
const REFUSED_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'accept-encoding',
])
const REFUSED_PREFIXES = ['proxy-', 'webhook-']

function isRefusedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return REFUSED_HEADERS.has(lower) || REFUSED_PREFIXES.some((prefix) => lower.startsWith(prefix))
}

/** Visible ASCII with blanks between, which every receiver reads alike. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

function checkWebhook(config: Config, path: string): ErrorDetail[] {
  const { url, method, headers = {}, body } = config
  const names = Object.keys(headers)
  const twice = new Set(repeated(names.map((name) => name.toLowerCase())))
  return [
    ...(/^https?:\/\/[^\s/?#\\@]+(?:[/?#][^\s\\]*)?$/i.test(url)
      ? []
      : [problem(`${path}.url`, 'must be an address that begins with https:// or http://')]),
    ...(method === 'GET' && body !== undefined
      ? [problem(`${path}.body`, 'cannot be used with the method GET')]
      : []),
    ...(names.length > MOST_HEADERS
      ? [problem(`${path}.headers`, `must not be more than ${MOST_HEADERS}`)]
      : []),
    ...Object.entries(headers).flatMap(([name, value], index) => {
      const at = `${path}.headers.${shown(name)}`
      if (!HEADER_NAME.test(name)) return [problem(at, 'must be a valid header name')]
      if (isRefusedHeader(name)) return [problem(at, 'cannot be set')]
      if (twice.has(index)) return [problem(at, 'is repeated')]
      return HEADER_VALUE.test(value)
        ? []
        : [
            problem(
              at,
              'must contain only visible US-ASCII characters, with spaces only between them',
            ),
          ]
    }),
  ]
}
