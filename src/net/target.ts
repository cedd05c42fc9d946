import { isIP } from 'node:net'
import { FetchError } from './fetch-error.ts'

export interface Target {
  url: URL
  isSecure: boolean
  host: string
  port: number
}

const LONGEST_URL = 2_048
const LONGEST_NAME = 253
const NAME =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
/**
 * Ports of services that might execute an HTTP request as a command of their own protocol
 * (fetch.spec.whatwg.org, "port blocking").
 */
export const REFUSED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10_080,
])

const METADATA_HOST =
  /^(?:metadata|instance-data|metadata\.goog|metadata\.tencentyun\.com)$|(?:^|\.)(?:google|ec2|azure|compute)\.internal$/

/**
 * Parses a URL as the WHATWG standard does, so that every spelling of an address (decimal, octal,
 * hexadecimal, full-width, shortened) becomes the address itself. Throws a FetchError for a URL
 * that is not http or https, has a user name or a password, has a port that is not for web servers,
 * or names a cloud's metadata service.
 */
export function targetOf(text: string, base?: URL): Target {
  if (text.length > LONGEST_URL || !URL.canParse(text, base?.href)) {
    throw new FetchError('request_refused', 'The URL is invalid or too long')
  }
  const url = new URL(text, base?.href)
  const isSecure = url.protocol === 'https:'
  if (!isSecure && url.protocol !== 'http:') {
    throw new FetchError('request_refused', 'The URL is neither http nor https')
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchError('request_refused', 'The URL has a user name or a password')
  }
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port)
  if (REFUSED_PORTS.has(port)) {
    throw new FetchError('request_refused', 'The port is not allowed')
  }
  return { url, isSecure, host: hostOf(url), port }
}

function hostOf({ hostname }: URL): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  const host = hostname.replace(/\.$/, '')
  if (isIP(host) === 0 && (host.length > LONGEST_NAME || !NAME.test(host))) {
    throw new FetchError('request_refused', 'The host is not a public domain name')
  }
  if (METADATA_HOST.test(host)) {
    throw new FetchError('address_refused', 'The host is not on the public internet')
  }
  return host
}
