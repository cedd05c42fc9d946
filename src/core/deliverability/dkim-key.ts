import { createPublicKey } from 'node:crypto'
import { failed, type Finding, passed, told, warned } from '../../domain/deliverability/report.ts'
import { parseTags } from '../../domain/deliverability/tags.ts'

export interface DkimKey {
  keyType: string
  bits: number | null
  isTesting: boolean
  isRevoked: boolean
}

const LEAST_BITS = 1_024
const GOOD_BITS = 2_048
const ED25519_BYTES = 32
const LONGEST_KIND = 40
/** Prefix that turns an Ed25519 key into a SubjectPublicKeyInfo (RFC 8410, 4). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** Returns whether a TXT record can be a key, since wildcards answer every name with any text. */
export function isKeyRecord(text: string): boolean {
  const { tags } = parseTags(text)
  return tags.has('p') && [undefined, 'DKIM1'].includes(tags.get('v'))
}

export function readDkimKey(name: string, text: string): { key: DkimKey; findings: Finding[] } {
  const { tags, problems } = parseTags(text)
  const keyType = (tags.get('k') ?? 'rsa').toLowerCase().slice(0, LONGEST_KIND)
  const value = (tags.get('p') ?? '').replace(/\s/g, '')
  const flags = (tags.get('t') ?? '')
    .toLowerCase()
    .split(':')
    .map((flag) => flag.trim())
  const isTesting = flags.includes('y')
  const bits = value === '' ? null : bitsOf(keyType, value)
  const key = { keyType, bits, isTesting, isRevoked: value === '' }
  const findings = problems.map((problem) =>
    warned('dkim_syntax', `${name}: ${problem}.`, 'Write the record as “tag=value; tag=value”.'),
  )
  if (tags.has('v') && [...tags.keys()][0] !== 'v') {
    findings.push(
      warned(
        'dkim_version',
        `${name} has v= after another tag, so receivers may ignore the key.`,
        'Begin the record with “v=DKIM1”, or remove v=.',
      ),
    )
  }
  findings.push(keyFinding(name, key), ...useFindings(name, tags))
  if (isTesting) {
    findings.push(
      warned(
        'dkim_testing',
        `${name} is marked as a test (t=y), so receivers may treat mail as unsigned.`,
        'Remove t=y when signing works.',
      ),
    )
  }
  return { key, findings }
}

function keyFinding(name: string, { keyType, bits, isRevoked }: DkimKey): Finding {
  if (isRevoked) {
    const message = `The key at ${name} was revoked (p is empty).`
    return failed('dkim_revoked', message, 'Publish a new key, or stop signing with this selector.')
  }
  if (keyType !== 'rsa' && keyType !== 'ed25519') {
    const message = `${name} has a key of the unknown type “${keyType}”.`
    return failed('dkim_key_type', message, 'Publish an RSA key of 2048 bits.')
  }
  if (bits === null) {
    const message = `The key at ${name} cannot be read.`
    return failed('dkim_key_broken', message, 'Copy the whole key from your provider again.')
  }
  if (keyType === 'ed25519') {
    return told(
      'dkim_key',
      `${name} has an Ed25519 key; keep an RSA key as well, since many receivers support nothing else.`,
    )
  }
  const message = `${name} has an RSA key of ${bits} bits.`
  if (bits < LEAST_BITS) {
    return failed(
      'dkim_key_short',
      message,
      'Publish a key of 2048 bits. Receivers refuse this one.',
    )
  }
  return bits < GOOD_BITS
    ? warned('dkim_key_short', message, 'Replace it with a key of 2048 bits.')
    : passed('dkim_key', message)
}

function useFindings(name: string, tags: ReadonlyMap<string, string>): Finding[] {
  const listOf = (tag: string): string[] =>
    (tags.get(tag) ?? '')
      .toLowerCase()
      .split(':')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  const findings: Finding[] = []
  const services = listOf('s')
  if (services.length > 0 && !services.includes('*') && !services.includes('email')) {
    const message = `The key at ${name} is not for email (s=).`
    findings.push(failed('dkim_service', message, 'Remove s=, or set it to email.'))
  }
  const hashes = listOf('h')
  if (hashes.length > 0 && !hashes.includes('sha256')) {
    const message = `The key at ${name} does not allow SHA-256 (h=), so no signature is accepted.`
    findings.push(failed('dkim_hash', message, 'Remove h=, or add sha256.'))
  }
  return findings
}

function bitsOf(keyType: string, value: string): number | null {
  if (!/^[a-z0-9+/]+={0,2}$/i.test(value)) return null
  const bytes = Buffer.from(value, 'base64')
  if (keyType === 'ed25519') return ed25519Bits(bytes)
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      const key = createPublicKey({ key: bytes, format: 'der', type })
      if (key.asymmetricKeyType !== 'rsa') return null
      return key.asymmetricKeyDetails?.modulusLength ?? null
    } catch {
      // In another form, which is tried next (RFC 6376, 3.6.1; RFC 8301 errata).
    }
  }
  return null
}

function ed25519Bits(bytes: Buffer): number | null {
  if (bytes.length !== ED25519_BYTES) return null
  createPublicKey({ key: Buffer.concat([ED25519_PREFIX, bytes]), format: 'der', type: 'spki' })
  return ED25519_BYTES * 8
}
