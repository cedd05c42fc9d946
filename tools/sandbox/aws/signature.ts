import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Settings } from '../settings.ts'
import { refusal } from './errors.ts'

export interface SignedRequest {
  method: string
  /** As it was sent, still encoded. */
  path: string
  query: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** The claims of the Authorization header. */
export interface Claim {
  accessKeyId: string
  day: string
  region: string
  service: string
  signedHeaders: string
  signature: string
  /** `20261121T115000Z`. */
  time: string
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, *SignedHeaders=([a-z0-9;_-]+), *Signature=([0-9a-f]{64})$/
const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/

/** Reads the Authorization header (Signature Version 4). Refuses a missing or malformed one. */
export function readClaim(headers: IncomingHttpHeaders): Claim {
  const authorization = headers.authorization
  if (authorization === undefined) {
    throw refusal(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token')
  }
  const [, accessKeyId, day, region, service, signedHeaders, signature] =
    AUTHORIZATION.exec(authorization) ?? []
  const time = headers['x-amz-date']
  if (
    accessKeyId === undefined ||
    day === undefined ||
    region === undefined ||
    service === undefined ||
    signedHeaders === undefined ||
    signature === undefined ||
    typeof time !== 'string' ||
    !TIME.test(time)
  ) {
    throw refusal(
      400,
      'IncompleteSignatureException',
      "Authorization header requires 'Credential', 'SignedHeaders' and 'Signature' parameters, and an 'X-Amz-Date' header.",
    )
  }
  return { accessKeyId, day, region, service, signedHeaders, signature, time }
}

/**
 * AWS refuses signatures older than five minutes, which fences off calls that hang for longer.
 * Checked again after a stall.
 */
export function checkAge({ time, day }: Claim, settings: Settings, now = Date.now()): void {
  const signedAt = Date.parse(time.replace(TIME, '$1-$2-$3T$4:$5:$6Z'))
  const oldest = now - settings.signatureMaxAgeMs
  const newest = now + settings.signatureMaxAheadMs
  if (!time.startsWith(day)) {
    throw mismatch(`Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date`)
  }
  // A signed time has whole seconds: without the second, a fresh call would be late at once.
  if (signedAt + 999 < oldest) {
    throw mismatch(
      `Signature expired: ${time} is now earlier than ${stamp(oldest)} (${stamp(now)} - ${settings.signatureMaxAgeMs / 1000} s.)`,
    )
  }
  if (signedAt > newest) {
    throw mismatch(
      `Signature not yet current: ${time} is still later than ${stamp(newest)} (${stamp(now)} + ${settings.signatureMaxAheadMs / 1000} s.)`,
    )
  }
}

export const mismatch = (message: string) => refusal(403, 'InvalidSignatureException', message)

/** Signing keys change once a day, and making one costs four HMACs. */
const MAX_KEYS = 5_000
const keys = new Map<string, Buffer>()

function signingKey(secret: string, { day, region, service }: Claim): Buffer {
  const name = `${secret} ${day} ${region} ${service}`
  const cachedKey = keys.get(name)
  if (cachedKey) return cachedKey
  const signingKeyBytes = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  )
  if (keys.size >= MAX_KEYS) keys.clear()
  keys.set(name, signingKeyBytes)
  return signingKeyBytes
}

/**
 * Computes the signature (AWS General Reference, "Create a signed AWS API request") and compares
 * it.
 */
export function checkSignature(request: SignedRequest, claim: Claim, secret: string): void {
  const { method, path, query, headers, body } = request
  const lines = claim.signedHeaders.split(';').map((name) => {
    const value = headers[name]
    if (value === undefined) throw mismatch(`The signed header '${name}' is not in the request`)
    const text = Array.isArray(value) ? value.join(',') : value
    return `${name}:${text.trim().replaceAll(/ +/g, ' ')}\n`
  })
  for (const needed of ['host', 'x-amz-date']) {
    if (!claim.signedHeaders.split(';').includes(needed)) {
      throw mismatch(`'${needed === 'host' ? 'Host' : 'X-Amz-Date'}' must be a signed header`)
    }
  }
  const hash = createHash('sha256').update(body).digest('hex')
  const canonical = [
    method,
    path.split('/').map(encode).join('/'),
    canonicalQuery(query),
    lines.join(''),
    claim.signedHeaders,
    hash,
  ].join('\n')
  const scope = `${claim.day}/${claim.region}/${claim.service}/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${claim.time}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`
  const expectedSignature = createHmac('sha256', signingKey(secret, claim)).update(text).digest()
  if (!timingSafeEqual(expectedSignature, Buffer.from(claim.signature, 'hex'))) {
    throw mismatch(
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    )
  }
}

/**
 * Encodes all but RFC 3986 unreserved characters. The path of every service but S3 is encoded
 * twice.
 */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const canonicalQuery = (query: string): string =>
  query === ''
    ? ''
    : [...new URLSearchParams(query)]
        .map(([name, value]) => [encode(name), encode(value)] as const)
        .toSorted(([a, x], [b, y]) => order(a, b) || order(x, y))
        .map(([name, value]) => `${name}=${value}`)
        .join('&')

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const stamp = (time: number): string => new Date(time).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
