import {
  type Client,
  TerminatedFailure,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { executionWorkflowId } from '../../workflows/contract.ts'
import type { Timings } from '../domain/timings.ts'
import { isUuid } from '../ids.ts'
import * as reconciling from '../store/execution-reconciling.ts'
import * as outbox from '../store/outbox.ts'
import type { Sql } from '../store/sql.ts'
import { type Log, startLoop } from './loop.ts'

/** What is listed may be some seconds old, and clocks differ. */
const OVERLAP_MS = 120_000
/** How far the first round looks back; what ended before is found by having no progress. */
const FIRST_MS = 3_600_000
/** Runs that are looked up at once in Postgres. */
const PAGE = 500
/** Executions without progress that one round looks at. */
const STILL = 200
/** Runs that Temporal is asked about at once. */
const WINDOW = 5
/** Executions of deleted flows that are ended at once. */
const DELETED = 200

interface Deps {
  sql: Sql
  temporal: Client
  timings: Timings
  log: Log
}

type Settled = 'kept' | 'stopped' | 'restarted' | 'failed' | 'promised'

/**
 * Settles executions whose runs are over while they are not: an operator stopped the run in the
 * Temporal UI, it ended at a limit of Temporal's, or Temporal lost it. And ends the executions of
 * flows that were deleted.
 *
 * Any number of processes may do so at once: what is written depends on the run that held the
 * execution when it was read.
 */
export function startExecutionReconciler(deps: Deps) {
  const { timings, log } = deps
  let since = Date.now() - FIRST_MS
  let after: reconciling.Cursor | undefined
  return startLoop({
    name: 'execution-reconciler',
    idleMs: timings.reconcileMs,
    log,
    round: async () => {
      const startedAt = Date.now()
      await settleClosed(deps, since)
      since = startedAt - OVERLAP_MS
      after = await settleStill(deps, after)
      return (await reconciling.endOfDeletedFlows(deps.sql, DELETED)) === DELETED
    },
  })
}

/**
 * Settles what was left behind by runs that closed since then (milliseconds since 1970). A run that
 * completed leaves nothing behind, or is found by `settleStill`.
 */
export async function settleClosed(deps: Deps, since: number): Promise<void> {
  const query = [
    `WorkflowType = 'runFlow'`,
    `ExecutionStatus in ('Terminated', 'Canceled', 'Failed', 'TimedOut')`,
    `CloseTime >= '${new Date(since).toISOString()}'`,
  ].join(' and ')
  /** Workflow ids by execution. */
  let page = new Map<string, string[]>()
  for await (const run of deps.temporal.workflow.list({ query, pageSize: PAGE })) {
    const { workflowId } = run
    const [attribute] = run.searchAttributes['ExecutionId'] ?? []
    const id = typeof attribute === 'string' ? attribute : workflowId.split('/')[1]
    if (id === undefined || !isUuid(id)) continue
    page.set(id, [...(page.get(id) ?? []), workflowId])
    if (page.size === PAGE) page = await settlePage(page)
  }
  await settlePage(page)

  async function settlePage(runs: Map<string, string[]>): Promise<Map<string, string[]>> {
    const live = await reconciling.listLive(deps.sql, [...runs.keys()])
    const left = live.filter((held) => runs.get(held.id)?.includes(workflowIdOf(held)))
    await settleAll(deps, left)
    return new Map()
  }
}

/**
 * Looks at a page of the executions without progress. Answers where the next one goes on;
 * undefined: from the start.
 */
export async function settleStill(
  deps: Deps,
  after: reconciling.Cursor | undefined,
): Promise<reconciling.Cursor | undefined> {
  const { stillMs } = deps.timings
  const page = await reconciling.listStill(deps.sql, { stillMs, after, limit: STILL })
  // Temporal may have been away for long: what is promised to it is not lost.
  const unbegun = page.filter(({ fenceRunId }) => fenceRunId === null).map(({ id }) => id)
  const promised = await outbox.listPromised(deps.sql, unbegun)
  await settleAll(
    deps,
    page.filter(({ id }) => !promised.has(id)),
  )
  return page.length < STILL ? undefined : page.at(-1)
}

async function settleAll(deps: Deps, executions: reconciling.Held[]): Promise<void> {
  const waiting = executions.values()
  const lanes = Array.from({ length: WINDOW }, async () => {
    for (const held of waiting) await settleOne(deps, held)
  })
  await Promise.all(lanes)
}

/** One that cannot be settled must not keep the others from it. */
async function settleOne(deps: Deps, held: reconciling.Held): Promise<void> {
  const { id: executionId, attempt } = held
  try {
    const settled = await settle(deps, held)
    if (settled !== 'kept') {
      deps.log.warn({ executionId, attempt, settled }, 'an execution had lost its run')
    }
  } catch (error) {
    deps.log.error({ executionId, attempt, err: error }, 'an execution could not be settled')
  }
}

async function settle({ sql, temporal }: Deps, held: reconciling.Held): Promise<Settled> {
  switch (await fateOf(temporal, workflowIdOf(held))) {
    case 'open':
      return 'kept'
    case 'stopped':
      return (await reconciling.stop(sql, held)) ? 'stopped' : 'kept'
    case 'lost':
      return reconciling.restart(sql, held)
    case 'unknown':
      if (held.fenceRunId !== null) return reconciling.restart(sql, held)
      return (await reconciling.promiseAgain(sql, held)) ? 'promised' : 'kept'
  }
}

/** Of the run that holds it, or is to begin it. */
const workflowIdOf = ({ id, attempt, fenceWorkflowId }: reconciling.Held): string =>
  fenceWorkflowId ?? executionWorkflowId(id, attempt)

/** `stopped`: by somebody; `lost`: by no one's will; `unknown`: Temporal has no such workflow. */
type Fate = 'open' | 'stopped' | 'lost' | 'unknown'

/** What became of the newest run of a workflow id. */
async function fateOf(temporal: Client, workflowId: string): Promise<Fate> {
  const handle = temporal.workflow.getHandle(workflowId)
  try {
    const { status, runId } = await handle.describe()
    switch (status.name) {
      case 'RUNNING':
      case 'CONTINUED_AS_NEW':
      case 'PAUSED':
      case 'UNSPECIFIED':
      case 'UNKNOWN':
        return 'open'
      case 'CANCELLED':
        return 'stopped'
      case 'TERMINATED':
        return (await isByServer(temporal, workflowId, runId)) ? 'lost' : 'stopped'
      case 'COMPLETED':
      case 'FAILED':
      case 'TIMED_OUT':
        return 'lost'
    }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'unknown'
    throw error
  }
}

/** Why the server itself terminates runs: temporalio/temporal, common/util.go. */
const LIMITS =
  /^(?:Workflow (?:history (?:size|count)|mutable state size)|Transaction size) exceeds limit\.$/

/** Whether a run was terminated by the server, at one of its limits. */
async function isByServer(temporal: Client, workflowId: string, runId: string): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(workflowId, runId).result()
    return false
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error
    return error.cause instanceof TerminatedFailure && LIMITS.test(error.cause.message)
  }
}
