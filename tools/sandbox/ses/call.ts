import type { Account } from '../accounts.ts'
import type { Deps } from '../deps.ts'
import type { Faults } from '../faults.ts'

/** One authenticated call of SES. */
export interface SesCall {
  deps: Deps
  account: Account
  faults: Faults
  /** The role that calls, as `ses:caller-identity` shows it. */
  role: string
  query: URLSearchParams
  body: Buffer
}
