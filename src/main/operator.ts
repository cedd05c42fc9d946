import type { KeyScope, Role } from '../domain/access/access.ts'
import { type Limit, LIMITS, type PlanName } from '../domain/access/plan.ts'
import { normalAddress } from '../domain/text.ts'
import { isUuid, type Uuid, uuidv7 } from '../ids.ts'
import { INVITATION_MS, rolesBeyond } from '../domain/access/invitation.ts'
import { invitationUrl } from '../invitation-links.ts'
import { createPasswords } from '../passwords.ts'
import * as apiKeys from '../store/access/api-keys.ts'
import * as invitations from '../store/access/invitations.ts'
import * as members from '../store/access/members.ts'
import * as organizations from '../store/access/organizations.ts'
import * as plans from '../store/access/plans.ts'
import { type Sql, transact } from '../store/db/sql.ts'
import * as users from '../store/access/users.ts'
import { type Keyring, newApiKey } from '../tokens.ts'
import { note } from './note.ts'

/** Keys shown by `key list` at most: the newest. */
const MOST_KEYS = 1_000

// What an operator can do without the API: the first organization, people and keys, and the way
// back in when no user can log in any more. Errors are sentences for a terminal.

/** With what holds for it, and which of these figures are its own. */
export async function showOrganization(sql: Sql, id: string) {
  if (!isUuid(id)) throw noOrganization(id)
  const [[organization], plan, own] = await Promise.all([
    organizations.list(sql, id),
    plans.find(sql, id),
    plans.findOwn(sql, id),
  ])
  if (!organization || !plan || !own) throw noOrganization(id)
  return {
    ...organization,
    limits: Object.fromEntries(LIMITS.map((name) => [name, plan[name]])),
    ownLimits: LIMITS.filter((name) => own[name] !== null),
  }
}

export async function setPlan(sql: Sql, id: string, plan: PlanName) {
  await showOrganization(sql, id)
  await transact(sql, async (tx) => {
    await organizations.setPlan(tx, id, plan)
    await note(tx, id, 'organization.plan_changed', { kind: 'organization', id }, { plan })
  })
  return showOrganization(sql, id)
}

/** Null: as its plan says. Processes that serve the API know it within seconds. */
export async function setLimit(sql: Sql, id: string, limit: Limit, value: number | null) {
  await showOrganization(sql, id)
  await transact(sql, async (tx) => {
    await organizations.lock(tx, id)
    const own = await plans.findOwn(tx, id)
    if (!own) throw noOrganization(id)
    await plans.setOwn(tx, id, { ...own, [limit]: value })
    const subject = { kind: 'organization', id }
    await note(tx, id, 'organization.limit_changed', subject, { limit, value })
  })
  return showOrganization(sql, id)
}

interface NewPerson {
  email: string
  name: string
  password: string
}

export async function createUser(sql: Sql, { email, name, password }: NewPerson) {
  const id = uuidv7()
  const address = normalAddress(email)
  const passwordHash = await createPasswords().hash(password)
  const isNew = await users.create(sql, { id, email: address, name, passwordHash })
  if (!isNew) throw new Error('There is a user with this address already')
  return { id, email: address, name }
}

export async function setPassword(sql: Sql, email: string, password: string) {
  const id = await findUser(sql, email)
  const passwordHash = await createPasswords().hash(password)
  // It concerns the person and no organization: `user list` shows when.
  await transact(sql, (tx) => users.setPassword(tx, id, passwordHash))
  return { id }
}

interface NewMember {
  email: string
  organizationId: string
  role: Role
}

/** Makes a user a member; a member who is something else gets the role, and their sessions end. */
export async function addToOrganization(sql: Sql, { email, organizationId, role }: NewMember) {
  await showOrganization(sql, organizationId)
  const userId = await findUser(sql, email)
  const at = new Date().toISOString()
  await transact(sql, async (tx) => {
    await organizations.lock(tx, organizationId)
    const known = await members.find(tx, organizationId, userId)
    if (known?.role === role) return
    const isLastOwner =
      known?.role === 'owner' && (await members.countOwners(tx, organizationId)) === 1
    if (isLastOwner && role !== 'owner')
      throw new Error('The last owner cannot become anything else')
    if (known) {
      await members.setRole(tx, { organizationId, userId, role, at })
      // As in the API: who may not make them any more must not come back by them.
      const roles = rolesBeyond(role)
      await invitations.revokeMadeBy(tx, { organizationId, userId, roles, at })
    } else await members.add(tx, { organizationId, userId, role, givenName: null })
    const action = known ? 'member.role_changed' : 'member.added'
    await note(tx, organizationId, action, { kind: 'user', id: userId }, { role })
  })
  return { userId, organizationId, role }
}

interface Invited {
  email: string
  organizationId: string
  role: Role
}

/**
 * Invites an address without a mail; returns the link, which the operator hands over. An open
 * invitation to the address is revoked: its links stop working.
 */
export async function inviteUser(
  sql: Sql,
  { email, organizationId, role }: Invited,
  { keyring, publicUrl }: { keyring: Keyring; publicUrl: string },
) {
  await showOrganization(sql, organizationId)
  const address = normalAddress(email)
  const now = Date.now()
  const at = new Date(now).toISOString()
  const expiresAt = new Date(now + INVITATION_MS).toISOString()
  const invitation = await transact(sql, async (tx) => {
    await organizations.lock(tx, organizationId)
    if (await members.hasAddress(tx, organizationId, address)) {
      throw new Error('This person is a member already; give another role with user add-to-org')
    }
    const known = await invitations.findTo(tx, organizationId, address)
    if (known) await invitations.revoke(tx, { organizationId, id: known.id, at })
    const id = uuidv7()
    const asked = { organizationId, id, email: address, role, name: null, invitedBy: null }
    const made = await invitations.create(tx, { ...asked, at, expiresAt })
    await note(tx, organizationId, 'invitation.created', { kind: 'invitation', id }, { role })
    return made
  })
  const url = invitationUrl(keyring, publicUrl, { ...invitation, organizationId })
  return { invitation: invitation.id, role, expiresAt, link: url }
}

interface NewKey {
  organizationId: string
  name: string
  scopes: readonly KeyScope[]
}

export async function createKey(sql: Sql, { organizationId, name, scopes }: NewKey) {
  await showOrganization(sql, organizationId)
  const { key, prefix, hash } = newApiKey()
  const created = await transact(sql, async (tx) => {
    const made = { organizationId, id: uuidv7(), name, prefix, hash, scopes }
    const row = await apiKeys.create(tx, made)
    await note(tx, organizationId, 'api_key.created', { kind: 'api_key', id: row.id }, { scopes })
    return row
  })
  return { ...created, key }
}

export async function listKeys(sql: Sql, organizationId: string) {
  await showOrganization(sql, organizationId)
  return apiKeys.list(sql, organizationId, { before: undefined, limit: MOST_KEYS })
}

export async function revokeKey(sql: Sql, organizationId: string, id: string) {
  await showOrganization(sql, organizationId)
  const wasLive = await transact(sql, async (tx) => {
    const live = isUuid(id) ? await apiKeys.revoke(tx, organizationId, id) : undefined
    if (live) await note(tx, organizationId, 'api_key.revoked', { kind: 'api_key', id })
    return live
  })
  if (wasLive === undefined) throw new Error(`There is no key ${id} in this organization`)
  return { id, revoked: true, wasLive }
}

async function findUser(sql: Sql, email: string): Promise<Uuid> {
  const address = normalAddress(email)
  const id = await users.findByEmail(sql, address)
  if (id === undefined) throw new Error('There is no user with this address')
  return id
}

const noOrganization = (id: string) => new Error(`There is no organization ${id}`)
