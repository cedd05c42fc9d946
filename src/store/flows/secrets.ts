import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** Sealed headers of the webhook steps of one version, see src/keys/sealing.ts. */
export interface SealedHeaders {
  stepId: string
  sealed: Buffer
}

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
 * Replaces the secret of a flow. The previous one still signs for `overlapMs`. Returns the end of
 * that time. Undefined: the flow does not exist.
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

/** The sealed secrets and headers of a webhook step: see src/keys/sealing.ts. */
export interface WebhookSecrets {
  secret: Buffer
  /** Null: there is none, or it has expired. */
  previousSecret: Buffer | null
  /** Null: the step has no headers. */
  headers: Buffer | null
}

/** Secrets of one step in one version of a flow. Undefined: there is no such flow. */
export async function findOfStep(
  sql: Executor,
  organizationId: Uuid,
  { flowId, version, stepId }: { flowId: Uuid; version: number; stepId: string },
): Promise<WebhookSecrets | undefined> {
  const [row] = await sql<WebhookSecrets[]>`
    select sealed_secret as secret, sealed as headers,
      case when previous_secret_until > statement_timestamp() then previous_sealed_secret end
        as previous_secret
    from flows
    left join flow_headers h on h.organization_id = flows.organization_id
      and h.flow_id = flows.id and h.version = ${version} and h.step_id = ${stepId}
    where flows.organization_id = ${organizationId} and flows.id = ${flowId}`
  return row
}
