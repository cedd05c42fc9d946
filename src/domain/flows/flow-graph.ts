import type { Step, Transition } from './flow.ts'
import { rulesOf } from './steps/index.ts'

/** `from` of the transition to the first step. */
export const TRIGGER = 'trigger'

export type Ways = ReadonlyMap<string, readonly string[]>

export function waysOf(transitions: readonly Transition[]): Ways {
  const ways = new Map<string, string[]>()
  for (const { from, to } of transitions) {
    const targets = ways.get(from)
    if (targets) targets.push(to)
    else ways.set(from, [to])
  }
  return ways
}

/** Returns the ids of the steps that can come after this one, including itself. */
export const reachableFrom = (start: string, ways: Ways): Set<string> =>
  new Set(followed(start, ways, new Set()))

/**
 * Returns the steps that can be reached from `start` and were not seen before, each after the steps
 * that were first reached through it. Adds them to the seen steps.
 */
function followed(start: string, ways: Ways, seenSteps: Set<string>): string[] {
  if (seenSteps.has(start)) return []
  seenSteps.add(start)
  const done: string[] = []
  const under = [{ id: start, next: 0 }]
  for (let top = under.at(-1); top !== undefined; top = under.at(-1)) {
    const to = ways.get(top.id)?.[top.next++]
    if (to === undefined) {
      done.push(top.id)
      under.pop()
    } else if (!seenSteps.has(to)) {
      seenSteps.add(to)
      under.push({ id: to, next: 0 })
    }
  }
  return done
}

/**
 * Returns the loops that can run without a pause, each as the ids of its steps. No step is in two
 * loops.
 */
export function hastyLoops(steps: readonly Step[], transitions: readonly Transition[]): string[][] {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const hasty = transitions.filter(({ from, branch }) => {
    const step = byId.get(from)
    return step !== undefined && rulesOf(step).pauses?.(branch) !== true
  })
  const ways = waysOf(hasty)
  const indices = new Map(steps.map(({ id }, index) => [id, index]))
  const indexOf = (id: string | undefined): number => indices.get(id ?? '') ?? steps.length
  return knots(
    steps.map(({ id }) => id),
    ways,
  )
    .filter(([first = '', second]) => second !== undefined || ways.get(first)?.includes(first))
    .map((loop) => loop.toSorted((a, b) => indexOf(a) - indexOf(b)))
    .toSorted(([a], [b]) => indexOf(a) - indexOf(b))
}

/**
 * Returns the strongly connected components of the graph (Kosaraju's algorithm): steps that lead to
 * one another. Each step is visited twice, however many transitions exist.
 */
function knots(ids: readonly string[], ways: Ways): string[][] {
  const seenSteps = new Set<string>()
  const done = ids.flatMap((id) => followed(id, ways, seenSteps))
  const back = new Map<string, string[]>()
  for (const [from, next] of ways) {
    for (const to of next) {
      const sources = back.get(to)
      if (sources) sources.push(from)
      else back.set(to, [from])
    }
  }
  const grouped = new Set<string>()
  return done.toReversed().map((id) => followed(id, back, grouped))
}
