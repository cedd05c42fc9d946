import type { AccountReading } from '../src/domain/accounts/health.ts'
import type { Identity, ListedIdentity } from '../src/domain/accounts/identity.ts'
import type { IamRole } from '../src/domain/accounts/iam-role.ts'

/** Why a provider did not answer what it was asked. */
export type Refusal =
  /** The role cannot be assumed, or may not do this. */
  | 'denied'
  /** Too many questions at the moment. */
  | 'throttled'
  /** No connection, no answer in time, or a failure on its side. */
  | 'failed'

/** What became of a question. */
export type Told<T> = { kind: 'told'; value: T } | { kind: Refusal }

/** Reads the identities of an account, live. */
export interface Identities {
  /**
   * Page by page; a refusal is the last. Each page has a signal of its own: when it ends before the
   * page is there, that is `failed`.
   */
  list(iamRole: IamRole, signalOfPage: () => AbortSignal): AsyncIterable<Told<ListedIdentity[]>>
  /** Undefined: the account has no such identity. */
  find(iamRole: IamRole, identity: string, signal: AbortSignal): Promise<Told<Identity | undefined>>
}

/** Reads what the role says of itself. */
export interface ConsolePolicies {
  /** Null: the role carries no console policy, or one that does not say its version. */
  version(iamRole: IamRole, signal: AbortSignal): Promise<Told<number | null>>
}

/** Reads an account's sending quota and reputation. */
export interface HealthReader {
  /** Ends when `signal` does, as `failed`. */
  read(iamRole: IamRole, signal: AbortSignal): Promise<Told<AccountReading>>
}
