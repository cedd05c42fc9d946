import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** The sealed secrets and headers of a webhook step: see src/keys/sealing.ts. */
export interface WebhookSecrets {
  secret: Buffer
  /** Null: there is none, or its time is over. */
  previousSecret: Buffer | null
  /** Null: the step has no headers of its own. */
  headers: Buffer | null
}

/** Secrets of one step in one version of a flow. Undefined: there is no such flow. */
export async function load(
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
