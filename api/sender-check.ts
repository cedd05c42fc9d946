import type { FastifyRequest } from 'fastify'
import { AppError } from '../src/domain/errors.ts'
import { domainOf, sendersOf } from '../src/domain/identity.ts'
import type { Uuid } from '../src/ids.ts'
import type { Warning } from '../src/schemas/common.ts'
import * as readings from '../src/store/provider-readings.ts'
import type { Sql } from '../src/store/sql.ts'
import { eachOf } from './account-search.ts'
import type { Asker } from './asker.ts'
import { hear, questionAbout } from './live-readings.ts'
import { createWaitingRoom } from './waiting-room.ts'

/** The longest that creating a batch waits for what the account says. */
const ANSWER_MS = 2_000
/** A list of identities that has the sender is good for so long. */
const LIST_FRESH_MS = 60_000
/** Nobody is refused by an older one, if there can be a newer: they may just have verified it. */
const REFUSAL_FRESH_MS = 5_000
/** Of one request; they wait for the same moment. */
const MOST_AT_ONCE = 10

/** Whether an account may send from an address; `not_known`: it did not say, in time. */
type Standing = 'verified' | 'not_verified' | 'not_known'

/** An address that is to be sent from, through an account. */
export interface Sender {
  connectionId: Uuid
  address: string
}

/** What was found out about the senders of a request, before its transaction began. */
export interface CheckedSenders {
  standing(sender: Sender): Standing
}

/** Nothing was asked. */
const NOTHING_KNOWN: CheckedSenders = { standing: () => 'not_known' }

/**
 * Finds out whether senders are verified, in a `preHandler`: no transaction is open while an
 * account is asked, and a request that is answered by its Idempotency-Key is refused for nothing
 * that was found. Never fails because of an account: what it does not say is not known.
 */
export function createSenderChecks({ asker, now }: { asker: Asker; now: () => number }) {
  const waiting = createWaitingRoom()
  const checked = new WeakMap<FastifyRequest, CheckedSenders>()

  async function ask(
    { sql, organizationId }: { sql: Sql; organizationId: Uuid },
    { connectionId, address }: Sender,
    until: number,
  ): Promise<Standing> {
    const key = { organizationId, connectionId, what: questionAbout() }
    const find = () => readings.findSender(sql, key, sendersOf(address))
    const known = await find()
    // Of the last complete list, also while the account is asked again.
    const age = known?.readAgoMs ?? Number.POSITIVE_INFINITY
    const isGood = age < LIST_FRESH_MS
    if (isGood && known?.maySend) return 'verified'
    const question = { sql, organizationId, connectionId, until, freshMs: REFUSAL_FRESH_MS }
    const heard = await waiting(organizationId, () => hear(asker, question, find)).catch(ifTooMany)
    if (heard?.kind === 'read') return heard.reading.maySend ? 'verified' : 'not_verified'
    return isGood ? 'not_verified' : 'not_known'
  }

  return {
    /** Asks about the senders of a request, all at once, within two seconds. */
    check: async (request: FastifyRequest, senders: readonly Sender[]): Promise<void> => {
      const until = now() + ANSWER_MS
      const distinct = new Map(senders.map((sender) => [nameOf(sender), sender]))
      const standings = await eachOf([...distinct], MOST_AT_ONCE, async ([name, sender]) => {
        return [name, await ask(request.caller, sender, until)] as const
      })
      const found = new Map(standings)
      checked.set(request, { standing: (sender) => found.get(nameOf(sender)) ?? 'not_known' })
    },

    /** What was found. */
    of: (request: FastifyRequest): CheckedSenders => checked.get(request) ?? NOTHING_KNOWN,
  }
}

const nameOf = ({ connectionId, address }: Sender): string => `${connectionId} ${address}`

function ifTooMany(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'RATE_LIMITED') return undefined
  throw error
}

/** An answer, with its warnings if there are any. */
export const warned = <T extends object>(
  answer: T,
  warnings: Warning[],
): T & { warnings?: Warning[] } => (warnings.length === 0 ? answer : { ...answer, warnings })

/** Why a sender is refused. */
export const SENDER_NOT_VERIFIED = 'sender_not_verified'

/** What to say of a sender that is not verified. */
export const notVerified = (address: string): string =>
  `is not verified: the account has no verified identity for ${address}, which would be the address itself, ${domainOf(address)} or a domain above it`

/** What to say of one that nothing is known of. */
export const notChecked = (path: string, address: string): Warning => ({
  reason: 'sender_not_checked',
  path,
  message: `The account did not say in time whether ${address} is verified; mail from an identity that is not will be refused`,
})
