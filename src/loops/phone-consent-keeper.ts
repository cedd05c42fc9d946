import { backfillPhoneConsents } from '../core/consent/phone-consent-backfill.ts'
import type { Keyring } from '../keys/tokens.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

/** Once all contacts were read, nothing is left to do. */
const EVERY_MS = 600_000

/** Puts the numbers of contacts that opted out before there was a list of numbers on it. */
export const startPhoneConsentKeeper = ({
  sql,
  keyring,
  log,
}: {
  sql: Sql
  keyring: Keyring
  log: Log
}) =>
  startLoop({
    name: 'phone-consent-keeper',
    idleMs: EVERY_MS,
    log,
    round: () => backfillPhoneConsents(sql, keyring),
  })
