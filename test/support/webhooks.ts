import { createWebhook, type WebhookDeps } from '../../activities/flows/steps/webhook.ts'
import type { StepRun } from '../../activities/flows/steps/step.ts'
import type { Definition, StepOf } from '../../src/domain/flows/flow.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { flowHeadersPlace, flowSecretPlace, seal } from '../../src/keys/sealing.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import { newSigningSecret } from '../../src/keys/webhook-signatures.ts'
import type { SeededFlow } from './flows.ts'

export type WebhookConfig = StepOf<'webhook'>['config']

/** Gives a flow its own secret and its webhook step headers, in stored form. */
export async function sealFlow(
  sql: Sql,
  keyring: Keyring,
  { organizationId, flowId }: Pick<SeededFlow, 'organizationId' | 'flowId'>,
  { stepId = 'call', headers }: { stepId?: string; headers?: Record<string, string> } = {},
): Promise<string> {
  const secret = newSigningSecret()
  const sealedSecret = seal(keyring, 'flow-secret', flowSecretPlace(organizationId, flowId), secret)
  await sql`update flows set sealed_secret = ${sealedSecret} where id = ${flowId}`
  if (headers) {
    const place = flowHeadersPlace(organizationId, { flowId, version: 1, stepId })
    const sealed = seal(keyring, 'flow-headers', place, JSON.stringify(headers))
    await sql`
      insert into flow_headers (organization_id, flow_id, version, step_id, sealed)
      values (${organizationId}, ${flowId}, 1, ${stepId}, ${sealed})`
  }
  return secret
}

/** Replaces the secret as `rotate-secret` does. The former one signs until then. */
export async function rotateSecret(
  sql: Sql,
  keyring: Keyring,
  flow: Pick<SeededFlow, 'organizationId' | 'flowId'>,
  overlap: string,
): Promise<string> {
  await sql`
    update flows
    set previous_sealed_secret = sealed_secret,
      previous_secret_until = now() + ${overlap}::interval
    where id = ${flow.flowId}`
  return sealFlow(sql, keyring, flow)
}

interface Visiting {
  flow: SeededFlow
  contactId: Uuid
  executionId: Uuid
  more?: Partial<Pick<StepRun<'webhook'>, 'visit' | 'try'>>
  data?: Record<string, unknown>
}

/** A visit of the flow's step `call`, in the form in which the step gets it. */
export function visitOf({ flow, contactId, executionId, data = {}, more }: Visiting) {
  const { organizationId, flowId, definition } = flow
  const now = new Date().toISOString()
  const run: StepRun<'webhook'> = {
    execution: {
      id: executionId,
      organizationId,
      flowId,
      flowName: 'Welcome',
      version: 1,
      definition,
      contactId,
      topicId: null,
      eventId: null,
      occurredAt: now,
      createdAt: now,
      data,
    },
    step: webhookOf(definition),
    visit: 1,
    try: 1,
    enteredAt: now,
    mailId: null,
    dueAt: null,
    now,
    ...more,
  }
  return run
}

function webhookOf({ steps }: Definition): StepOf<'webhook'> {
  const step = steps.find(({ type }) => type === 'webhook')
  if (step?.type !== 'webhook') throw new Error('the flow has no webhook step')
  return step
}

/** Calls once, as a worker would. Returns the outcome, or the failure that asks for another try. */
export async function callOnce(
  deps: WebhookDeps,
  run: StepRun<'webhook'>,
  { number = 1, signal = new AbortController().signal } = {},
) {
  return createWebhook(deps).call(run, { number, signal })
}
