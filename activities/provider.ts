import type { AccountReading } from '../src/domain/accounts/health.ts'
import type { Identity, ListedIdentity } from '../src/domain/accounts/identity.ts'
import type { IamRole } from '../src/domain/accounts/iam-role.ts'

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

export interface HealthReader {
  read(iamRole: IamRole, signal: AbortSignal): Promise<ProviderAnswer<AccountReading>>
}
