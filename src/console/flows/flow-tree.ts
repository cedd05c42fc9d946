import { reachableFrom, TRIGGER, waysOf as graphOf } from '../../domain/flows/flow-graph.ts'
import type { Step, Transition } from '../../domain/flows/flow.ts'
import { rulesOf } from '../../domain/flows/steps/index.ts'
import { type FlowDraft, waysOf } from './flow-draft.ts'

/** Where one way on begins: after the trigger, after a step, or in a branch of one. */
export interface Place {
  from: string
  branch?: string
}

type Graph = Pick<FlowDraft, 'steps' | 'transitions'>

/** One line of a workflow from its trigger down. Branches are indented under their names. */
export type Line =
  | { kind: 'step'; step: Step; depth: number }
  | { kind: 'branch'; step: Step; branch: string; depth: number }
  /** Here a step can be added. */
  | { kind: 'place'; place: Place; depth: number }
  /** The way goes on at a step that is listed elsewhere. */
  | { kind: 'jump'; place: Place; to: Step; depth: number }
  | { kind: 'end'; place: Place; depth: number }
  /** Steps that nothing leads to follow. */
  | { kind: 'lost' }

export function linesOf({ steps, transitions }: Graph): Line[] {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const listed = new Set<string>()
  const lines: Line[] = []

  function follow(place: Place, depth: number): void {
    const to = byId.get(targetOf(transitions, place) ?? '')
    lines.push({ kind: 'place', place, depth })
    if (!to) lines.push({ kind: 'end', place, depth })
    else if (listed.has(to.id)) lines.push({ kind: 'jump', place, to, depth })
    else list(to, depth)
  }

  function list(step: Step, depth: number): void {
    listed.add(step.id)
    lines.push({ kind: 'step', step, depth })
    const { usualBranch } = rulesOf(step)
    const ways = waysOf(step)
    for (const branch of ways) {
      if (branch === undefined || branch === usualBranch) continue
      lines.push({ kind: 'branch', step, branch, depth: depth + 1 })
      follow({ from: step.id, branch }, depth + 1)
    }
    // The usual way on is not a branch to the eye.
    if (ways.includes(undefined)) follow({ from: step.id }, depth)
    else if (usualBranch !== undefined) follow({ from: step.id, branch: usualBranch }, depth)
  }

  follow({ from: TRIGGER }, 0)
  const lost = steps.filter(({ id }) => !listed.has(id))
  if (lost.length > 0) lines.push({ kind: 'lost' })
  for (const step of lost) if (!listed.has(step.id)) list(step, 0)
  return lines
}

/** Without a name a transition is of the step's usual branch. */
const isAt =
  ({ from, branch }: Place) =>
  (transition: Transition): boolean =>
    transition.from === from && transition.branch === branch

export const targetOf = (transitions: readonly Transition[], place: Place): string | undefined =>
  transitions.find(isAt(place))?.to

/** Leads a way to another step, or to the end. */
export function withWay<Flow extends Graph>(
  flow: Flow,
  place: Place,
  to: string | undefined,
): Flow {
  const others = flow.transitions.filter((transition) => !isAt(place)(transition))
  return { ...flow, transitions: to === undefined ? others : [...others, { ...place, to }] }
}

const firstWay = (step: Step): string | undefined => rulesOf(step).usualBranch ?? waysOf(step)[0]

const placeAfter = (step: Step, branch = firstWay(step)): Place => ({
  from: step.id,
  ...(branch === undefined ? {} : { branch }),
})

/** Puts a step where a way begins; what came there comes after it, on its first way. */
export function withStep<Flow extends Graph>(flow: Flow, place: Place, step: Step): Flow {
  const next = targetOf(flow.transitions, place)
  const added = withWay({ ...flow, steps: [...flow.steps, step] }, place, step.id)
  return next === undefined || waysOf(step).length === 0
    ? added
    : withWay(added, placeAfter(step), next)
}

/** Takes a step out: what led to it leads to what came after it, on its first way. */
function withoutStep<Flow extends Graph>(flow: Flow, step: Step): Flow {
  const next = waysOf(step).length === 0 ? undefined : targetOf(flow.transitions, placeAfter(step))
  const transitions = flow.transitions
    .filter(({ from }) => from !== step.id)
    .flatMap((transition) => {
      if (transition.to !== step.id) return [transition]
      return next === undefined || next === step.id ? [] : [{ ...transition, to: next }]
    })
  const steps = flow.steps.filter(({ id }) => id !== step.id)
  return { ...flow, steps, transitions }
}

/** Steps that nothing leads to any more once a step is taken out: they go with it. */
export function lostWithout(flow: Graph, step: Step): Step[] {
  const before = reachableFrom(TRIGGER, graphOf(flow.transitions))
  const left = withoutStep(flow, step)
  const after = reachableFrom(TRIGGER, graphOf(left.transitions))
  return left.steps.filter(({ id }) => before.has(id) && !after.has(id))
}

/** Takes a step out, with what only it led to. */
export function withoutBranch<Flow extends Graph>(flow: Flow, step: Step): Flow {
  const lost = new Set(lostWithout(flow, step).map(({ id }) => id))
  const { steps, transitions, ...rest } = withoutStep(flow, step)
  return {
    ...flow,
    ...rest,
    steps: steps.filter(({ id }) => !lost.has(id)),
    transitions: transitions.filter(({ from }) => !lost.has(from)),
  }
}

/** Changes a step. A branch that got another name keeps its way; a branch that is gone loses it. */
export function withChanged<Flow extends Graph>(flow: Flow, step: Step): Flow {
  const before = flow.steps.find(({ id }) => id === step.id)
  const oldWays = before ? waysOf(before) : []
  const ways = waysOf(step)
  const isRenamed = oldWays.length === ways.length
  const transitions = flow.transitions.flatMap((transition) => {
    if (transition.from !== step.id || ways.includes(transition.branch)) return [transition]
    const renamed = isRenamed ? ways[oldWays.indexOf(transition.branch)] : undefined
    return renamed === undefined ? [] : [{ ...transition, branch: renamed }]
  })
  return {
    ...flow,
    steps: flow.steps.map((each) => (each.id === step.id ? step : each)),
    transitions,
  }
}
