import { addressHash, type Keyring, readLink, signLink } from './tokens.ts'

/** The contents of an invitation's link. */
export interface InvitationLink {
  organizationId: string
  invitationId: string
  /** Of the address that was invited. */
  addressHash: Buffer
  /** Sending it again makes a new one; the older ones stop working. */
  generation: number
}

interface Invited {
  organizationId: string
  id: string
  email: string
  generation: number
  /** ISO time. */
  expiresAt: string
}

/** Returns the link by which one invitation is accepted. `publicUrl` has no trailing slash. */
export function invitationUrl(keyring: Keyring, publicUrl: string, invited: Invited): string {
  const { organizationId, id, email, generation, expiresAt } = invited
  const token = signLink(keyring, 'invite', {
    organizationId,
    // The place of the person that a link is about: here the invitation.
    contactId: id,
    addressHash: addressHash(organizationId, email),
    expiresAt: Date.parse(expiresAt),
    generation,
  })
  return `${publicUrl}/invitations/${token}`
}

/**
 * Reads an invitation's token that the present key signed; `undefined` for anything else and for
 * what has expired at `now` (milliseconds).
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
