/**
 * Whether a stored condition can be evaluated. It was checked when it was written, but another
 * version may have written it. One that cannot be evaluated means nobody, never everybody.
 */
import { checkCondition, IN_SEGMENTS } from '../../domain/audience/condition-check.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { badRequest, sentence } from '../../domain/errors.ts'

/** Why this version cannot evaluate a condition, as a sentence; undefined: it can. */
export function whyUnusable(condition: unknown): string | undefined {
  const problems = checkCondition(condition, 'condition', IN_SEGMENTS)
  return problems.length === 0 ? undefined : `${UNUSABLE}: ${sentence(problems)}`
}

export const isUsable = (condition: unknown): condition is Condition =>
  whyUnusable(condition) === undefined

/** 400 for the stored condition of a segment that cannot be evaluated: `path` names the segment. */
export function requireUsable(path: string, condition: unknown): void {
  const problem = whyUnusable(condition)
  if (problem === undefined) return
  throw badRequest(problem, [{ path, message: 'cannot be evaluated' }], 'segment_not_usable')
}

const UNUSABLE = 'This version cannot evaluate the condition'
