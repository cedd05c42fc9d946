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

/** From the id of a step to those that can come next. */
export type Ways = ReadonlyMap<string, readonly string[]>

export function waysOf(transitions: readonly Transition[]): Ways {
  const ways = new Map<string, string[]>()
  for (const { from, to } of transitions) {
    const known = ways.get(from)
    if (known) known.push(to)
    else ways.set(from, [to])
  }
  return ways
}

/** The ids of the steps that can come after this one, this one included. */
export const reachableFrom = (start: string, ways: Ways): Set<string> =>
  new Set(followed(start, ways, new Set()))

/**
 * What can be reached from `start` and was not seen before, each after all that was first reached
 * through it; it is seen then.
 */
function followed(start: string, ways: Ways, seen: Set<string>): string[] {
  if (seen.has(start)) return []
  seen.add(start)
  const done: string[] = []
  const under = [{ id: start, next: 0 }]
  for (let top = under.at(-1); top !== undefined; top = under.at(-1)) {
    const to = ways.get(top.id)?.[top.next++]
    if (to === undefined) {
      done.push(top.id)
      under.pop()
    } else if (!seen.has(to)) {
      seen.add(to)
      under.push({ id: to, next: 0 })
    }
  }
  return done
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
  const ways = waysOf(hasty)
  const places = new Map(steps.map(({ id }, place) => [id, place]))
  const placeOf = (id: string | undefined): number => places.get(id ?? '') ?? steps.length
  return knots(
    steps.map(({ id }) => id),
    ways,
  )
    .filter(([first = '', second]) => second !== undefined || ways.get(first)?.includes(first))
    .map((loop) => loop.toSorted((a, b) => placeOf(a) - placeOf(b)))
    .toSorted(([a], [b]) => placeOf(a) - placeOf(b))
}

/**
 * The strongly connected parts of the graph (Kosaraju): steps that lead to one another. Each step
 * is looked at twice, however many ways there are.
 */
function knots(ids: readonly string[], ways: Ways): string[][] {
  const seen = new Set<string>()
  const done = ids.flatMap((id) => followed(id, ways, seen))
  const back = new Map<string, string[]>()
  for (const [from, next] of ways) {
    for (const to of next) {
      const known = back.get(to)
      if (known) known.push(from)
      else back.set(to, [from])
    }
  }
  const taken = new Set<string>()
  return done.toReversed().map((id) => followed(id, back, taken))
}
