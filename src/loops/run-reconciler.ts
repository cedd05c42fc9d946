import {
  type Client,
  TerminatedFailure,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts'
import type { Timings } from '../domain/delivery/timings.ts'
import { isUuid, type Uuid } from '../runtime/ids.ts'
import type { Sql } from '../store/db/sql.ts'
import { type Log, startLoop } from './loop.ts'

/** Overlap of two rounds, since a listing may be some seconds old and clocks differ. */
const OVERLAP_MS = 120_000
/** Range of the first round. Earlier ends are found page by page, among all rows. */
const FIRST_MS = 3_600_000
const PAGE = 500
const WINDOW = 5

export interface ReconcilerDeps {
  sql: Sql
  temporal: Client
  timings: Timings
  log: Log
}

export type Outcome = 'kept' | 'stopped' | 'restarted' | 'failed' | 'started'

/**
 * A kind of rows that are processed by runs. All writes depend on the read row, or are safe to
 * repeat: if another run has taken the row meanwhile, nothing changes and the outcome is `kept`.
 */
export interface RunOwner<Held, Cursor> {
  name: string
  idsOf(held: Held): Record<string, string | number | null>
  workflowIdOf(held: Held): string
  /** Finds the rows of recently closed runs. Absent: only pages find them. */
  closed?: ClosedRuns<Held>
  /**
   * Returns the next page of live rows, whose runs are described one by one. Undefined: from the
   * start.
   */
  nextPage(after: Cursor | undefined): Promise<{ page: Held[]; next: Cursor | undefined }>
  /** Called if an operator stopped the run. */
  stop(held: Held): Promise<Outcome>
  /** Called if the run ended without the row. The next attempt continues at its position. */
  restart(held: Held): Promise<Outcome>
  replace(held: Held): Promise<Outcome>
}

interface ClosedRuns<Held> {
  workflowType: 'runFlow' | 'sendBatch'
  attribute: keyof typeof SEARCH_ATTRIBUTES
  idOf: (held: Held) => Uuid
  listLive: (ids: readonly Uuid[]) => PromiseLike<Held[]>
}

/**
 * Reconciles live rows whose runs are over: an operator stopped the run in the Temporal UI, it
 * ended at a limit of Temporal's, or Temporal lost it.
 *
 * Any number of processes may do so at once: what is written depends on what was read. Each round
 * also does `more`, which returns whether there may be more to do right away.
 */
export function startRunReconciler<Held, Cursor>(
  deps: ReconcilerDeps,
  owner: RunOwner<Held, Cursor>,
  more: () => Promise<boolean> = () => Promise.resolve(false),
) {
  let since = Date.now() - FIRST_MS
  let after: Cursor | undefined
  return startLoop({
    name: `${owner.name}-reconciler`,
    idleMs: deps.timings.reconcileMs,
    log: deps.log,
    round: async () => {
      const startedAt = Date.now()
      await reconcileClosedRuns(deps, owner, since)
      since = startedAt - OVERLAP_MS
      after = await reconcileNextPage(deps, owner, after)
      return more()
    },
  })
}

/**
 * Reconciles rows of runs that closed since then (milliseconds since 1970). A completed run leaves
 * no open row, or the row is found by `reconcileNextPage`.
 */
export async function reconcileClosedRuns<Held, Cursor>(
  deps: ReconcilerDeps,
  owner: RunOwner<Held, Cursor>,
  since: number,
): Promise<void> {
  if (owner.closed === undefined) return
  const { workflowType, attribute, idOf, listLive } = owner.closed
  const query = [
    `WorkflowType = '${workflowType}'`,
    `ExecutionStatus in ('Terminated', 'Canceled', 'Failed', 'TimedOut')`,
    `CloseTime >= '${new Date(since).toISOString()}'`,
  ].join(' and ')
  let page = new Map<Uuid, string[]>()
  for await (const run of deps.temporal.workflow.list({ query, pageSize: PAGE })) {
    const { workflowId } = run
    const [rowIds] = run.searchAttributes[attribute] ?? []
    const id = typeof rowIds === 'string' ? rowIds : workflowId.split('/')[1]
    if (id === undefined || !isUuid(id)) continue
    page.set(id, [...(page.get(id) ?? []), workflowId])
    if (page.size === PAGE) page = await reconcilePage(page)
  }
  await reconcilePage(page)

  async function reconcilePage(runs: Map<Uuid, string[]>): Promise<Map<Uuid, string[]>> {
    const live = await listLive([...runs.keys()])
    const abandoned = live.filter((held) =>
      runs.get(idOf(held))?.includes(owner.workflowIdOf(held)),
    )
    await reconcileAll(deps, owner, abandoned)
    return new Map()
  }
}

/** Checks one page of live rows. Returns the start of the next page. Undefined: the first page. */
export async function reconcileNextPage<Held, Cursor>(
  deps: ReconcilerDeps,
  owner: RunOwner<Held, Cursor>,
  after: Cursor | undefined,
): Promise<Cursor | undefined> {
  const { page, next } = await owner.nextPage(after)
  await reconcileAll(deps, owner, page)
  return next
}

async function reconcileAll<Held, Cursor>(
  deps: ReconcilerDeps,
  owner: RunOwner<Held, Cursor>,
  all: readonly Held[],
): Promise<void> {
  const waiting = all.values()
  const workers = Array.from({ length: WINDOW }, async () => {
    for (const heldRow of waiting) await reconcileOne(deps, owner, heldRow)
  })
  await Promise.all(workers)
}

/** Reconciles one row. A failure must not hold up the others. */
async function reconcileOne<Held, Cursor>(
  { temporal, log }: ReconcilerDeps,
  owner: RunOwner<Held, Cursor>,
  held: Held,
): Promise<void> {
  const logFields = owner.idsOf(held)
  try {
    const outcome = await reconcile(temporal, owner, held)
    if (outcome !== 'kept') log.warn({ ...logFields, outcome }, `lost ${owner.name} run`)
  } catch (error) {
    log.error({ ...logFields, err: error }, `${owner.name} could not be reconciled with its run`)
  }
}

async function reconcile<Held, Cursor>(
  temporal: Client,
  owner: RunOwner<Held, Cursor>,
  held: Held,
): Promise<Outcome> {
  switch (await fateOf(temporal, owner.workflowIdOf(held))) {
    case 'open':
      return 'kept'
    case 'stopped':
      return owner.stop(held)
    case 'lost':
      return owner.restart(held)
    case 'unknown':
      return owner.replace(held)
  }
}

/** `stopped`: by a person. `lost`: by the server. `unknown`: Temporal has no such workflow. */
type Fate = 'open' | 'stopped' | 'lost' | 'unknown'

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

/** Reasons with which the server itself terminates runs: temporalio/temporal, common/util.go. */
const LIMITS =
  /^(?:Workflow (?:history (?:size|count)|mutable state size)|Transaction size) exceeds limit\.$/

/** Returns whether the server terminated a run at one of its limits. */
async function isByServer(temporal: Client, workflowId: string, runId: string): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(workflowId, runId).result()
    return false
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error
    return error.cause instanceof TerminatedFailure && LIMITS.test(error.cause.message)
  }
}
