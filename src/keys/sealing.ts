import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { breather } from '../runtime/breather.ts'
import type { Keyring } from './tokens.ts'

export type SealingPurpose = 'flow-secret' | 'flow-headers' | 'mail-content' | 'hook-secret'

/**
 * The place where the sealed bytes are stored. They can be opened there only: copied into another
 * row, table or organization they are refused.
 */
export interface SealedPlace {
  table: string
  organizationId: string
  rowId: string
}

export const flowSecretPlace = (organizationId: string, flowId: string): SealedPlace => ({
  table: 'flows',
  organizationId,
  rowId: flowId,
})

export const flowHeadersPlace = (
  organizationId: string,
  { flowId, version, stepId }: { flowId: string; version: number; stepId: string },
): SealedPlace => ({
  table: 'flow_headers',
  organizationId,
  rowId: JSON.stringify([flowId, version, stepId]),
})

export const mailContentPlace = (organizationId: string, mailId: string): SealedPlace => ({
  table: 'transactional_mails',
  organizationId,
  rowId: mailId,
})

export const hookSecretPlace = (organizationId: string, endpointId: string): SealedPlace => ({
  table: 'hook_endpoints',
  organizationId,
  rowId: endpointId,
})

const FORMAT = 1
const KID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + KID_BYTES
const LEAST_BYTES = HEAD_BYTES + NONCE_BYTES + TAG_BYTES

/**
 * Encrypts with AES-256-GCM under the present signing key: format (a byte), key id (8, padded with
 * zeros), nonce (12), the text, tag (16). Sealing the same text twice gives different bytes.
 */
export function seal(
  keyring: Keyring,
  purpose: SealingPurpose,
  place: SealedPlace,
  plaintext: string,
): Buffer {
  const { begin, cipher } = sealer(keyring, purpose, place)
  const text = [cipher.update(plaintext, 'utf8'), cipher.final()]
  return Buffer.concat([...begin, ...text, cipher.getAuthTag()])
}

/** Bytes that are encrypted at once, a few milliseconds of work. */
const PART_BYTES = 1024 * 1024

/** Seals a text of up to megabytes in parts and yields to the event loop between them. */
export async function sealInParts(
  keyring: Keyring,
  purpose: SealingPurpose,
  place: SealedPlace,
  plaintext: string,
): Promise<Buffer> {
  const breathe = breather()
  const { begin, cipher } = sealer(keyring, purpose, place)
  const bytes = Buffer.from(plaintext, 'utf8')
  const parts: Buffer[] = []
  for (let from = 0; from < bytes.length; from += PART_BYTES) {
    await breathe()
    parts.push(cipher.update(bytes.subarray(from, from + PART_BYTES)))
  }
  await breathe()
  parts.push(cipher.final())
  return Buffer.concat([...begin, ...parts, cipher.getAuthTag()])
}

function sealer({ signing }: Keyring, purpose: SealingPurpose, place: SealedPlace) {
  const head = Buffer.alloc(HEAD_BYTES)
  head[0] = FORMAT
  head.write(signing.id, 1, 'latin1')
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(signing, purpose), nonce)
  cipher.setAAD(associated(head, place))
  return { begin: [head, nonce], cipher }
}

/**
 * Returns the text that was sealed for this purpose and place under any key of the ring, also a
 * retired one. Undefined: the bytes were changed, belong to another row, or their key is gone.
 */
export function open(
  { byId }: Keyring,
  purpose: SealingPurpose,
  place: SealedPlace,
  sealed: Uint8Array,
): string | undefined {
  const bytes = Buffer.from(sealed)
  if (bytes.length < LEAST_BYTES || bytes[0] !== FORMAT) return undefined
  const head = bytes.subarray(0, HEAD_BYTES)
  const key = byId.get(head.toString('latin1', 1).replace(/\0+$/, ''))
  if (key === undefined) return undefined
  const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key, purpose), nonce, {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(associated(head, place))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = decipher.update(bytes.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined // The only error of `final` in this mode: the tag does not fit.
  }
}

const keyOf = ({ derive }: Keyring['signing'], purpose: SealingPurpose): Buffer =>
  derive(`sealing/${purpose}`)

const associated = (head: Buffer, { table, organizationId, rowId }: SealedPlace): Buffer =>
  Buffer.concat([head, Buffer.from(JSON.stringify([table, organizationId, rowId]))])
