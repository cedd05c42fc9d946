import {
  type AccountNames,
  DIFFERS,
  givenAccount,
  isAccountNumber,
} from '../../domain/accounts/account-names.ts'
import { refuse } from '../../domain/errors.ts'
import { type Mailbox, readSender } from '../../domain/mailbox.ts'
import { readAddress } from '../../domain/text.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as connections from '../../store/accounts/connections.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'

/** Reasons for a missing account or sender, as texts that follow the name of the field. */
const PROBLEMS = {
  no_from: 'is required',
  differs: DIFFERS,
  none: 'is required, but no account is connected',
  several: 'is required, since several accounts are connected',
  unknown: 'is not an account of this organization',
  unknown_number: 'is not the number of a connected account',
  several_of_number: 'is the number of an account with several connections. Send the id of one',
  disconnected: 'is a disconnected account',
}

export interface NoSender {
  problem: keyof typeof PROBLEMS | 'bad_name'
  path: string
  message: string
}

export interface SenderNames extends AccountNames {
  /** An address, or `Name <address>`. */
  from?: string | null | undefined
  fromName?: string | null | undefined
  replyTo?: string | null | undefined
}

export interface ResolvedSender extends Mailbox {
  connectionId: Uuid
  /** A delivery event of the account arrived in the last 24 hours. */
  receivesEvents: boolean
  replyTo: string | null
}

/**
 * Resolves the sender: the named account, or the only one, and the mailbox. All callers use this
 * function.
 */
export async function resolveSender(
  sql: Executor,
  organizationId: Uuid,
  names: SenderNames,
  accountOf = resolveAccount,
): Promise<ResolvedSender | NoSender> {
  const { from, fromName, replyTo } = names
  if (typeof from !== 'string') return noSender('no_from', 'from')
  const account = await accountOf(sql, organizationId, names)
  if ('problem' in account) return account
  const { address, name = null, problems } = readSender(from, fromName)
  const [problem] = problems
  if (problem) return { problem: 'bad_name', ...problem }
  const { id: connectionId, receivesEvents } = account
  const answersTo = replyTo ? (readAddress(replyTo) ?? replyTo.trim()) : null
  return { connectionId, receivesEvents, address, name, replyTo: answersTo }
}

/**
 * Returns the connected account with this connection id, or the only connection of this 12-digit
 * account. Without a name, returns the only account.
 */
export async function resolveAccount(
  sql: Executor,
  organizationId: Uuid,
  names: AccountNames,
): Promise<connections.Sender | NoSender> {
  const { field, id, differs } = givenAccount(names)
  if (differs) return noSender('differs', 'awsAccountId')
  if (typeof id !== 'string') {
    const [only, other] = await connections.listSenders(sql, organizationId)
    return only && !other ? only : noSender(only ? 'several' : 'none', field)
  }
  if (isAccountNumber(id)) {
    const [only, other] = await connections.listSenders(sql, organizationId, id)
    return only && !other ? only : noSender(only ? 'several_of_number' : 'unknown_number', field)
  }
  const account = isUuid(id) ? await connections.findSender(sql, organizationId, id) : undefined
  if (!account) return noSender('unknown', field)
  return account.disconnectedAt === null ? account : noSender('disconnected', field)
}

const noSender = (problem: keyof typeof PROBLEMS, path: string): NoSender => ({
  problem,
  path,
  message: PROBLEMS[problem],
})

/** Returns `resolveAccount` with a memory, for many rows that name the same accounts. */
export function rememberAccounts(): typeof resolveAccount {
  const knownAccounts = new Map<string, ReturnType<typeof resolveAccount>>()
  return (sql, organizationId, names) => {
    const key = JSON.stringify(givenAccount(names))
    const account = knownAccounts.get(key) ?? resolveAccount(sql, organizationId, names)
    knownAccounts.set(key, account)
    return account
  }
}

/**
 * Resolves the account. Throws a 400 that names the field, and a 403 for another organization's
 * account.
 */
export const requireAccount = async (tx: Transaction, organizationId: Uuid, names: AccountNames) =>
  required(tx, organizationId, names, await resolveAccount(tx, organizationId, names))

export const requireSender = async (tx: Transaction, organizationId: Uuid, names: SenderNames) =>
  required(tx, organizationId, names, await resolveSender(tx, organizationId, names))

async function required<Found extends object>(
  tx: Transaction,
  organizationId: Uuid,
  names: AccountNames,
  resolved: Found | NoSender,
): Promise<Found> {
  if (!('problem' in resolved)) return resolved
  const { id } = givenAccount(names)
  if (resolved.problem === 'unknown')
    await refuseForeign(tx, 'connection', organizationId, id ?? '')
  return refuse(resolved.path, resolved.message)
}
