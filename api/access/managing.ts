import { mayManage, type Role } from '../../src/domain/access/access.ts'
import { forbidden } from '../../src/domain/errors.ts'
import * as members from '../../src/store/access/members.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import type { Transaction } from '../../src/store/db/sql.ts'
import { type Caller, personOf } from '../caller.ts'

/**
 * The caller's role as it is now that nobody else can change members: it may have been taken from
 * them since their session was looked at.
 */
export async function lockedRole(tx: Transaction, caller: Caller): Promise<Role | undefined> {
  await organizations.lock(tx, caller.organizationId)
  const own = await members.find(tx, caller.organizationId, personOf(caller).userId)
  return own?.role
}

export function mustManage(own: Role | undefined, other: Role): void {
  if (own !== undefined && mayManage(own, other)) return
  throw forbidden(`Your role may not manage members who are ${other}`, {
    reason: 'insufficient_role',
  })
}
