import type { AccountReading } from '../src/domain/accounts/health.ts'
import type { Identity, ListedIdentity } from '../src/domain/accounts/identity.ts'
import type { IamRole } from '../src/domain/accounts/iam-role.ts'

/** Reasons for a missing answer of the provider. */
export type Refusal =
  | 'denied'
  | 'throttled'
  /** No connection, no answer in time, or a failure of the provider. */
  | 'failed'

export type ProviderAnswer<T> = { kind: 'told'; value: T } | { kind: Refusal }

export interface Identities {
  /**
   * Yields page by page. A refusal is the last page. Each page has its own signal. If it ends
   * before the page arrives, that is `failed`.
   */
  list(
    iamRole: IamRole,
    signalOfPage: () => AbortSignal,
  ): AsyncIterable<ProviderAnswer<ListedIdentity[]>>
  find(
    iamRole: IamRole,
    identity: string,
    signal: AbortSignal,
  ): Promise<ProviderAnswer<Identity | undefined>>
}

export interface ConsolePolicies {
  /** Null: the role carries no console policy, or one without a version. */
  version(iamRole: IamRole, signal: AbortSignal): Promise<ProviderAnswer<number | null>>
}

/** Reads an account's sending quota and reputation. */
export interface HealthReader {
  read(iamRole: IamRole, signal: AbortSignal): Promise<ProviderAnswer<AccountReading>>
}
