import { FetchError } from './fetch-error.ts'

type Headers = Readonly<Record<string, string>>

const MOST_HEADERS = 60
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
/** What a value may be in the one encoding that headers have: no line breaks, no other controls. */
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]{0,8192}$/
/** Headers that say how the message is sent (RFC 9110, 7.6.1; RFC 9112): ours to say. */
const FRAMING =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|http2-settings|accept-encoding|proxy-.*)$/
/** What is told to another origin than the one it was meant for. */
const TOLD_ANYBODY = ['accept', 'accept-language', 'content-type', 'user-agent']

/** Whether the caller of a request may give it this header. */
const isFreeHeader = (name: string): boolean => NAME.test(name) && !FRAMING.test(name.toLowerCase())

/** Headers by their names in lower case. Throws a FetchError for one that is not sent. */
export function checkedHeaders(headers: Headers): Record<string, string> {
  const entries = Object.entries(headers)
  if (entries.length > MOST_HEADERS) throw new FetchError('request_refused', 'Too many headers')
  for (const [name, value] of entries) {
    if (!isFreeHeader(name) || !VALUE.test(value)) {
      throw new FetchError('request_refused', 'A header is not one that is sent')
    }
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}

/** Those that hold nobody's secrets; names are in lower case. */
export const safeHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => TOLD_ANYBODY.includes(name)))
