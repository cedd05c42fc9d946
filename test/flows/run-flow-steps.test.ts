import { ApplicationFailure } from '@temporalio/activity'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Attempt, createRunStep, type RunStepInput } from '../../activities/flows/run-step.ts'
import { createSteps, type Steps } from '../../activities/flows/steps/index.ts'
import type { StepOutcome } from '../../src/core/flows/moves.ts'
import type { StepRun } from '../../activities/flows/steps/step.ts'
import type { StepType } from '../../src/domain/flows/flow.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createDefinitionCache } from '../../src/store/flows/definition-cache.ts'
import * as executionOperations from '../../src/core/flows/retry-and-cancel.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { type Sql, type Transaction, transact } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { newNamespace, until } from '../support/engine.ts'
import { endOf, type FlowWorker, startFlowWorker } from '../support/flow-runs.ts'
import {
  executionRow,
  figures,
  type FlowSketch,
  path,
  seedExecutions,
  seedFlow,
} from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { connectAs } from '../support/logins.ts'

expectWarnings(
  /^Activity failed (beginExecution|runStep) Error: the worker stumbled$/,
  /^A step could not be run/,
  /^Activity failed runStep .*busy$/,
  /^Workflow failed runFlow .*failed: internal_error$/,
)

const ATTEMPT: Attempt = { number: 1, isLocal: false, signal: new AbortController().signal }
let database: TestDatabase
let sql: Sql
let workerSql: Sql
let temporal: TestTemporal
let worker: FlowWorker
let organizationId: string

type Act = (tx: Transaction, run: StepRun<StepType>) => Promise<StepOutcome>
/** What the step of the test does, by turns. */
let acts: Act[]
let calls: { try: number; attempt: number; isResumed: boolean }[]
/** What every runStep activity was asked for. */
let ran: RunStepInput[]

const act =
  (isResumed: boolean): Act =>
  async (tx, run) => {
    calls.push({ try: run.try, attempt: calls.length + 1, isResumed })
    // What a step writes is undone with it.
    await tx`
      update contacts
      set properties = properties
        || jsonb_build_object('n', coalesce((properties ->> 'n')::int, 0) + 1)
      where id = ${run.execution.contactId}`
    const next = acts.shift()
    if (!next) return { kind: 'done' }
    return next(tx, run)
  }

/** In place of mail: a stored step that may wait; of a webhook: one that calls. */
const faked: Steps = {
  send_email: { where: 'local', locksContact: true, enter: act(false), resume: act(true) },
  webhook: {
    where: 'webhook',
    call: async (run, { number }) => {
      calls.push({ try: run.try, attempt: number, isResumed: false })
      const next = acts.shift()
      return next ? transact(workerSql, (tx) => next(tx, run)) : { kind: 'done' }
    },
  },
}

beforeAll(async () => {
  ;[database, temporal] = await Promise.all([createDatabase(), openTemporal()])
  sql = database.sql
  workerSql = connectAs(database.url, { name: 'flows', role: 'letterloom_worker' })
  const content = { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://x' }
  const calling = { sql: workerSql, fetcher: createFetcher({ allowed: [] }), now: Date.now }
  const steps = { ...createSteps({ ...content, ...calling }), ...faked }
  worker = await startFlowWorker(
    temporal,
    { sql: workerSql, content, steps, mostAttempts: 3 },
    {
      // The queue of webhooks has the product's name: a namespace of its own.
      namespace: await newNamespace(temporal.connection),
      changes: ({ runStep }) => ({
        runStep: (input) => {
          ran.push(input)
          return runStep(input)
        },
      }),
    },
  )
})
afterAll(async () => {
  await worker.stop()
  await temporal.close()
  await workerSql.end()
  await database.drop()
})
beforeEach(async () => {
  acts = []
  calls = []
  ran = []
  organizationId = (await seedOrganization(sql)).organizationId
})

const mail = (id: string) => ({ id, type: 'send_email', config: {} }) as const
const webhook = (id: string) =>
  ({ id, type: 'webhook', config: { url: 'https://x.example', method: 'POST' } }) as const

async function seed(sketch: FlowSketch) {
  const flow = await seedFlow(sql, organizationId, sketch)
  const [contactId = ''] = await seedContacts(sql, organizationId, 1)
  const [executionId = ''] = await seedExecutions(sql, flow, [contactId])
  return { flow, contactId, executionId }
}

async function run(sketch: FlowSketch) {
  const seeded = await seed(sketch)
  const handle = await worker.start({ organizationId, executionId: seeded.executionId })
  return { ...seeded, handle, end: await endOf(handle.result()) }
}

const written = async (contactId: string) => {
  const [row] = await sql<{ n: number | null }[]>`
    select (properties ->> 'n')::int as n from contacts where id = ${contactId}`
  return row?.n ?? 0
}

describe('a step that breaks', () => {
  const breaks: Act = () => Promise.reject(new Error('the worker stumbled'))

  const goes: Act = async () => ({ kind: 'done' })

  it.each([
    ['the first', 'beginExecution', ['mail'], [breaks, breaks]],
    ['another', 'runStep', ['before', 'mail'], [goes, breaks, breaks]],
  ])(
    'is undone whole, and done once when it is tried again: %s',
    async (_, activity, steps, acting) => {
      acts = [...acting]
      const { end, contactId, executionId, handle } = await run({ steps: steps.map(mail) })
      expect(end).toMatchObject({ status: 'completed' })
      expect(calls).toHaveLength(acting.length + 1)
      expect(await written(contactId)).toBe(steps.length)
      expect(await path(sql, executionId)).toEqual(steps.map((step) => `${step} completed`))
      // First as a local activity, then as a normal one that is retried.
      const { events } = await handle.fetchHistory()
      const scheduled = events?.flatMap((event) => event.activityTaskScheduledEventAttributes ?? [])
      expect(scheduled?.map(({ activityType }) => activityType?.name)).toEqual([activity])
    },
  )

  it('by a value that Postgres refuses fails the execution at once, and tells no secret', async () => {
    acts = [(tx) => tx`select 'secret value'::int` as never]
    const { end, contactId, executionId, flow } = await run({ steps: [mail('mail')] })
    expect(end).toBe('The step "mail" failed: internal_error')
    const row = await executionRow(sql, executionId)
    expect(row).toMatchObject({ status: 'failed', reason: 'internal_error' })
    expect(row.error).not.toContain('secret')
    expect(await written(contactId)).toBe(0)
    expect(await figures(sql, flow)).toMatchObject({ failed: 1, live: 0 })
  })

  it('every time fails the execution in the end, and can be retried', async () => {
    acts = Array.from({ length: 4 }, () => breaks)
    const { end, contactId, executionId } = await run({ steps: [mail('mail')] })
    expect(end).toBe('The step "mail" failed: internal_error')
    // Once as a local activity.
    expect(calls).toHaveLength(4)
    await transact(sql, (tx) =>
      executionOperations.retry(tx, organizationId, executionId, undefined),
    )
    const second = await worker.start({ organizationId, executionId }, { attempt: 2 })
    expect(await endOf(second.result())).toMatchObject({ status: 'completed' })
    expect(await written(contactId)).toBe(1)
    expect(await path(sql, executionId)).toEqual(['mail completed try 2'])
  })
})

describe('a step that waits', () => {
  const waits: Act = async () => ({ kind: 'wait', status: 'waiting', until: null })

  it('is looked at again when it is woken, and goes on when what it waits for has come', async () => {
    acts = [waits, waits]
    const { contactId, executionId } = await seed({ steps: [mail('mail')] })
    const handle = await worker.start({ organizationId, executionId })
    const status = async () => (await executionRow(sql, executionId)).status
    await until(async () => (await status()) === 'waiting' || undefined)
    const shown = async () => (await handle.describe()).searchAttributes['AppStatus']?.[0]
    await until(async () => (await shown()) === 'waiting' || undefined)
    await handle.signal('wake')
    await until(() => Promise.resolve(calls.length === 2 || undefined))
    expect(await status()).toBe('waiting')
    await handle.signal('wake')
    expect(await endOf(handle.result())).toMatchObject({ status: 'completed' })
    expect(calls.map(({ isResumed }) => isResumed)).toEqual([false, true, true])
    expect(await written(contactId)).toBe(3)
    expect(await shown()).toBe('completed')
  })

  it('loses no wake that comes while it is being looked at', async () => {
    let handle: Awaited<ReturnType<FlowWorker['start']>> | undefined
    const { executionId } = await seed({ steps: [mail('mail')] })
    acts = [
      async () => {
        await until(() => Promise.resolve(handle))
        await handle?.signal('wake')
        return { kind: 'wait', status: 'waiting', until: null }
      },
    ]
    handle = await worker.start({ organizationId, executionId })
    expect(await endOf(handle.result())).toMatchObject({ status: 'completed' })
    expect(calls.map(({ isResumed }) => isResumed)).toEqual([false, true])
  })
})

describe('a step that calls somebody', () => {
  it('is called again after a crash, and its outcome stored once', async () => {
    acts = [
      () => Promise.reject(ApplicationFailure.retryable('busy')),
      () => Promise.reject(new Error('the worker stumbled')),
      async () => ({ kind: 'done', branch: 'success', result: { status: 200 } }),
    ]
    const { end, executionId } = await run({
      steps: [webhook('hook'), mail('good'), mail('bad')],
      transitions: ['hook:success>good', 'hook:failure>bad'],
    })
    expect(end).toMatchObject({ status: 'completed' })
    expect(calls.map((call) => call.attempt)).toEqual([1, 2, 3, 4])
    expect(await path(sql, executionId)).toEqual(['hook completed success', 'good completed'])
    const [row] = await sql`
      select result from execution_steps where execution_id = ${executionId} and step_id = 'hook'`
    expect(row).toEqual({ result: { status: 200 } })
  })

  it('changes nothing when the execution ended meanwhile', async () => {
    const { executionId, flow } = await seed({ steps: [webhook('hook'), mail('mail')] })
    acts = [
      async (tx) => {
        await executionOperations.cancel(tx, organizationId, executionId, undefined)
        return { kind: 'done' }
      },
    ]
    const handle = await worker.start({ organizationId, executionId })
    expect(await endOf(handle.result())).toEqual({
      status: 'cancelled',
      reason: 'cancelled_by_api',
    })
    expect(await path(sql, executionId)).toEqual(['hook skipped'])
    expect(await figures(sql, flow)).toMatchObject({ cancelled: 1, live: 0 })
  })
})

describe('a step that has run', () => {
  it('answers what came after it, and does nothing, however often it is run again', async () => {
    const { contactId, executionId } = await seed({
      steps: [
        mail('one'),
        mail('two'),
        { id: 'wait', type: 'delay', config: { amount: 1, unit: 'days' } },
      ],
    })
    const handle = await worker.start({ organizationId, executionId })
    await until(async () => (await executionRow(sql, executionId)).status === 'paused' || undefined)
    const runStep = createRunStep({
      sql: workerSql,
      steps: faked,
      definitions: createDefinitionCache(),
    })
    const again = (change: Partial<RunStepInput> = {}) =>
      runStep({ ...(ran[0] as RunStepInput), stepId: 'one', ...change }, ATTEMPT)
    const toTwo = { do: 'step', name: 'two', where: 'local', stepId: 'two', visit: 1 }
    // The execution is paused by now.
    const answers = [
      { ...toTwo, status: 'paused' },
      { ...toTwo, status: 'paused' },
    ]
    expect(await Promise.all([again(), again()])).toEqual(answers)
    expect(await again({ stepId: 'two' })).toMatchObject({ do: 'step', stepId: 'wait' })
    // Somebody else's run, of this execution or of another's.
    const { fence } = ran[0] as RunStepInput
    expect(await again({ fence: { ...fence, runId: uuidv7() } })).toEqual({ do: 'leave' })
    expect(await again({ organizationId: uuidv7() })).toEqual({ do: 'leave' })
    expect(await written(contactId)).toBe(2)
    expect(await path(sql, executionId)).toEqual([
      'one completed',
      'two completed',
      'wait executing',
    ])
    await handle.terminate()
  })
})

describe('a long run', () => {
  it('runs at most twenty steps in one workflow task', async () => {
    const { end, handle } = await run({
      steps: Array.from({ length: 45 }, (_, index) => mail(`mail-${index}`)),
    })
    expect(end).toMatchObject({ status: 'completed' })
    const { events = [] } = await handle.fetchHistory()
    const tasks = events?.filter((event) => event.workflowTaskCompletedEventAttributes)
    const activities = events?.filter((event) => event.activityTaskScheduledEventAttributes)
    expect(activities).toHaveLength(2)
    expect(tasks?.length).toBeLessThanOrEqual(4)
    expect(events?.length).toBeLessThan(80)
    expect(calls).toHaveLength(45)
  })

  it('goes on as a new run where its history is long, and is still the one that holds it', async () => {
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'properties.n', operator: 'lessThan', value: 60 }] }],
    } as const
    // A history of 4 MB is long: what a marker says of the next step makes it so.
    const name = 'x'.repeat(100_000)
    const { contactId, executionId, flow } = await seed({
      steps: [
        { ...mail('count'), name },
        { id: 'again', name, type: 'condition', config: { condition: condition as never } },
        { id: 'wait', type: 'delay', config: { amount: 1, unit: 'days' } },
      ],
      transitions: ['count>again', 'again:yes>count', 'again:no>wait'],
    })
    const handle = await worker.start({ organizationId, executionId })
    const status = async () => (await executionRow(sql, executionId)).status
    await until(async () => (await status()) === 'paused' || undefined)
    expect(await written(contactId)).toBe(60)
    expect(calls).toHaveLength(60)
    const { runId } = await handle.describe()
    expect(runId).not.toBe(handle.firstExecutionRunId)
    await handle.cancel()
    await expect(handle.result()).rejects.toThrow('cancelled')
    expect(await executionRow(sql, executionId)).toMatchObject({ reason: 'stopped_by_operator' })
    expect(await figures(sql, flow)).toMatchObject({ cancelled: 1, live: 0 })
  })

  it('bears the longest and oddest names', async () => {
    const names = ['\u{1d54f}'.repeat(200), '"'.repeat(200), '\u0001'.repeat(200)]
    const { end } = await run({ steps: names.map((name, at) => ({ ...mail(`m${at}`), name })) })
    expect(end).toMatchObject({ status: 'completed' })
  })

  it('shows an operator each step by its name', async () => {
    const { handle } = await run({ steps: [{ ...mail('a'), name: 'Say hello' }, mail('b')] })
    const { events = [] } = await handle.fetchHistory()
    const summaries = events?.flatMap(({ userMetadata }) =>
      userMetadata?.summary?.data ? [Buffer.from(userMetadata.summary.data).toString()] : [],
    )
    expect(summaries).toEqual(['"begins; runs a local first step"', '"b"'])
    const shown = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')
    expect(shown.currentDetails).toBe('1. Say hello\n1. b\n1. **completed**')
  })
})
