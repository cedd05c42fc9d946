import { AppError } from '../../domain/errors.ts'
import { domainOf, sendersOf } from '../../domain/accounts/identity.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Warning } from '../../schemas/common.ts'
import * as readings from '../../store/accounts/provider-readings.ts'
import type { Sql } from '../../store/db/sql.ts'
import { eachOf } from './account-search.ts'
import type { Asker } from './ask-provider.ts'
import { hear, questionAbout } from './live-readings.ts'
import { createWaitingRoom } from './waiting-room.ts'

const ANSWER_MS = 2_000
/** Age up to which a list of identities can prove a sender. */
const LIST_FRESH_MS = 60_000
/**
 * Age up to which a list can refuse a sender if a newer list is possible, since the sender may be
 * verified by now.
 */
const REFUSAL_FRESH_MS = 5_000
const MOST_AT_ONCE = 10

/** Returns whether an account may send from an address. `not_known`: it gave no answer in time. */
type SenderState = 'verified' | 'not_verified' | 'not_known'

export interface Sender {
  connectionId: Uuid
  address: string
}

export interface CheckedSenders {
  stateOf(sender: Sender): SenderState
}

export const NOTHING_KNOWN: CheckedSenders = { stateOf: () => 'not_known' }

interface Caller {
  sql: Sql
  organizationId: Uuid
}

/**
 * Checks whether senders are verified, all at once, within two seconds. Accounts cause no errors:
 * without an answer the state is not known.
 */
export function createSenderCheck({ asker, now }: { asker: Asker; now: () => number }) {
  const waiting = createWaitingRoom()

  async function ask(
    { sql, organizationId }: Caller,
    { connectionId, address }: Sender,
    until: number,
  ): Promise<SenderState> {
    const key = { organizationId, connectionId, what: questionAbout() }
    const find = () => readings.findSender(sql, key, sendersOf(address))
    const reading = await find()
    // Of the last complete list, also while the account is asked again.
    const age = reading?.readAgoMs ?? Number.POSITIVE_INFINITY
    const isGood = age < LIST_FRESH_MS
    if (isGood && reading?.maySend) return 'verified'
    const question = { sql, organizationId, connectionId, until, freshMs: REFUSAL_FRESH_MS }
    const answer = await waiting(organizationId, () => hear(asker, question, find)).catch(ifTooMany)
    if (answer?.kind === 'read') return answer.reading.maySend ? 'verified' : 'not_verified'
    return isGood ? 'not_verified' : 'not_known'
  }

  return async (caller: Caller, senders: readonly Sender[]): Promise<CheckedSenders> => {
    const until = now() + ANSWER_MS
    const distinct = new Map(senders.map((sender) => [keyOf(sender), sender]))
    const states = await eachOf([...distinct], MOST_AT_ONCE, async ([key, sender]) => {
      return [key, await ask(caller, sender, until)] as const
    })
    const statesByKey = new Map(states)
    return { stateOf: (sender) => statesByKey.get(keyOf(sender)) ?? 'not_known' }
  }
}

const keyOf = ({ connectionId, address }: Sender): string => `${connectionId} ${address}`

function ifTooMany(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'RATE_LIMITED') return undefined
  throw error
}

export const SENDER_NOT_VERIFIED = 'sender_not_verified'

export const notVerified = (address: string): string =>
  `is not verified: the account has no verified identity for ${address}, which would be the address itself, ${domainOf(address)} or a domain above it`

export const notChecked = (path: string, address: string): Warning => ({
  reason: 'sender_not_checked',
  path,
  message: `The account did not report in time whether ${address} is verified. Mail from an unverified identity is refused`,
})
