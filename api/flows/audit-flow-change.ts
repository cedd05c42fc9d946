import type { FastifyRequest } from 'fastify'
import type { Executor } from '../../src/store/db/sql.ts'
import type { WholeFlow } from '../../src/store/flows/flows.ts'
import { audit } from '../access/audit.ts'
import type { Deps } from '../deps.ts'

export async function auditFlowChange(
  tx: Executor,
  request: FastifyRequest,
  now: Deps['now'],
  { was, flow }: { was: WholeFlow; flow: WholeFlow },
): Promise<void> {
  const subject = { kind: 'workflow', id: flow.id }
  const isUpdated =
    flow.version !== was.version ||
    flow.name !== was.name ||
    flow.slug !== was.slug ||
    flow.description !== was.description
  if (isUpdated) {
    const detail = { version: flow.version }
    await audit(tx, request, now, { action: 'workflow.updated', subject, detail })
  }
  if (flow.enabled !== was.enabled) {
    const action = flow.enabled ? 'workflow.enabled' : 'workflow.disabled'
    await audit(tx, request, now, { action, subject })
  }
}
