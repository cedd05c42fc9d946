import { addressHash, type Keyring, readLink, signLink } from './tokens.ts'

export interface InvitationLink {
  organizationId: string
  invitationId: string
  addressHash: Buffer
  /** Sending an invitation again raises it. Earlier links stop working. */
  generation: number
}

interface Invited {
  organizationId: string
  id: string
  email: string
  generation: number
  expiresAt: string
}

export function invitationUrl(keyring: Keyring, publicUrl: string, invited: Invited): string {
  const { organizationId, id, email, generation, expiresAt } = invited
  const token = signLink(keyring, 'invite', {
    organizationId,
    // The position of the link's person, here the invitation.
    contactId: id,
    addressHash: addressHash(organizationId, email),
    expiresAt: Date.parse(expiresAt),
    generation,
  })
  return `${publicUrl}/invitations/${token}`
}

/**
 * Reads an invitation's token. Returns undefined unless the present signing key made it and it has
 * not expired at `now` (milliseconds).
 */
export function readInvitation(
  keyring: Keyring,
  token: string,
  now: number,
): InvitationLink | undefined {
  const link = readLink(keyring, 'invite', token, now)
  if (link?.generation === undefined) return undefined
  const { organizationId, contactId: invitationId, addressHash: hash, generation } = link
  return { organizationId, invitationId, addressHash: hash, generation }
}
