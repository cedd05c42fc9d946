import type { Account } from '../accounts.ts'
import type { Deps } from '../deps.ts'
import type { Faults } from '../faults.ts'

/** One authenticated call of SES. */
export interface SesCall {
  deps: Deps
  account: Account
  faults: Faults
  /** The calling role, as in `ses:caller-identity`. */
  role: string
  query: URLSearchParams
  body: Buffer
}
