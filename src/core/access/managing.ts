import { mayManage, type Role } from '../../domain/access/access.ts'
import { forbidden } from '../../domain/errors.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as members from '../../store/access/members.ts'
import * as organizations from '../../store/access/organizations.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { Actor } from './audit.ts'

export type RequireManaging = (role: Role) => void

/**
 * Locks the members of an organization and returns a check of the actor's role. The role is read
 * under the lock, since the person may have lost it after their session was checked. An operator
 * may manage everybody, a key nobody.
 */
export async function lockMembers(
  tx: Transaction,
  organizationId: Uuid,
  { identity }: Actor,
): Promise<RequireManaging> {
  await organizations.lock(tx, organizationId)
  if (identity.kind === 'operator') return () => {}
  const own =
    identity.kind === 'user' ? await members.find(tx, organizationId, identity.id) : undefined
  return (role) => {
    if (own !== undefined && mayManage(own.role, role)) return
    throw forbidden(`Your role cannot manage members with the role ${role}`, {
      reason: 'insufficient_role',
    })
  }
}
