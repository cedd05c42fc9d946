import type { Account } from '../accounts.ts'
import type { Deps } from '../deps.ts'

/** An authenticated call of the service. */
export interface SmsCall {
  deps: Deps
  account: Account
  body: Buffer
}
