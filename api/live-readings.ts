import { createHash } from 'node:crypto'
import { AppError } from '../src/domain/errors.ts'
import type { Uuid } from '../src/ids.ts'
import * as readings from '../src/store/provider-readings.ts'
import type { Sql } from '../src/store/sql.ts'
import { ASK_MS, IDENTITIES } from '../workflows/contract.ts'
import { type Asker, CANNOT_ASK } from './asker.ts'
import { tooMany } from './waiting-room.ts'

/** Questions of an organization to all its accounts that may be open at once. */
const MOST_ASKING = 100
/** A throttled account's last reading stands in for a new one while it is this young. */
const STILL_GOOD_MS = 60_000

/** What an account said. `unreachable`: nothing, in time; `not_asked`: nobody was there to ask. */
export type Said<Page> =
  | { kind: 'read'; pages: Page[] }
  | { kind: 'missing' }
  | { kind: 'unreachable' }
  | { kind: 'not_asked' }

interface Question {
  sql: Sql
  organizationId: Uuid
  connectionId: Uuid
  /** One identity; absent: all of them. */
  identity?: string
  /** Milliseconds since 1970. */
  until: number
}

/**
 * What an account says at this moment: a reading of the last seconds, else the provider is asked,
 * once for all who want to know the same. Throws 429 when the organization asks too much at once.
 */
export async function askAccount<Page>(asker: Asker, question: Question): Promise<Said<Page>> {
  const { sql, organizationId, connectionId, identity, until } = question
  const key = { organizationId, connectionId, what: questionAbout(identity) }

  if (Date.now() >= until) return { kind: 'unreachable' }
  const known = said(await readings.find<Page>(sql, key))
  if (known) return known
  const begun = await readings.begin(sql, {
    ...key,
    subject: identity ?? null,
    patienceMs: ASK_MS,
    mostAsking: MOST_ASKING,
  })
  if (begun === 'full') throw tooMany()
  if (begun === 'joined') {
    const meanwhile = said(await readings.find<Page>(sql, key))
    if (meanwhile) return meanwhile
  }
  try {
    await asker.ask(key, until)
  } catch (error) {
    if (begun === 'asking') await readings.giveUp(sql, key)
    if (error instanceof AppError && error.reason === CANNOT_ASK) return { kind: 'not_asked' }
    throw error
  }
  const reading = await readings.find<Page>(sql, key)
  // No worker has even looked at it: that says nothing about the account.
  if (reading && reading.outcome === null && !reading.isBegun) return { kind: 'not_asked' }
  return said(reading) ?? { kind: 'unreachable' }
}

/** Undefined: what is stored is no answer to somebody who asks now. */
function said<Page>(reading: readings.Reading<Page> | undefined): Said<Page> | undefined {
  const { outcome, answeredAgoMs, readAgoMs } = reading ?? { outcome: null, answeredAgoMs: null }
  if (!reading || !outcome || answeredAgoMs === null) return undefined
  const isAnswer = outcome === 'read' || outcome === 'missing'
  if (answeredAgoMs > (isAnswer ? readings.FRESH_MS : readings.FAILURE_FRESH_MS)) return undefined
  if (outcome === 'missing') return { kind: 'missing' }
  const standsIn =
    outcome === 'throttled' && (readAgoMs ?? Number.POSITIVE_INFINITY) < STILL_GOOD_MS
  if (outcome === 'read' || standsIn) return { kind: 'read', pages: reading.pages }
  return { kind: 'unreachable' }
}

/**
 * What a question is called. An identity may be somebody's address: no workflow's id names it.
 */
export const questionAbout = (identity?: string): string =>
  identity === undefined
    ? IDENTITIES
    : `identity/${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}`
