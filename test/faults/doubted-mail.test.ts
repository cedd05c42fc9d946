import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createMailer } from '../../activities/aws/mailer.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import type { Mailer } from '../../activities/mailer.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { executionRuns } from '../../src/loops/execution-reconciler.ts'
import { reconcileNextPage } from '../../src/loops/run-reconciler.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import { markForReconciling } from '../../src/store/flows/held-executions.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { parseKeyring } from '../../src/keys/tokens.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { acceptedBy, connectSender, type Sender } from '../support/cohorts.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { executionRow, path, seedExecutions, seedFlow } from '../support/flows.ts'
import { forgetRuns } from '../support/runs.ts'
import { startTestSystem } from '../support/system.ts'

/** Nothing but the tests says how long a mail is claimed or in doubt. */
const NEVER_MS = 600_000
const TIMINGS = {
  ...SHORT_TIMINGS,
  // Nothing is late because the machine is busy.
  beginMs: 60_000,
  callMs: 60_000,
  leaseMs: NEVER_MS,
  doubtMs: NEVER_MS,
  awaitedMs: NEVER_MS,
  noProgressMs: NEVER_MS,
}
const LONGEST_MS = 480_000
const ATTEMPTS_LOST = 3
const quiet = { info: () => {}, warn: () => {}, error: () => {} }

let system: Awaited<ReturnType<typeof startTestSystem>>
let sender: Sender
let engine: Engine
let mailer: Mailer
/** What the provider answers is on its way until this is over. */
let onItsWay: Promise<unknown> = Promise.resolve()
let arrive = (): void => {}

beforeAll(async () => {
  system = await startTestSystem()
  sender = await connectSender(system, 50)
  await system.worker.stop()
  const env = system.envOf('worker')
  for (const name of ['AWS_ENDPOINT_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
    process.env[name] = env[name]
  }
  mailer = createMailer({ roles: createRoles(), callMs: TIMINGS.callMs })
  engine = await startEngine({
    databaseUrl: system.databaseUrl,
    mailer: {
      send: async (mail, call) => {
        const outcome = await mailer.send(mail, call)
        await onItsWay
        return outcome
      },
      close: () => mailer.close(),
    },
    timings: TIMINGS,
    keyring: parseKeyring(env['LETTERLOOM_KEYS'] ?? ''),
  })
})
afterEach(() => arrive())
afterAll(async () => {
  await engine.stop()
  await mailer.close()
  await system.stop()
})

const holdAnswers = (): void => {
  onItsWay = new Promise<void>((resolve) => {
    arrive = resolve
  })
}

/** An execution whose step has a mail in this state, which the provider has accepted. */
async function sendUntil(state: 'claimed' | 'unknown') {
  const { sql } = system
  const { organizationId, accountId } = sender
  const sandbox = sandboxControl(system.sandboxUrl)
  const isLost = state === 'unknown'
  await sandbox.setFaults(
    { eventsStopped: true, acceptThenResetPercent: isLost ? 100 : 0 },
    accountId,
  )
  if (!isLost) holdAnswers()
  const config = { subject: state, html: '<p>Welcome</p>', from: SENDER }
  const flow = await seedFlow(sql, organizationId, {
    steps: [{ id: 'hello', type: 'send_email', config }],
  })
  const body = { email: `${state}@example.com` }
  const { id: contactId } = await sender.client.post('/v1/contacts', { body })
  const [executionId = ''] = await seedExecutions(sql, flow, [contactId], { isEnqueued: true })
  const mails = () => sql<{ id: Uuid; state: string; messageId: string | null }[]>`
    select id, state, message_id from messages
    where organization_id = ${organizationId} and execution_id = ${executionId}`
  const accepted = async () =>
    (await acceptedBy(system, sender)).filter(({ subject }) => subject === state)
  await until(async () => (await mails())[0]?.state === state)
  await until(async () => (await accepted()).length === 1)
  return { executionId, mails, accepted }
}

const stepOf = async (executionId: Uuid) => {
  const [step] = await system.sql`
    select status, mail_id, result from execution_steps where execution_id = ${executionId}`
  return step
}

/** Until a run has taken its step up so often. */
const taken = (executionId: Uuid, attempt: number, times: number) =>
  until(async () => {
    const run = engine.client.workflow.getHandle(executionWorkflowId(executionId, attempt))
    const { events } = await run.fetchHistory().catch(() => ({ events: [] }))
    const visits = events?.filter((event) => event.activityTaskCompletedEventAttributes)
    return visits?.length === times
  })

/** Temporal loses the run, which is noticed as soon as anybody looks. */
async function loseRun(executionId: Uuid, attempt: number): Promise<void> {
  const { client } = engine
  await forgetRuns(client, executionWorkflowId(executionId, attempt))
  await markForReconciling(system.sql, executionId)
  const deps = { sql: system.sql, temporal: client, timings: TIMINGS, log: quiet }
  await reconcileNextPage(deps, executionRuns(deps), undefined)
}

it.each(['claimed', 'unknown'] as const)(
  'a mail that is %s stays the only one of its step, whoever takes the step up again',
  async (state) => {
    const { executionId, mails, accepted } = await sendUntil(state)
    const [mail] = await mails()
    const isAsBefore = async (): Promise<void> => {
      expect(await mails()).toEqual([{ id: mail?.id, state, messageId: null }])
      expect(await stepOf(executionId)).toEqual({
        status: 'executing',
        mailId: mail?.id,
        result: null,
      })
    }
    await taken(executionId, 1, 1)
    await isAsBefore()

    // The same visit once more by the same run, as after a worker that was lost.
    const wake = { kind: 'wake_execution', payload: { executionId } } as const
    await outbox.put(system.sql, sender.organizationId, wake, undefined)
    await taken(executionId, 1, 2)
    await isAsBefore()

    // And by the runs of the attempts after it, until they are given up.
    for (let attempt = 1; attempt < ATTEMPTS_LOST; attempt++) {
      await loseRun(executionId, attempt)
      await taken(executionId, attempt + 1, 1)
      await isAsBefore()
    }
    await loseRun(executionId, ATTEMPTS_LOST)
    expect(await executionRow(system.sql, executionId)).toMatchObject({ reason: 'run_lost' })

    // And by a try of its own, which a customer asks for.
    const params = { path: { executionId } }
    await sender.client.post('/v1/workflows/executions/{executionId}/retry', { params })
    await taken(executionId, ATTEMPTS_LOST + 1, 1)
    await isAsBefore()

    arrive()
    await sandboxControl(system.sandboxUrl).resetFaults(sender.accountId)
    await until(async () => (await executionRow(system.sql, executionId)).status === 'completed')
    // Longer than a second mail would wait for the drain.
    await sleep(1_000)
    const [received, ...others] = await accepted()
    expect(others).toEqual([])
    const messageId = received?.messageId
    expect(await mails()).toEqual([{ id: mail?.id, state: 'sent', messageId }])
    expect(await stepOf(executionId)).toEqual({
      status: 'completed',
      mailId: mail?.id,
      result: { mailId: mail?.id, messageId },
    })
    expect(await path(system.sql, executionId)).toEqual(['hello completed try 2'])
  },
  LONGEST_MS,
)
