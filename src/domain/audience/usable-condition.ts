/**
 * Decides whether a stored condition can be evaluated. It was checked when it was written, but
 * another version may have written it. A condition that cannot be evaluated matches nobody, never
 * everybody.
 */
import { checkCondition, IN_SEGMENTS } from './condition-check.ts'
import type { Condition } from './condition.ts'
import { badRequest, sentence } from '../errors.ts'

/** Returns the reason as a sentence, or undefined if this version can evaluate the condition. */
export function whyUnusable(condition: unknown): string | undefined {
  const problems = checkCondition(condition, 'condition', IN_SEGMENTS)
  return problems.length === 0 ? undefined : `${UNUSABLE}: ${sentence(problems)}`
}

export const isUsable = (condition: unknown): condition is Condition =>
  whyUnusable(condition) === undefined

/** Throws a 400 that names `path` if a segment's stored condition cannot be evaluated. */
export function requireUsable(path: string, condition: unknown): void {
  const problem = whyUnusable(condition)
  if (problem === undefined) return
  throw badRequest(problem, [{ path, message: 'cannot be evaluated' }], 'segment_not_usable')
}

const UNUSABLE = 'This version cannot evaluate the condition'
