import {
  type AccountNames,
  DIFFERS,
  givenAccount,
  isAccountNumber,
} from '../../domain/accounts/account-names.ts'
import { AppError, notFound, refuse, unavailable } from '../../domain/errors.ts'
import type { ListedIdentity } from '../../domain/accounts/identity.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { StoredIdentity } from '../../schemas/accounts/domain.ts'
import * as connections from '../../store/accounts/connections.ts'
import type { Sql } from '../../store/db/sql.ts'
import { missing } from '../access/ownership.ts'
import { eachOf, search, type Searched } from './account-search.ts'
import { type Asker, cannotAsk } from './ask-provider.ts'
import { askAccount } from './live-readings.ts'
import { resolveAccount } from './resolve-sender.ts'
import { createWaitingRoom } from './waiting-room.ts'

/** Milliseconds after which an account is reported as unreachable. */
const ANSWER_MS = 8_000
const RETRY_AFTER_SECONDS = 5
/** Accounts that one request asks at once: half of what the organization may ask. */
const MOST_AT_ONCE = 50

interface Caller {
  sql: Sql
  organizationId: Uuid
}

/** Reads sending identities live: providers are asked by a workflow's activity. */
export function createIdentities({ asker, now }: { asker: Asker; now: () => number }) {
  const waiting = createWaitingRoom()

  /**
   * Lists the identities of one account, or of all connected accounts. Throws a 503 if no worker is
   * running.
   */
  async function listIdentities(caller: Caller, names: AccountNames) {
    const { sql, organizationId } = caller
    const accounts = await accountsOf(caller, names)
    const until = now() + ANSWER_MS
    const answers = await waiting(organizationId, () =>
      eachOf(accounts, MOST_AT_ONCE, async (account) => {
        const question = { sql, organizationId, connectionId: account.id, until }
        const answer =
          account.disconnectedAt === null
            ? await askAccount<ListedIdentity[]>(asker, question)
            : { kind: 'unreachable' as const }
        return { account, answer }
      }),
    )
    const hasAnswer = answers.some(
      ({ answer: said }) => said.kind === 'read' || said.kind === 'missing',
    )
    if (!hasAnswer && answers.some(({ answer: said }) => said.kind === 'not_asked'))
      throw cannotAsk()
    return answers
  }

  /**
   * Asks the accounts in the order in which they were connected, until one has the identity. Throws
   * a 404 if no account that answers has it, and a 503 if none answers.
   */
  async function findIdentity(caller: Caller, names: AccountNames, identity: string | undefined) {
    const { sql, organizationId } = caller
    const accounts = await accountsOf(caller, names)
    const connected = accounts.filter(({ disconnectedAt }) => disconnectedAt === null)
    if (identity === undefined || connected.length === 0) throw notFound('Identity')
    const until = now() + ANSWER_MS
    let isAnyNotAsked = false
    const searched = await waiting(organizationId, () =>
      search(connected, until, now, async ({ id: connectionId }) => {
        const question = { sql, organizationId, connectionId, identity, until }
        const answer = await askAccount<StoredIdentity>(asker, question)
        if (answer.kind === 'missing') return undefined
        isAnyNotAsked ||= answer.kind === 'not_asked'
        return answer.kind === 'read' ? answer.pages[0] : 'unreachable'
      }),
    )
    const unreachableAccountIds = searched.unreachable.map(({ id }) => id)
    if (!searched.match) {
      const isNoAnswer = searched.unreachable.length === connected.length
      throw isNoAnswer && isAnyNotAsked ? cannotAsk() : nowhere(searched, connected.length)
    }
    return { ...searched.match, unreachableAccountIds }
  }

  return { listIdentities, findIdentity }
}

/**
 * Returns the named account, or all connected accounts in the order in which they were connected.
 */
async function accountsOf({ organizationId, sql }: Caller, names: AccountNames) {
  const { field, id, differs } = givenAccount(names)
  if (differs) refuse('awsAccountId', DIFFERS)
  if (typeof id !== 'string') return connections.listAccounts(sql, organizationId)
  const resolvedAccount = await resolveAccount(sql, organizationId, names)
  if ('problem' in resolvedAccount && isAccountNumber(id)) refuse(field, resolvedAccount.message)
  // Also one that is disconnected.
  const accountId = 'id' in resolvedAccount ? resolvedAccount.id : id
  const account = isUuid(accountId)
    ? await connections.findAccount(sql, organizationId, accountId)
    : undefined
  if (!account) throw await missing(sql, 'connection', organizationId, id)
  return [account]
}

function nowhere(
  { unreachable }: Searched<unknown, connections.Account>,
  askedCount: number,
): AppError {
  if (unreachable.length < askedCount) {
    if (unreachable.length === 0) return notFound('Identity')
    return new AppError('NOT_FOUND', 'No account that answers has this identity', {
      reason: 'accounts_unreachable',
      details: unreachable.map(({ id }) => ({
        path: 'cloudAccountId',
        message: `${id} did not answer`,
      })),
    })
  }
  return unavailable('None of the connected accounts can be reached', {
    reason: 'accounts_unreachable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
