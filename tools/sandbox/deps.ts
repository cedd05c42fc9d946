import type { Logger } from 'pino'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Accounts } from './accounts.ts'
import type { Calls } from './calls.ts'
import type { CredentialStore } from './credentials.ts'
import type { FaultSwitches } from './faults.ts'
import type { Ledger } from './ledger.ts'
import type { Limiter } from './limiter.ts'
import type { Pump } from './pump.ts'
import type { Queues } from './queues.ts'
import type { Settings } from './settings.ts'
import type { PartRates } from './sms/rates.ts'
import type { Texts } from './sms/texts.ts'
import type { Suppressions } from './suppressions.ts'

export interface Deps {
  sql: Sql
  log: Logger
  accounts: Accounts
  calls: Calls
  credentials: CredentialStore
  faults: FaultSwitches
  ledger: Ledger
  limiter: Limiter
  pump: Pump
  queues: Queues
  settings: Settings
  sms: { texts: Texts; rates: PartRates }
  suppressions: Suppressions
}
