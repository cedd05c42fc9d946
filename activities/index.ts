import { Context } from '@temporalio/activity'
import type { Timings } from '../src/domain/delivery/timings.ts'
import type { Run } from '../src/store/batches/batch-runs.ts'
import type { Sql } from '../src/store/db/sql.ts'
import type {
  AskProviderInput,
  DispatchHooksInput,
  DispatchMailInput,
  DispatchTextsInput,
  ImportContactsInput,
} from '../workflows/contract.ts'
import type { BatchContentDeps } from './batches/batch-mails.ts'
import { withHeartbeat } from './with-heartbeat.ts'
import { createBatchActivities } from './batches/batches.ts'
import { createConfirmationActivities } from './consent/confirmations.ts'
import { type ConsolePolicyDeps, createConsolePolicyActivities } from './accounts/console-policy.ts'
import type { MailDrains } from './mails/drain-mail.ts'
import type { DrainTexts } from './mails/drain-texts.ts'
import { createDrainHooks, type DrainHooksDeps } from './hooks/drain-hooks.ts'
import { createErasureActivities } from './privacy/erasures.ts'
import { createFlowActivities, type FlowDeps } from './flows/flows.ts'
import { createRetentionActivities } from './privacy/retention.ts'
import { createImportActivities } from './contacts/imports.ts'
import { createFlowScheduleActivities, type FireScheduleDeps } from './flows/flow-schedules.ts'
import { createIdentityActivities, type IdentityDeps } from './accounts/identities.ts'
import type { Mailer, Verifier } from './mailer.ts'
import { createSendChunk, type SendChunkInput } from './batches/send-chunk.ts'
import {
  type ConnectionDeps,
  createCheckActivities,
  createConnectionActivities,
} from './accounts/verify-connection.ts'

export interface ActivityDeps extends Omit<FireScheduleDeps, 'sql'> {
  sql: Sql
  claimSql: Sql
  mailer: Mailer
  verifier: Verifier
  timings: Timings
  content: BatchContentDeps
  freezePage?: number
  erasurePage?: number
  fetcher?: FlowDeps['fetcher']
}

/**
 * Short activities on the control queue: our database, rendering mail of flows and confirmations,
 * and single queries to the provider.
 */
export const createControlActivities = (deps: ActivityDeps) => {
  const batches = createBatchActivities(deps)
  return {
    beginBatch: (run: Run) => withHeartbeat(() => batches.beginBatch(run)),
    freezeAudience: (run: Run) => withHeartbeat(() => batches.freezeAudience(run)),
    completeBatch: (run: Run) => withHeartbeat(() => batches.completeBatch(run)),
    decideTest: (run: Run) => withHeartbeat(() => batches.decideTest(run)),
    failBatch: (run: Run, reason: string) => withHeartbeat(() => batches.failBatch(run, reason)),
    reportBatch: (run: Run) => withHeartbeat(() => batches.reportBatch(run)),
    ...createConnectionActivities(deps),
    ...createConfirmationActivities(deps),
    ...createErasureActivities(deps),
    ...createRetentionActivities(deps),
    ...createFlowActivities(deps),
    ...createFlowScheduleActivities(deps),
  }
}

export const createWebhookActivities = (deps: ActivityDeps) => {
  const { runStep } = createFlowActivities(deps)
  return { runStep }
}

export const createSendActivities = (deps: ActivityDeps) => {
  const sendChunk = createSendChunk(deps)
  return { sendChunk: (input: SendChunkInput) => withHeartbeat(() => sendChunk(input)) }
}

export const createMailActivities = ({ drainMail }: Pick<MailDrains, 'drainMail'>) => ({
  drainMail: (input: DispatchMailInput) => withHeartbeat(() => drainMail(input)),
})

/** Single texts, on the task queue of single mail. */
export const createTextActivities = (drainTexts: DrainTexts) => ({
  drainTexts: (input: DispatchTextsInput) => withHeartbeat(() => drainTexts(input)),
})

/** Calls of webhook endpoints, on the task queue of hooks. */
export const createHookActivities = (deps: DrainHooksDeps) => {
  const drainHooks = createDrainHooks(deps)
  return { drainHooks: (input: DispatchHooksInput) => withHeartbeat(() => drainHooks(input)) }
}

export const createImportQueueActivities = ({ sql, content }: ActivityDeps) => {
  const activities = createImportActivities({ sql, keyring: content.keyring })
  return {
    ...activities,
    importPages: (input: ImportContactsInput) =>
      withHeartbeat(() => activities.importPages(input, Context.current().cancellationSignal)),
  }
}
export const createProviderActivities = (
  deps: IdentityDeps & ConsolePolicyDeps & ConnectionDeps,
) => {
  const { readIdentities } = createIdentityActivities(deps)
  const { probeConsolePolicy } = createConsolePolicyActivities(deps)
  const { checkConnection } = createCheckActivities(deps)
  return {
    readIdentities: (input: AskProviderInput) => withHeartbeat(() => readIdentities(input)),
    probeConsolePolicy: (input: AskProviderInput) => withHeartbeat(() => probeConsolePolicy(input)),
    checkConnection: (input: AskProviderInput) => withHeartbeat(() => checkConnection(input)),
  }
}

export { createHealthActivities, type HealthActivities } from './accounts/account-health.ts'
export { createNoticeActivities, type NoticeActivities } from './accounts/notices.ts'

export type ControlActivities = ReturnType<typeof createControlActivities>
export type SendActivities = ReturnType<typeof createSendActivities>
export type MailActivities = ReturnType<typeof createMailActivities>
export type TextActivities = ReturnType<typeof createTextActivities>
export type HookActivities = ReturnType<typeof createHookActivities>
export type ImportActivities = ReturnType<typeof createImportQueueActivities>
export type ProviderActivities = ReturnType<typeof createProviderActivities>
