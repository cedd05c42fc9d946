import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'

/**
 * Modes of libpq. Of those that check nothing `prefer` is the only one that also takes a server
 * without TLS.
 */
const MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

interface Encryption {
  /** The URL without its TLS settings, which the driver would send to the server. */
  url: string
  /** TLS settings for the driver. Undefined: the URL has none. */
  ssl: boolean | 'prefer' | 'require' | ConnectionOptions | undefined
}

/**
 * Reads `sslmode`, `sslrootcert`, `sslcert` and `sslkey` of a connection URL, as libpq does
 * (PostgreSQL, "SSL Support"), with two differences: a file that is named is an error when it
 * cannot be read, and without `sslmode` an `sslrootcert` means `verify-full`. Without
 * `sslrootcert`, or with `sslrootcert=system`, certificates are checked against those that Node
 * trusts. Throws an error that names what is wrong, never the URL, which holds a password.
 */
export function readEncryption(url: string): Encryption {
  // Several hosts, as the driver takes them, are no URL to Node.
  const [address = '', query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  const take = (name: string): string | undefined => {
    const value = parameters.get(name) ?? undefined
    parameters.delete(name)
    return value === '' ? undefined : value
  }
  const names = { ca: take('sslrootcert'), cert: take('sslcert'), key: take('sslkey') }
  const mode = take('sslmode') ?? (names.ca === undefined ? undefined : 'verify-full')
  if (mode === undefined && (names.cert ?? names.key) === undefined) return { url, ssl: undefined }
  if (!MODES.some((each) => each === mode)) {
    throw new Error(`DATABASE_URL: sslmode must be one of ${MODES.join(', ')}`)
  }
  if ((names.cert === undefined) !== (names.key === undefined)) {
    throw new Error('DATABASE_URL: sslcert and sslkey go together')
  }
  const files = {
    ...(names.ca === undefined || names.ca === 'system'
      ? {}
      : { ca: read('sslrootcert', names.ca) }),
    ...(names.cert === undefined ? {} : { cert: read('sslcert', names.cert) }),
    ...(names.key === undefined ? {} : { key: read('sslkey', names.key) }),
  }
  const ssl = sslOf(mode, files)
  return {
    url: `${address}?${parameters.toString()}`,
    ssl: mode === 'verify-full' ? named(ssl, address) : ssl,
  }
}

function sslOf(mode: string | undefined, files: ConnectionOptions): Encryption['ssl'] {
  if (mode === 'disable') return false
  if (mode === 'prefer') return 'prefer'
  if (mode === 'verify-full') return { ...files, rejectUnauthorized: true }
  // libpq, too, checks who signed it as soon as it knows an authority.
  const isChecked = mode === 'verify-ca' || files.ca !== undefined
  return { ...files, rejectUnauthorized: isChecked, checkServerIdentity: () => undefined }
}

/**
 * Adds the server's IP address. The driver tells Node only names, so Node would accept any
 * certificate of `localhost` for that server.
 */
function named(ssl: Encryption['ssl'], address: string): Encryption['ssl'] {
  const [, hosts = ''] = /^[^:]+:\/\/(?:[^/]*@)?([^/]*)/.exec(address) ?? []
  const names = hosts.split(',').map((host) => host.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''))
  const [first = ''] = names
  if (!names.some((name) => isIP(name) !== 0)) return ssl
  if (names.length === 1 && typeof ssl === 'object') return { ...ssl, host: first }
  throw new Error('DATABASE_URL: sslmode=verify-full needs names where there are several hosts')
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new Error(`DATABASE_URL: the file of ${name} cannot be read: ${path}`)
  }
}
