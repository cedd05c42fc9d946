import { setImmediate as breathe } from 'node:timers/promises'
import { addressed } from '../../src/keys/addresses.ts'
import { hashedId } from '../../src/runtime/ids.ts'
import { countImportedRows } from '../../src/runtime/metrics.ts'
import type { ImportStatus } from '../../src/schemas/contacts/import.ts'
import {
  refusalText,
  type RowResult,
  type Upserted,
  type UpsertRow,
} from '../../src/core/contacts/rows.ts'
import { isLostRace, upsert, upsertOnce } from '../../src/core/contacts/upsert.ts'
import * as auditEvents from '../../src/store/access/audit-events.ts'
import * as importPages from '../../src/store/contacts/import-pages.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { isRefusedValue, type Sql, type Transaction, transact } from '../../src/store/db/sql.ts'
import type { Keyring } from '../../src/keys/tokens.ts'

/** Time of one activity, after which its slot goes to another import. */
const SLICE_MS = 20_000
const MOSTLY = 0.9
/**
 * New confirmations of a page above which one workflow asks for all of them. Below it, each has its
 * own.
 */
const MOST_OWN_CONFIRMATIONS = 1_000

/**
 * Created contacts of a page after which the table is analyzed. The planner does not know yet that
 * the organization's contacts may have multiplied.
 */
const MANY_CREATED = 500

interface Guess {
  expectsNew: boolean
  created: number
}

export interface ImportDeps {
  sql: Sql
  keyring: Keyring
}

type Outcome = Pick<importPages.Tally, 'created' | 'updated' | 'skipped' | 'emailStatusKept'> & {
  errors: importPages.Tally['errors']
  withoutPhone: importPages.Tally['withoutPhone']
}

export function createImportActivities({ sql, keyring }: ImportDeps) {
  return {
    /**
     * `pending → running`. Returns the status of the import after the call. Undefined: it does not
     * exist.
     */
    beginImport: async (run: importPages.Run): Promise<ImportStatus | undefined> => {
      const status = await importPages.begin(sql, run)
      if (status === 'running') await importPages.completeEmpty(sql, run)
      return status
    },

    /**
     * Writes pages for a while. True when the import is over. Each page, its errors and the place
     * where it goes on are one transaction: killed anywhere, no row is lost or written twice.
     * `signal` stops it between two pages.
     */
    importPages: async (run: importPages.Run, signal?: AbortSignal): Promise<boolean> => {
      const until = performance.now() + SLICE_MS
      const guess = { expectsNew: false, created: 0 }
      let isOver = false
      while (!isOver && performance.now() < until) {
        if (signal?.aborted) break
        isOver = await importPage(run, guess)
        // Heartbeats and other imports get their turn.
        await breathe()
      }
      if (guess.created >= MANY_CREATED) await importPages.tellPlanner(sql)
      return isOver
    },

    failImport: async (run: importPages.Run, reason: string): Promise<void> => {
      await importPages.fail(sql, run, reason)
    },
  }

  /**
   * Writes the next page. Returns true when no page is left. `guess` describes the previous page.
   * The fast way is tried first; if it loses a race or Postgres refuses a value, the careful way
   * follows.
   */
  async function importPage(run: importPages.Run, guess: Guess): Promise<boolean> {
    try {
      return await attempt(run, guess, upsertOnce)
    } catch (error) {
      if (!isLostRace(error) && !isRefusedValue(error)) throw error
    }
    return attempt(run, guess, upsert)
  }

  async function attempt(
    run: importPages.Run,
    guess: Guess,
    write: typeof upsert,
  ): Promise<boolean> {
    const { outcome, isOver } = await transact(sql, async (tx) => {
      const page = await importPages.takePage(tx, run)
      if (!page) return { isOver: true }
      const { rows } = page
      const dueImport = { ...page.dueImport, ...guess }
      const outcome = dueImport.dryRun
        ? await rehearse(tx, (inner) => writeRows(inner, run, dueImport, rows, write))
        : await writeRows(tx, run, dueImport, rows, write)
      guess.expectsNew = outcome.created > MOSTLY * rows.length
      if (!dueImport.dryRun) guess.created += outcome.created
      const { done } = await importPages.recordPage(tx, run, outcome)
      return { outcome, isOver: done }
    })
    if (outcome) countImportedRows({ ...outcome, failed: outcome.errors.length })
    return isOver
  }

  async function writeRows(
    tx: Transaction,
    run: importPages.Run,
    dueImport: importPages.DueImport & Guess,
    importRows: readonly importPages.ImportRow[],
    upsertRows: typeof upsert,
  ): Promise<Outcome> {
    const { organizationId, importId } = run
    const {
      nextPage: page,
      rows,
      hasTopics,
      onDuplicate,
      mayLift,
      expectsNew,
      requestId,
    } = dueImport
    const isCohort = hasTopics && rows > MOST_OWN_CONFIRMATIONS
    const cohort = isCohort ? hashedId(importId, page) : undefined
    const write = (some: readonly UpsertRow[]) =>
      upsertRows(tx, organizationId, some, {
        addressOf: (email) => addressed(keyring, organizationId, email),
        source: 'import',
        onDuplicate,
        mayLift,
        expectsNew,
        cohort,
        requestId: requestId ?? undefined,
      })

    const broken = importRows.flatMap((row) => ('message' in row ? [row] : []))
    const good = importRows.flatMap((row) =>
      'values' in row ? [{ index: row.row, values: row.values, topicIds: row.topicIds }] : [],
    )
    const { results, skipped, resubscribed } =
      upsertRows === upsert ? await writeAll(good, write) : await write(good)
    await auditEvents.recordImportedBack(tx, organizationId, { importId, resubscribed })
    if (cohort !== undefined && (await importPages.asks(tx, organizationId, cohort))) {
      const start = { kind: 'start_cohort', payload: { cohort, importId, page } } as const
      await outbox.put(tx, organizationId, start, requestId ?? undefined)
    }
    const valuesOf = new Map(good.map(({ index, values }) => [index, values]))
    const refused = results.flatMap((result) => {
      if (result.status !== 'failed') return []
      const { index: row, refusal } = result
      return [{ row, message: refusalText(refusal), record: JSON.stringify(valuesOf.get(row)) }]
    })
    const having = (status: string) => results.filter((row) => row.status === status).length
    const isKept = (row: RowResult) => row.status !== 'failed' && row.emailStatusKept
    return {
      created: having('created'),
      updated: having('updated'),
      skipped: skipped.length,
      emailStatusKept: results.filter(isKept).length,
      errors: [...broken, ...refused],
      withoutPhone: withoutPhone(importRows, results),
    }
  }
}

function withoutPhone(
  importRows: readonly importPages.ImportRow[],
  results: readonly RowResult[],
): importPages.Tally['withoutPhone'] {
  const faults = importRows.flatMap((row) => ('values' in row && row.withoutPhone) || [])
  if (faults.length === 0) return faults
  const writtenIndexes = new Set(
    results.filter(({ status }) => status !== 'failed').map(({ index }) => index),
  )
  return faults.filter(({ row }) => writtenIndexes.has(row))
}

const NOTHING: Upserted = { results: [], skipped: [], resubscribed: [], pending: [] }

type Write = (rows: readonly UpsertRow[]) => ReturnType<typeof upsert>

/**
 * Writes rows. If Postgres refuses a value, the rows are halved until the refused row is known. It
 * fails alone.
 */
async function writeAll(rows: readonly UpsertRow[], write: Write): ReturnType<Write> {
  if (rows.length === 0) return NOTHING
  try {
    return await write(rows)
  } catch (error) {
    if (!isRefusedValue(error)) throw error
  }
  const [first] = rows
  if (rows.length === 1 && first) {
    const refusal = { reason: 'unstorable' } as const
    return { ...NOTHING, results: [{ index: first.index, id: null, status: 'failed', refusal }] }
  }
  const middle = Math.ceil(rows.length / 2)
  const before = await writeAll(rows.slice(0, middle), write)
  const after = await writeAll(rows.slice(middle), write)
  return {
    results: [...before.results, ...after.results],
    skipped: [...before.skipped, ...after.skipped],
    resubscribed: [...before.resubscribed, ...after.resubscribed],
    pending: [...before.pending, ...after.pending],
  }
}

class Rehearsed extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super('rehearsed')
    this.outcome = outcome
  }
}

/** Returns what the write would do. Everything that it wrote is rolled back. */
async function rehearse(
  tx: Transaction,
  act: (inner: Transaction) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await tx.savepoint(async (inner) => {
      throw new Rehearsed(await act(inner))
    })
  } catch (error) {
    if (error instanceof Rehearsed) return error.outcome
    throw error
  }
}
