import { mailContentPlace, open, sealInParts } from '../../keys/sealing.ts'
import type { Keyring } from '../../keys/tokens.ts'
import type { Uuid } from '../../runtime/ids.ts'

/** Encrypts the body of a text, in the way and the place of a single mail's content. */
export const sealText = (
  keyring: Keyring,
  organizationId: Uuid,
  id: Uuid,
  body: string,
): Promise<Buffer> =>
  sealInParts(
    keyring,
    'mail-content',
    mailContentPlace(organizationId, id),
    JSON.stringify({ body }),
  )

/** Undefined: its key is no longer in the keyring. */
export function openText(
  keyring: Keyring,
  organizationId: Uuid,
  id: Uuid,
  sealed: Uint8Array,
): string | undefined {
  const text = open(keyring, 'mail-content', mailContentPlace(organizationId, id), sealed)
  if (text === undefined) return undefined
  const { body }: { body: string } = JSON.parse(text)
  return body
}
