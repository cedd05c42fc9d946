import type { Identity, ListedIdentity } from '../src/domain/identity.ts'
import type { Role } from './aws/roles.ts'

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
  list(role: Role, signalOfPage: () => AbortSignal): AsyncIterable<Told<ListedIdentity[]>>
  /** Undefined: the account has no such identity. */
  find(role: Role, identity: string, signal: AbortSignal): Promise<Told<Identity | undefined>>
}

/** Reads what the role says of itself. */
export interface ConsolePolicies {
  /** Null: the role carries no console policy, or one that does not say its version. */
  version(role: Role, signal: AbortSignal): Promise<Told<number | null>>
}
