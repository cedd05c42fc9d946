/** The scopes that an API key can be given. */
export const KEY_SCOPES = ['read', 'contacts', 'events', 'send', 'full'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** What a member of an organization can be, least first. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** What only a signed-in person can hold, whatever a key may do. */
const PERSONAL = ['session', 'keys', 'members'] as const

/**
 * What a route can ask for:
 * - read: every GET except keys, audit, exports and bodies of transactional mail
 * - contacts: contacts, topics, suppressions, import and export; events: events and triggers;
 *   send: batches, mail, reading templates
 * - templates, segments, workflows: writing them; of a key's scopes only `full` has these
 * - full: everything that is not personal; also connections, listing keys, audit, kept bodies
 * - session: any signed-in person; keys: making and revoking keys; members: managing them
 */
export type Scope = KeyScope | 'templates' | 'segments' | 'workflows' | (typeof PERSONAL)[number]

/** What each role holds. Admins and owners differ in whom they may manage: `mayManage`. */
export const SCOPES_OF_ROLE: Record<Role, readonly Scope[]> = {
  viewer: ['read', 'session'],
  member: ['read', 'contacts', 'events', 'send', 'templates', 'segments', 'workflows', 'session'],
  admin: ['full', 'keys', 'members', 'session'],
  owner: ['full', 'keys', 'members', 'session'],
}

export const isPersonal = (scope: Scope): boolean => PERSONAL.some((each) => each === scope)

export const isKeyScope = (scope: Scope): scope is KeyScope =>
  KEY_SCOPES.some((each) => each === scope)

/** Whether somebody who holds `held` may do what asks for `wanted`. */
export const allows = (held: readonly string[], wanted: Scope): boolean =>
  held.includes(wanted) || (held.includes('full') && !isPersonal(wanted))

/** Whether somebody may see contacts: who may not is shown mails without their addresses. */
export const maySeeContacts = (held: readonly string[]): boolean =>
  allows(held, 'read') || allows(held, 'contacts')

/** Whether a person of this role may give, change and take away the other: admins below admin. */
export const mayManage = (role: Role, other: Role): boolean =>
  role === 'owner' || (role === 'admin' && (other === 'viewer' || other === 'member'))
