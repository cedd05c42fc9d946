import { createHash } from 'node:crypto'
import { branchAt } from '../../../src/domain/flows/split.ts'
import type { StoredStep } from './step.ts'

/** Spreads executions over branches at random; the same execution always takes the same one. */
export const split: StoredStep<'split'> = {
  where: 'local',
  locksContact: false,
  enter: (_tx, { execution, step }) => {
    const branch = branchAt(step.config.branches, pointOf(execution.id, step.id))
    return Promise.resolve({ kind: 'done', branch })
  },
}

const BYTES = 6

/** A number in [0, 1) that a customer cannot choose: from the SHA-256 of execution and step. */
export function pointOf(executionId: string, stepId: string): number {
  const hash = createHash('sha256').update(`${executionId}/${stepId}`).digest()
  return hash.readUIntBE(0, BYTES) / 256 ** BYTES
}
