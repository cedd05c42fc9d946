import {
  type AccountNames,
  DIFFERS,
  givenAccount,
  isAccountNumber,
} from '../../domain/accounts/account-names.ts'
import { refusalOf } from '../../domain/access/ownership.ts'
import { refuse } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../ids.ts'
import { isElsewhere } from '../../store/access/organizations.ts'
import * as connections from '../../store/accounts/connections.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'

/** The account that is named, or the only one there is. Undefined: there is none, or several. */
export async function nameAccount(
  sql: Executor,
  organizationId: Uuid,
  names: AccountNames,
): Promise<connections.Sender | undefined> {
  const { id } = givenAccount(names)
  if (typeof id === 'string') {
    const found = await findNamed(sql, organizationId, id)
    return 'account' in found ? found.account : undefined
  }
  const [only, other] = await connections.listSenders(sql, organizationId)
  return other ? undefined : only
}

/**
 * The account of a connection's id, which may be disconnected, or of the 12 digits of an account
 * that has exactly one live connection here. `problem`: why there is none.
 */
export async function findNamed(
  sql: Executor,
  organizationId: Uuid,
  id: string,
): Promise<{ account: connections.Sender } | { problem: string }> {
  if (isAccountNumber(id)) {
    const [only, other] = await connections.listSenders(sql, organizationId, id)
    if (!only) return { problem: 'is the number of no connected account' }
    if (!other) return { account: only }
    return { problem: 'is the number of an account with several connections: give the id of one' }
  }
  const account = isUuid(id) ? await connections.findSender(sql, organizationId, id) : undefined
  return account ? { account } : { problem: 'names no account' }
}

/**
 * The connected account that is named, or the only one there is. Throws a 400 that names the field,
 * and a 403 when it belongs to another organization.
 */
export async function requireAccount(
  tx: Transaction,
  organizationId: Uuid,
  names: AccountNames,
): Promise<connections.Sender> {
  const { field, id, differs } = givenAccount(names)
  if (differs) refuse('awsAccountId', DIFFERS)
  if (typeof id !== 'string') {
    const [only, other] = await connections.listSenders(tx, organizationId)
    if (!only) return refuse(field, 'is needed: no account is connected')
    if (other) return refuse(field, 'is needed: several accounts are connected')
    return only
  }
  const found = await findNamed(tx, organizationId, id)
  if ('problem' in found) {
    if (await isElsewhere(tx, 'connection', organizationId, id)) throw refusalOf('connection', true)
    return refuse(field, found.problem)
  }
  if (found.account.disconnectedAt !== null) refuse(field, 'names a disconnected account')
  return found.account
}
