import type { Step, Transition } from './flow.ts'

/** What stands for the trigger in `from` of the transition to the first step. */
export const TRIGGER = 'trigger'

/**
 * With what a step can end, where the way on may depend on it; undefined: it has one way on.
 * Webhooks may name theirs or not: without a way for `failure` their failure fails the execution.
 */
export function branchesOf(step: Step): string[] | undefined {
  switch (step.type) {
    case 'condition':
      return ['yes', 'no']
    case 'split':
      return step.config.branches.map(({ name }) => name)
    case 'wait_for_event':
      return ['yes', 'timeout']
    case 'wait_for_email_engagement':
      return [...step.config.events, 'timeout']
    case 'webhook':
      return ['success', 'failure']
    default:
      return undefined
  }
}

/** The ids of the steps that can come after these, these included. */
export function reachableFrom(
  starts: readonly string[],
  transitions: readonly Transition[],
): Set<string> {
  const reached = new Set(starts)
  for (const from of reached) {
    for (const transition of transitions) {
      if (transition.from === from) reached.add(transition.to)
    }
  }
  return reached
}

/**
 * Loops in which time need not pass: each as the ids of its steps, in no more than one loop. What
 * lets time pass is a delay, a wait for an event, and the timeout of a wait for an engagement: one
 * that came once is found again at once.
 */
export function hastyLoops(steps: readonly Step[], transitions: readonly Transition[]): string[][] {
  const types = new Map(steps.map(({ id, type }) => [id, type]))
  const hasty = transitions.filter(({ from, branch }) => {
    const type = types.get(from)
    if (type === 'wait_for_email_engagement') return branch !== 'timeout'
    return type !== undefined && type !== 'delay' && type !== 'wait_for_event'
  })
  const after = new Map(steps.map(({ id }) => [id, reachableFrom(nextOf(id), hasty)]))
  function nextOf(id: string): string[] {
    return hasty.filter(({ from }) => from === id).map(({ to }) => to)
  }
  const looping = steps.map(({ id }) => id).filter((id) => after.get(id)?.has(id))
  const loops: string[][] = []
  for (const id of looping) {
    if (loops.some((loop) => loop.includes(id))) continue
    loops.push(looping.filter((other) => after.get(id)?.has(other) && after.get(other)?.has(id)))
  }
  return loops
}
