import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import {
  FIXED_TOKEN_BYTES,
  TOKEN_FLAGS,
  TOKEN_KINDS,
  TOKEN_MAC_BYTES,
  TOKEN_VERSION,
} from '../domain/consent/link-token.ts'
import { normalAddress } from '../domain/text.ts'
import { isUuid } from '../runtime/ids.ts'

/** SHA-256 of UTF-8 text, 32 bytes. Keys, sessions and inbound secrets are stored as this. */
export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** SHA-256 as base64. A process identifies tokens by it, at a quarter of the bytes. */
export const fingerprint = (text: string): string => hash('sha256', text, 'base64')

export const equal = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b)

const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * Identifies an address in a suppression entry and in a public link: the first 16 bytes of
 * SHA-256(organization id as text ‖ address, as `normalAddress` gives it). The id has a fixed
 * length, so different pairs never give the same text. The organization in it keeps tenants' lists
 * from being compared.
 */
export const addressHash = (organizationId: string, address: string): Buffer =>
  sha256(organizationId + normalAddress(address)).subarray(0, 16)

// Credentials

const KEY_MARK = 'loom_'
/** Prefix of session tokens. No API key begins with it. */
const SESSION_MARK = 'loomses_'
const SECRET_LENGTH = 43
const CHECKSUM_LENGTH = 6
const PREFIX_LENGTH = 12
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ALPHANUMERIC = /^[0-9A-Za-z]+$/

export interface NewApiKey {
  key: string
  prefix: string
  hash: Buffer
}

/** `loom_`, then 32 random bytes as 43 characters of base62, then 6 of checksum. */
export function newApiKey(): NewApiKey {
  const key = newCredential(KEY_MARK)
  return { key, prefix: key.slice(0, PREFIX_LENGTH), hash: sha256(key) }
}

/**
 * Returns the hash under which a key is stored. Undefined: the text is not a key of ours, so that
 * typing errors and noise cost no query.
 */
export const apiKeyHash = (key: string): Buffer | undefined => credentialHash(KEY_MARK, key)

/** `loomses_`, then as in a key. The token is shown once and stored as its hash. */
export function newSessionToken(): { token: string; hash: Buffer } {
  const token = newCredential(SESSION_MARK)
  return { token, hash: sha256(token) }
}

export const sessionTokenHash = (token: string): Buffer | undefined =>
  credentialHash(SESSION_MARK, token)

function newCredential(mark: string): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH)
  return `${mark}${secret}${checksum(`${mark}${secret}`)}`
}

function credentialHash(mark: string, text: string): Buffer | undefined {
  const rest = text.slice(mark.length)
  const hasForm =
    text.startsWith(mark) &&
    rest.length === SECRET_LENGTH + CHECKSUM_LENGTH &&
    ALPHANUMERIC.test(rest)
  if (!hasForm) return undefined
  const genuine = text.slice(-CHECKSUM_LENGTH) === checksum(text.slice(0, -CHECKSUM_LENGTH))
  return genuine ? sha256(text) : undefined
}

/** CRC-32 in base62. It detects every change of a single character. */
function checksum(text: string): string {
  let digits = ''
  // Every request checks one. Without bigints it costs a third.
  for (let rest = crc32(text); rest > 0; rest = Math.floor(rest / 62)) {
    digits = BASE62.charAt(rest % 62) + digits
  }
  return digits.padStart(CHECKSUM_LENGTH, '0')
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text
  return text.padStart(length, '0')
}

// Keyring

/** `LETTERLOOM_KEYS`: the first key signs, all keys verify. Secrets stay inside `derive`. */
export interface Keyring {
  readonly signing: Key
  readonly byId: ReadonlyMap<string, Key>
}

interface Key {
  readonly id: string
  readonly isWeak: boolean
  /**
   * Derives 32 bytes for one purpose (HKDF-SHA256, RFC 5869). A leaked key of one purpose is
   * useless for the others.
   */
  readonly derive: (purpose: string) => Buffer
}

const KEY_ID = /^[a-z0-9]{1,8}$/
const KEY_BYTES = 32
const LEAST_DIFFERENT = 20
/** Purpose whose derived keys are compared to find equal secrets. */
const TWIN = 'twin'

/** Key id of development keys. Programs refuse to start with them in production. */
export const DEVELOPMENT_KEY_ID = 'dev'

export const newKeyringText = (): string =>
  `${DEVELOPMENT_KEY_ID}:${randomBytes(KEY_BYTES).toString('base64')}`

/**
 * Parses a comma-separated list of `kid:base64(32 bytes)` and keeps its order. Throws an error that
 * names the wrong entry and the reason without repeating a secret.
 */
export function parseKeyring(text: string): Keyring {
  const byId = new Map<string, Key>()
  let signing: Key | undefined
  for (const [index, entry] of text.split(',').entries()) {
    const key = parseKey(entry.trim(), `LETTERLOOM_KEYS: entry ${index + 1}`)
    if (byId.has(key.id)) throw new Error(`LETTERLOOM_KEYS: key id "${key.id}" is used twice`)
    const isTwin = [...byId.values()].some((each) => equal(each.derive(TWIN), key.derive(TWIN)))
    if (isTwin)
      throw new Error(`LETTERLOOM_KEYS: key "${key.id}" has the same secret as another key`)
    byId.set(key.id, key)
    signing ??= key
  }
  if (signing === undefined) throw new Error('LETTERLOOM_KEYS: no keys')
  return { signing, byId }
}

function parseKey(entry: string, where: string): Key {
  if (entry === '') throw new Error(`${where} is empty`)
  const colon = entry.indexOf(':')
  if (colon < 0) throw new Error(`${where} is not kid:base64`)
  const id = entry.slice(0, colon)
  if (!KEY_ID.test(id)) throw new Error(`${where} has a key id that is not 1 to 8 of a-z and 0-9`)
  const encoded = entry.slice(colon + 1)
  const secret = Buffer.from(encoded, 'base64')
  if (secret.toString('base64') !== encoded) throw new Error(`${where} ("${id}") is not base64`)
  if (secret.length !== KEY_BYTES) {
    throw new Error(`${where} ("${id}") has ${secret.length} bytes, not ${KEY_BYTES}`)
  }
  const derived = new Map<string, Buffer>()
  const derive = (purpose: string): Buffer => {
    const cachedKey = derived.get(purpose)
    if (cachedKey !== undefined) return cachedKey
    const derivedKey = Buffer.from(
      hkdfSync('sha256', secret, '', `letterloom/${purpose}`, KEY_BYTES),
    )
    derived.set(purpose, derivedKey)
    return derivedKey
  }
  return { id, derive, isWeak: looksWeak(secret) }
}

/**
 * Returns the problems of this ring in production: development keys, and keys that are typed or not
 * filled in. Names key ids only. Empty: the ring is fine.
 */
export const keyProblems = ({ byId }: Keyring): string[] =>
  [...byId.values()].flatMap(({ id, isWeak }) => [
    ...(id === DEVELOPMENT_KEY_ID ? [`LETTERLOOM_KEYS: key "${id}" is one of development`] : []),
    ...(isWeak ? [`LETTERLOOM_KEYS: key "${id}" is not random; make one of 32 random bytes`] : []),
  ])

/**
 * 32 random bytes have about 30 different values and as many different steps between neighbours.
 * Fewer than 20 of either happens once in 10^13 keys; repeated and counted bytes, words and
 * hexadecimal digits have fewer.
 */
function looksWeak(secret: Buffer): boolean {
  const steps = secret.map((byte, index) => byte - (secret[index - 1] ?? 0))
  return Math.min(new Set(secret).size, new Set(steps).size) < LEAST_DIFFERENT
}

// Webhook secrets

const SECRET_MAC_BYTES = 16
const SECRET_CHARACTERS = 43

/**
 * Makes the secret that a cloud account sends with its events: 43 random characters and 22 of
 * HMAC-SHA-256 over them and the account number, base64url. A guess is refused without a query.
 * Only storage knows whether a secret is still valid and whose it is.
 */
export function newWebhookSecret({ signing }: Keyring, accountNumber: string): string {
  const random = newSecret()
  return random + secretMac(signing, accountNumber, random).toString('base64url')
}

/** Returns whether one of our keys made this secret for this account number. */
export function isWebhookSecret({ byId }: Keyring, accountNumber: string, secret: string): boolean {
  const signedBytes = Buffer.from(secret.slice(SECRET_CHARACTERS), 'base64url')
  const random = secret.slice(0, SECRET_CHARACTERS)
  let isOurs = false
  for (const key of byId.values()) {
    if (equal(signedBytes, secretMac(key, accountNumber, random))) isOurs = true
  }
  return isOurs
}

const secretMac = (key: Key, accountNumber: string, random: string): Buffer =>
  createHmac('sha256', key.derive('webhook-secret'))
    .update(`${accountNumber}.${random}`)
    .digest()
    .subarray(0, SECRET_MAC_BYTES)

// Rate limits

/**
 * Identifies an address in storage by 22 characters that only the holder of the key can compute.
 */
export const addressSubject = ({ signing }: Keyring, address: string): string =>
  createHmac('sha256', signing.derive('address')).update(address).digest('base64url').slice(0, 22)

// Public links

export type LinkKind = keyof typeof TOKEN_KINDS

export interface Link {
  organizationId: string
  contactId: string
  addressHash: Buffer
  expiresAt?: number
  topicId?: string
  batchId?: string
  /** Id of a single mail in the log, for a mail that belongs to no batch. */
  mailId?: string
  /** Distinguishes a link from earlier ones for the same contact and topic. */
  generation?: number
}

/** The contents of a one-click link: the contact, the topic or all mail, and the mail it was in. */
export interface UnsubscribeLink {
  organizationId: string
  contactId: string
  addressHash: Buffer
  topicId?: string
  batchId?: string
  mailId?: string
}

/** Signs the token of an unsubscribe link. It never expires, since people keep mails for years. */
export const signUnsubscribe = (keyring: Keyring, link: UnsubscribeLink): string =>
  signLink(keyring, 'unsubscribe', link)

export const readUnsubscribe = (keyring: Keyring, token: string): UnsubscribeLink | undefined =>
  readLink(keyring, 'unsubscribe', token, 0)

const MAX_CHARACTERS = Math.ceil(((FIXED_TOKEN_BYTES + 16 + 16 + 4 + TOKEN_MAC_BYTES) * 4) / 3)

/**
 * Token in base64url: version, kind and flags (a byte each), key id (8, padded with zeros), expiry
 * (6, milliseconds, 0 = never), organization (16), contact (16), address hash (16), then topic
 * (16), batch (16) or mail (16) and generation (4) where the flags say so, then 16 bytes of
 * HMAC-SHA-256 over all of it under a key of the kind's own. At most 156 characters.
 */
export function signLink({ signing }: Keyring, kind: LinkKind, link: Link): string {
  const { topicId, batchId, mailId, generation } = link
  if (batchId !== undefined && mailId !== undefined)
    throw new RangeError('A mail is of a batch or not')
  const head = Buffer.alloc(17)
  head[0] = TOKEN_VERSION
  head[1] = TOKEN_KINDS[kind]
  head[2] =
    (topicId === undefined ? 0 : TOKEN_FLAGS.topic) |
    (batchId === undefined ? 0 : TOKEN_FLAGS.batch) |
    (mailId === undefined ? 0 : TOKEN_FLAGS.mail) |
    (generation === undefined ? 0 : TOKEN_FLAGS.generation)
  head.write(signing.id, 3, 'latin1')
  head.writeUIntBE(link.expiresAt ?? 0, 11, 6)
  if (link.addressHash.length !== 16) throw new RangeError('An address hash has 16 bytes')
  const body = Buffer.concat([
    head,
    uuidBytes(link.organizationId),
    uuidBytes(link.contactId),
    link.addressHash,
    ...(topicId === undefined ? [] : [uuidBytes(topicId)]),
    ...(batchId === undefined ? [] : [uuidBytes(batchId)]),
    ...(mailId === undefined ? [] : [uuidBytes(mailId)]),
    ...(generation === undefined ? [] : [uint32(generation)]),
  ])
  return Buffer.concat([body, mac(signing, kind, body)]).toString('base64url')
}

/**
 * Reads a token of this kind. Returns undefined if it is forged, truncated, of another kind,
 * expired at `now` (milliseconds) or not in our encoding. Retired keys are accepted for
 * unsubscribing only: people can still unsubscribe after a rotation of keys, but not subscribe.
 */
export function readLink(
  { signing, byId }: Keyring,
  kind: LinkKind,
  token: string,
  now: number,
): Link | undefined {
  if (token.length > MAX_CHARACTERS) return undefined
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length < FIXED_TOKEN_BYTES + TOKEN_MAC_BYTES || bytes.toString('base64url') !== token) {
    return undefined
  }
  if (bytes[0] !== TOKEN_VERSION || bytes[1] !== TOKEN_KINDS[kind]) return undefined
  const key = byId.get(bytes.toString('latin1', 3, 11).replace(/\0+$/, ''))
  if (key === undefined || (key !== signing && kind !== 'unsubscribe')) return undefined
  const body = bytes.subarray(0, -TOKEN_MAC_BYTES)
  if (!equal(bytes.subarray(-TOKEN_MAC_BYTES), mac(key, kind, body))) return undefined

  // The bytes are ours from here on, so lengths and flags are as `signLink` wrote them.
  const expiresAt = body.readUIntBE(11, 6)
  if (expiresAt !== 0 && expiresAt <= now) return undefined
  const flags = body.readUInt8(2)
  let at = FIXED_TOKEN_BYTES
  const take = (length: number): Buffer => body.subarray(at, (at += length))
  return {
    organizationId: uuidText(body.subarray(17, 33)),
    contactId: uuidText(body.subarray(33, 49)),
    addressHash: body.subarray(49, 65),
    ...(expiresAt === 0 ? {} : { expiresAt }),
    ...(flags & TOKEN_FLAGS.topic ? { topicId: uuidText(take(16)) } : {}),
    ...(flags & TOKEN_FLAGS.batch ? { batchId: uuidText(take(16)) } : {}),
    ...(flags & TOKEN_FLAGS.mail ? { mailId: uuidText(take(16)) } : {}),
    ...(flags & TOKEN_FLAGS.generation ? { generation: take(4).readUInt32BE() } : {}),
  }
}

const mac = (key: Key, kind: LinkKind, body: Buffer): Buffer =>
  createHmac('sha256', key.derive(`link/${kind}`))
    .update(body)
    .digest()
    .subarray(0, TOKEN_MAC_BYTES)

function uuidBytes(uuid: string): Buffer {
  if (!isUuid(uuid)) throw new RangeError(`"${uuid}" is not a UUID`)
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
