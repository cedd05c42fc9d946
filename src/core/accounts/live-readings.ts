import { createHash } from 'node:crypto'
import { ASK_MS, IDENTITIES } from '../../domain/accounts/provider-questions.ts'
import { AppError } from '../../domain/errors.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as readings from '../../store/accounts/provider-readings.ts'
import type { Sql } from '../../store/db/sql.ts'
import { type Asker, CANNOT_ASK } from './ask-provider.ts'
import { tooMany } from './waiting-room.ts'

/** Questions of an organization to all its accounts that may be open at once. */
const MOST_ASKING = 100
/** Age up to which the last reading of a throttled account replaces a new one. */
const STILL_GOOD_MS = 60_000

/** Answer of an account. `unreachable`: none in time. `not_asked`: no worker was running. */
export type PagesAnswer<Page> =
  | { kind: 'read'; pages: Page[] }
  | { kind: 'missing' }
  | { kind: 'unreachable' }
  | { kind: 'not_asked' }

interface Question {
  sql: Sql
  organizationId: Uuid
  connectionId: Uuid
  identity?: string
  /** Milliseconds since 1970. */
  until: number
  /** Largest age of an acceptable answer, in milliseconds. */
  freshMs?: number
}

type ReadingAnswer<Reading> =
  | { kind: 'read'; reading: Reading }
  | Exclude<PagesAnswer<unknown>, { kind: 'read' }>

/**
 * Returns an account's current pages: a reading of the last seconds, otherwise a new one.
 * Concurrent callers share a question. Throws a 429 if the organization asks too much at once.
 */
export async function askAccount<Page>(
  asker: Asker,
  question: Question,
): Promise<PagesAnswer<Page>> {
  const answer = await hear(asker, question, (sql, key) => readings.find<Page>(sql, key))
  return answer.kind === 'read' ? { kind: 'read', pages: answer.reading.pages } : answer
}

export async function hear<Reading extends readings.State>(
  asker: Asker,
  question: Question,
  find: (sql: Sql, key: readings.Key) => Promise<Reading | undefined>,
): Promise<ReadingAnswer<Reading>> {
  const { sql, organizationId, connectionId, identity, until } = question
  const { freshMs = readings.FRESH_MS } = question
  const key = { organizationId, connectionId, what: questionAbout(identity) }
  const look = async () => heardFrom(await find(sql, key), freshMs)

  if (Date.now() >= until) return { kind: 'unreachable' }
  const knownAnswer = await look()
  if (knownAnswer) return knownAnswer
  const outcome = await readings.begin(sql, {
    ...key,
    subject: identity ?? null,
    leaseMs: ASK_MS,
    mostAsking: MOST_ASKING,
    freshMs,
  })
  if (outcome === 'full') throw tooMany()
  if (outcome === 'joined') {
    const meanwhile = await look()
    if (meanwhile) return meanwhile
  }
  try {
    await asker.ask(key, until)
  } catch (error) {
    if (outcome === 'asking') await readings.giveUp(sql, key)
    if (error instanceof AppError && error.reason === CANNOT_ASK) return { kind: 'not_asked' }
    throw error
  }
  const reading = await find(sql, key)
  // No worker has even looked at it: that says nothing about the account.
  if (reading && reading.outcome === null && !reading.isBegun) return { kind: 'not_asked' }
  return heardFrom(reading, freshMs) ?? { kind: 'unreachable' }
}

function heardFrom<Reading extends readings.State>(
  reading: Reading | undefined,
  freshMs: number,
): ReadingAnswer<Reading> | undefined {
  const { outcome, answeredAgoMs, readAgoMs } = reading ?? { outcome: null, answeredAgoMs: null }
  if (!reading || !outcome || answeredAgoMs === null) return undefined
  const isAnswer = outcome === 'read' || outcome === 'missing'
  if (answeredAgoMs > (isAnswer ? freshMs : readings.FAILURE_FRESH_MS)) return undefined
  if (outcome === 'missing') return { kind: 'missing' }
  const standsIn =
    outcome === 'throttled' && (readAgoMs ?? Number.POSITIVE_INFINITY) < STILL_GOOD_MS
  if (outcome === 'read' || standsIn) return { kind: 'read', reading }
  return { kind: 'unreachable' }
}

/**
 * Returns the name of a question. An identity may be a person's address, so no workflow id contains
 * it.
 */
export const questionAbout = (identity?: string): string =>
  identity === undefined
    ? IDENTITIES
    : `identity/${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}`
