export const KEY_SCOPES = ['read', 'contacts', 'events', 'send', 'full'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

const PERSONAL = ['session', 'keys', 'members'] as const

/**
 * Scopes that a route can require:
 * - read: every GET except keys, audit, exports and bodies of transactional mail
 * - contacts: contacts, topics, suppressions, import and export; events: events and triggers; send:
 *   batches, mail, reading templates
 * - templates, segments, workflows: writing them. Of a key's scopes only `full` includes these
 * - full: everything that is not personal; also connections, listing keys, audit, kept bodies
 * - session: any signed-in person; keys: making and revoking keys; members: managing them
 */
export type Scope = KeyScope | 'templates' | 'segments' | 'workflows' | (typeof PERSONAL)[number]

/** Scopes of each role. Admins and owners differ in whom they may manage, see `mayManage`. */
export const SCOPES_OF_ROLE: Record<Role, readonly Scope[]> = {
  viewer: ['read', 'session'],
  member: ['read', 'contacts', 'events', 'send', 'templates', 'segments', 'workflows', 'session'],
  admin: ['full', 'keys', 'members', 'session'],
  owner: ['full', 'keys', 'members', 'session'],
}

export const isPersonal = (scope: Scope): boolean => PERSONAL.some((each) => each === scope)

export const isKeyScope = (scope: Scope): scope is KeyScope =>
  KEY_SCOPES.some((each) => each === scope)

export const allows = (heldScopes: readonly string[], requiredScope: Scope): boolean =>
  heldScopes.includes(requiredScope) || (heldScopes.includes('full') && !isPersonal(requiredScope))

export const maySeeContacts = (heldScopes: readonly string[]): boolean =>
  allows(heldScopes, 'read') || allows(heldScopes, 'contacts')

/**
 * Returns whether the role may grant, change and remove the other role. Admins may do so below
 * admin.
 */
export const mayManage = (role: Role, other: Role): boolean =>
  role === 'owner' || (role === 'admin' && (other === 'viewer' || other === 'member'))
