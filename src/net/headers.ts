import { FetchError } from './fetch-error.ts'

type Headers = Readonly<Record<string, string>>

const MOST_HEADERS = 60
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
/** Header values without line breaks or other controls, in Latin-1. */
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]{0,8192}$/
/**
 * Headers that describe how the message is sent (RFC 9110, 7.6.1; RFC 9112). Callers cannot set
 * them.
 */
const FRAMING =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|http2-settings|accept-encoding|proxy-.*)$/
/** Headers that are kept when a redirect leads to another origin. */
const TOLD_ANYBODY = ['accept', 'accept-language', 'content-type', 'user-agent']

const isFreeHeader = (name: string): boolean => NAME.test(name) && !FRAMING.test(name.toLowerCase())

export function checkedHeaders(headers: Headers): Record<string, string> {
  const entries = Object.entries(headers)
  if (entries.length > MOST_HEADERS) throw new FetchError('request_refused', 'Too many headers')
  for (const [name, value] of entries) {
    if (!isFreeHeader(name) || !VALUE.test(value)) {
      throw new FetchError('request_refused', 'A header is not allowed')
    }
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}

export const safeHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => TOLD_ANYBODY.includes(name)))
