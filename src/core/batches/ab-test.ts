import { durationMs } from '../../domain/flows/duration.ts'
import { type Comparison, compareVariants } from '../../domain/batches/ab-test.ts'
import { conflict, refuse } from '../../domain/errors.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import { type Sql, transact, type Transaction } from '../../store/db/sql.ts'
import type { Run } from '../../store/batches/batch-runs.ts'
import * as batches from '../../store/batches/batches.ts'
import * as variants from '../../store/batches/batch-variants.ts'
import { batchView } from './batch-view.ts'
import { wakeBatch } from './change-batch.ts'

export type TestState =
  /** The rest of the audience gets the winner, or the batch is no longer sent. */
  | { kind: 'decided' }
  /** `until` is in milliseconds since 1970. Without it a person decides. */
  | { kind: 'wait'; until?: number }

/**
 * Decides a test whose share has been mailed, by its figures, when its time has come. The first
 * call sets that time. Safe to repeat: the winner stays.
 */
export const decideTest = (sql: Sql, run: Run): Promise<TestState> =>
  transact(sql, async (tx): Promise<TestState> => {
    const { organizationId, batchId } = run
    const test = await variants.lockTest(tx, organizationId, batchId)
    if (!test || test.winner !== null || test.attempt !== run.attempt) return { kind: 'decided' }
    const { winnerBy, decideAfter } = test
    if (winnerBy === 'manual' || decideAfter === null) return { kind: 'wait' }
    const decideAt = test.decideAt ?? (await variants.setDecideAt(tx, run, durationMs(decideAfter)))
    if (!test.isDue) return { kind: 'wait', until: Date.parse(decideAt) }
    const comparison = compareVariants(
      await variants.figures(tx, organizationId, batchId),
      winnerBy,
    )
    await variants.decide(tx, run, {
      winner: comparison.leader,
      decision: decisionOf('figures', comparison),
    })
    return { kind: 'decided' }
  })

/**
 * Sets the time of a test's decision when its share was the whole audience: its batch was completed
 * in this transaction, and `decideUndecided` decides it.
 */
export async function scheduleDecision(tx: Transaction, run: Run): Promise<void> {
  const test = await variants.lockTest(tx, run.organizationId, run.batchId)
  if (!test || test.winner !== null || test.decideAfter === null || test.decideAt !== null) return
  await variants.setDecideAt(tx, run, durationMs(test.decideAfter))
}

/** Decides tests of completed batches whose time has come. Returns how many there were. */
export async function decideUndecided(sql: Sql, limit: number): Promise<number> {
  const dueTests = await variants.listUndecided(sql, limit)
  for (const run of dueTests) await decideTest(sql, run)
  return dueTests.length
}

/** Returns the decision in the form of the answer. */
const decisionOf = (
  by: 'figures' | 'person',
  { isConclusive, leader, next, ...comparison }: Comparison,
) => ({ by, isConclusive, comparison: { leader, next, ...comparison } })

/**
 * Decides a test by a person's choice, before its time or without one: the rest of the audience
 * gets that variant. Of many calls at once one wins. Undefined: there is no such batch. Throws a
 * 409 if it is not a test, is not being sent, or is decided.
 */
export async function chooseWinner(
  tx: Transaction,
  organizationId: Uuid,
  { id, name }: { id: Uuid; name: string },
  requestId: string,
): Promise<Batch | undefined> {
  const batch = await batches.find(tx, organizationId, id)
  if (!batch) return undefined
  const test = await variants.lockTest(tx, organizationId, id)
  if (!test || !batch.abTest) {
    throw conflict('The batch has no A/B test that is being sent', { reason: 'batch_not_testing' })
  }
  if (test.winner !== null) {
    throw conflict('The winner has been chosen already', { reason: 'winner_chosen' })
  }
  const winner = batch.abTest.variants.findIndex((variant) => variant.name === name)
  if (winner < 0) return refuse('variant', 'is not a variant of this batch')
  const by = test.winnerBy === 'clicked' ? 'clicked' : 'opened'
  const comparison = compareVariants(await variants.figures(tx, organizationId, id), by)
  const decision = decisionOf('person', comparison)
  await variants.decide(tx, { organizationId, batchId: id }, { winner, decision })
  if (batch.status === 'processing') {
    await wakeBatch(tx, organizationId, { id, attempt: test.attempt }, requestId)
  }
  const decided = await batches.find(tx, organizationId, id)
  return decided && batchView(decided)
}
