import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** Sealed headers of the webhook steps of one version, see src/keys/sealing.ts. */
export interface SealedHeaders {
  stepId: string
  sealed: Buffer
}

/** One version of a flow. */
export interface VersionKey {
  organizationId: Uuid
  flowId: Uuid
  version: number
}

export const listHeaders = (sql: Executor, { organizationId, flowId, version }: VersionKey) => sql<
  SealedHeaders[]
>`
  select step_id, sealed
  from flow_headers
  where organization_id = ${organizationId} and flow_id = ${flowId} and version = ${version}`

export async function putHeaders(
  tx: Transaction,
  { organizationId, flowId, version }: VersionKey,
  headers: readonly SealedHeaders[],
): Promise<void> {
  for (const { stepId, sealed } of headers) {
    await tx`
      insert into flow_headers (organization_id, flow_id, version, step_id, sealed)
      values (${organizationId}, ${flowId}, ${version}, ${stepId}, ${sealed})`
  }
}

/**
 * Gives a flow another secret; the one before it still signs for `overlapMs`. Returns when that
 * ends. Undefined: there is no such flow.
 */
export async function rotate(
  tx: Transaction,
  { organizationId, id }: { organizationId: Uuid; id: Uuid },
  sealedSecret: Buffer,
  overlapMs: number,
): Promise<string | undefined> {
  const [rotated] = await tx<{ previousSecretUntil: string }[]>`
    update flows
    set sealed_secret = ${sealedSecret}, previous_sealed_secret = sealed_secret,
      previous_secret_until = clock_timestamp() + ${overlapMs} * interval '1 millisecond'
    where organization_id = ${organizationId} and id = ${id} and deleted_at is null
    returning previous_secret_until`
  return rotated?.previousSecretUntil
}
