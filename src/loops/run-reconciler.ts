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

/** A listing may be some seconds old, and clocks differ. */
const OVERLAP_MS = 120_000
/** How far the first round looks back; earlier ends are found page by page, among all rows. */
const FIRST_MS = 3_600_000
/** Runs that are looked up in Postgres at once. */
const PAGE = 500
/** Runs that Temporal is asked about at once. */
const WINDOW = 5

export interface ReconcilerDeps {
  sql: Sql
  temporal: Client
  timings: Timings
  log: Log
}

export type Outcome = 'kept' | 'stopped' | 'restarted' | 'failed' | 'started'

/**
 * A kind of rows whose work runs carry on. Everything it writes depends on what was read, or is
 * safe to repeat: when another run has taken the row meanwhile, nothing changes and it returns
 * `kept`.
 */
export interface RunOwner<Held, Cursor> {
  /** Of its rows, in logs. */
  name: string
  /** The ids of a row, as logs name it. */
  idsOf(held: Held): Record<string, string | number | null>
  /** The workflow id of the run that holds it, or is to begin it. */
  workflowIdOf(held: Held): string
  /** How runs that closed a moment ago lead to their rows. Absent: only pages find them. */
  closed?: ClosedRuns<Held>
  /** The next page of live rows whose runs are described one by one; undefined: from the start. */
  nextPage(after: Cursor | undefined): Promise<{ page: Held[]; next: Cursor | undefined }>
  /** An operator stopped its run. */
  stop(held: Held): Promise<Outcome>
  /** Its run ended and left it behind: the next attempt goes on where it stands. */
  restart(held: Held): Promise<Outcome>
  /** Temporal has no such workflow. */
  replace(held: Held): Promise<Outcome>
}

interface ClosedRuns<Held> {
  workflowType: 'runFlow' | 'sendBatch'
  /** The search attribute that names the row of a run. */
  attribute: keyof typeof SEARCH_ATTRIBUTES
  idOf: (held: Held) => Uuid
  /** Those of these rows that are live. */
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
 * Reconciles what was left behind by runs that closed since then (milliseconds since 1970). A run
 * that completed leaves nothing behind, or is found by `reconcileNextPage`.
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
  /** Workflow ids by the rows of their runs. */
  let page = new Map<Uuid, string[]>()
  for await (const run of deps.temporal.workflow.list({ query, pageSize: PAGE })) {
    const { workflowId } = run
    const [named] = run.searchAttributes[attribute] ?? []
    const id = typeof named === 'string' ? named : workflowId.split('/')[1]
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

/** Looks at one page of live rows. Returns where the next begins; undefined: at the start. */
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
    for (const held of waiting) await reconcileOne(deps, owner, held)
  })
  await Promise.all(workers)
}

/** One that cannot be reconciled must not hold up the others. */
async function reconcileOne<Held, Cursor>(
  { temporal, log }: ReconcilerDeps,
  owner: RunOwner<Held, Cursor>,
  held: Held,
): Promise<void> {
  const named = owner.idsOf(held)
  try {
    const outcome = await reconcile(temporal, owner, held)
    if (outcome !== 'kept') log.warn({ ...named, outcome }, `lost ${owner.name} run`)
  } catch (error) {
    log.error({ ...named, err: error }, `${owner.name} could not be reconciled with its run`)
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

/** `stopped`: by a person; `lost`: by nobody; `unknown`: Temporal has no such workflow. */
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

/** Reasons for which the server itself terminates runs: temporalio/temporal, common/util.go. */
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
