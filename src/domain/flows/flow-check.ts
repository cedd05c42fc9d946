import { checkCondition, IN_FLOWS, OF_EVENTS } from '../audience/condition-check.ts'
import { refuseCron } from './cron.ts'
import type { ErrorDetail } from '../errors.ts'
import { hastyLoops, reachableFrom, TRIGGER, waysOf } from './flow-graph.ts'
import type { Definition, Settings, Step, StepOf, StepType, Transition, Trigger } from './flow.ts'
import { isMailing, rulesOf } from './steps/index.ts'
import { isTimezone } from '../timezone.ts'

/**
 * A definition before its check. The transition to the first step is among the others, as one from
 * `trigger`. Paths of problems refer to these lists.
 */
export interface Draft {
  trigger: Trigger
  steps: readonly Step[]
  transitions: readonly Transition[]
  settings: Settings
}

/** The longest definition, in characters of JSON. */
const LONGEST_DEFINITION = 1_048_576

/**
 * Returns the definition of a draft, or all its problems. Each problem with a step contains the
 * step's name and id. Only the draft itself is checked. References, rendering and reachability are
 * checked elsewhere.
 */
export function checkDraft(draft: Draft): { definition?: Definition; problems: ErrorDetail[] } {
  const { trigger, steps, transitions, settings } = draft
  const firstAt = new Map(steps.map(({ id }, index) => [id, index] as const).toReversed())
  const own = [
    ...checkTrigger(trigger),
    ...checkSettings(settings),
    ...steps.flatMap((step, index) => [
      ...(firstAt.get(step.id) !== index
        ? [ofStep(step, `steps[${index}].id`, 'another step has this id')]
        : []),
      ...(step.id === TRIGGER
        ? [ofStep(step, `steps[${index}].id`, 'this id stands for the trigger')]
        : []),
      ...checkConfig(step, `steps[${index}].config`).map(({ path, message }) =>
        ofStep(step, path, `${path.replace(`steps[${index}].`, '')} ${message}`),
      ),
    ]),
    ...checkTransitions(draft),
  ]
  const [first] = steps
  const entry = transitions.find(({ from }) => from === TRIGGER)?.to ?? first?.id
  if (entry === undefined) return { problems: [...own, problemAt('steps', 'must not be empty')] }
  // Problems of a graph whose transitions lead nowhere would be wrong.
  if (own.length > 0) return { problems: own }
  const between = transitions.filter(({ from }) => from !== TRIGGER)
  const byId = new Map(steps.map((step) => [step.id, step]))
  const problems = checkGraph(draft, between, entry)
  const definition: Definition = {
    trigger,
    entry,
    steps: [...steps],
    transitions: between.map((transition) => named(byId.get(transition.from), transition)),
    settings,
  }
  if (JSON.stringify(definition).length > LONGEST_DEFINITION) {
    problems.push(problemAt('steps', `must not be longer than ${LONGEST_DEFINITION} characters`))
  }
  return problems.length > 0 ? { problems } : { definition, problems }
}

const checkConfig = <Type extends StepType>(step: StepOf<Type>, path: string): ErrorDetail[] =>
  rulesOf(step).check?.(step.config, path) ?? []

/** Returns the branch of a transition. Undefined: the step has a single way on. */
const branchOf = (step: Step | undefined, branch: string | undefined): string | undefined =>
  branch ?? (step && rulesOf(step).usualBranch)

function named(step: Step | undefined, { from, to, branch }: Transition): Transition {
  const name = branchOf(step, branch)
  return { from, to, ...(name === undefined ? {} : { branch: name }) }
}

const problem = (path: string, message: string): ErrorDetail => ({ path, message })

/**
 * Returns a problem of no step. Its message contains the place, since the first problem is shown
 * alone.
 */
const problemAt = (path: string, message: string): ErrorDetail =>
  problem(path, `${path} ${message}`)

const toldEach = (problems: readonly ErrorDetail[]): ErrorDetail[] =>
  problems.map(({ path, message }) => problemAt(path, message))

export const nameOf = ({ id, name }: Pick<Step, 'id' | 'name'>): string => `Step "${name}" (${id})`

const ofStep = (step: Step, path: string, message: string): ErrorDetail =>
  problem(path, `${nameOf(step)}: ${message}`)

function checkTrigger(trigger: Trigger): ErrorDetail[] {
  switch (trigger.type) {
    case 'event':
      return trigger.filter === undefined
        ? []
        : toldEach(checkCondition(trigger.filter, 'triggerConfig.filter', OF_EVENTS))
    case 'schedule': {
      const wrong = refuseCron(trigger.cron)
      return [
        ...(wrong === undefined ? [] : [problemAt('triggerConfig.cron', wrong)]),
        ...(isTimezone(trigger.timezone)
          ? []
          : [
              problemAt('triggerConfig.timezone', 'must be an IANA timezone such as Europe/Berlin'),
            ]),
      ]
    }
    default:
      return []
  }
}

const checkSettings = ({ exitOn }: Settings): ErrorDetail[] =>
  exitOn.condition === undefined
    ? []
    : toldEach(checkCondition(exitOn.condition, 'settings.exitOn.condition', IN_FLOWS))

function checkTransitions({ steps, transitions }: Draft): ErrorDetail[] {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const takenBranches = new Set<string>()
  return transitions.flatMap(({ from, to, branch }, index) => {
    const path = `transitions[${index}]`
    const step = byId.get(from)
    const isFirst = from === TRIGGER
    if (!step && !isFirst) return [problemAt(`${path}.from`, `is not the id of a step: ${from}`)]
    if (!byId.has(to)) return [problemAt(`${path}.to`, `is not the id of a step: ${to}`)]
    const wrong = step ? refuseBranch(step, branch, `${path}.branch`) : undefined
    if (step && wrong !== undefined) return [ofStep(step, `${path}.branch`, wrong)]
    if (isFirst && branch !== undefined) {
      return [
        problemAt(
          `${path}.branch`,
          'cannot be used with the trigger, which has a single transition',
        ),
      ]
    }
    const way = JSON.stringify([from, branchOf(step, branch) ?? null])
    if (takenBranches.has(way)) {
      const message = 'there is already another transition from here'
      return [step ? ofStep(step, path, message) : problem(path, `The trigger: ${message}`)]
    }
    takenBranches.add(way)
    return []
  })
}

function refuseBranch<Type extends StepType>(
  step: StepOf<Type>,
  branch: string | undefined,
  path: string,
): string | undefined {
  const { isLast, branches: branchesOf, usualBranch } = rulesOf(step)
  if (isLast) return 'no step can follow an exit'
  const branches = branchesOf?.(step.config)
  if (branches === undefined) {
    return branch === undefined
      ? undefined
      : `${path} cannot be set, since the step has a single transition`
  }
  return branches.includes(branch ?? usualBranch ?? '')
    ? undefined
    : `${path} must be one of: ${branches.join(', ')}`
}

function checkGraph(draft: Draft, between: readonly Transition[], entry: string): ErrorDetail[] {
  const { steps } = draft
  const at = (id: string) => steps.findIndex((step) => step.id === id)
  const ways = waysOf(between)
  const reached = reachableFrom(entry, ways)
  const afterMails = new Map<string, ReadonlySet<string>>()
  const after = (id: string): ReadonlySet<string> => {
    const laterSteps = afterMails.get(id) ?? reachableFrom(id, ways)
    afterMails.set(id, laterSteps)
    return laterSteps
  }
  const stepName = (id: string) => {
    const step = steps[at(id)]
    return step ? nameOf(step) : id
  }
  return [
    ...steps.flatMap((step, index) =>
      reached.has(step.id)
        ? []
        : [ofStep(step, `steps[${index}]`, 'cannot be reached from the trigger')],
    ),
    ...hastyLoops(steps, between).map(([first = '', ...others]) => {
      const through =
        others.length === 0 ? 'to itself' : `through ${others.map(stepName).join(', ')}`
      const message = `leads back ${through} without a delay or a wait of at least 60 seconds`
      return problem(`steps[${at(first)}]`, `${stepName(first)}: ${message}`)
    }),
    ...steps.flatMap((step, index) => checkMailBefore(draft, after, step, index)),
  ]
}

/**
 * Checks that a wait for an engagement comes after the step that sends the mail. `after`: the steps
 * that can follow a step.
 */
function checkMailBefore(
  { steps }: Draft,
  after: (id: string) => ReadonlySet<string>,
  step: Step,
  index: number,
): ErrorDetail[] {
  const awaited = rulesOf(step).awaitsMailOf?.(step.config)
  if (awaited === undefined) return []
  const path = `steps[${index}].config.stepId`
  const mail = steps.find(({ id }) => id === awaited)
  if (mail === undefined || !isMailing(mail)) {
    return [ofStep(step, path, 'config.stepId must be the id of a send_email step')]
  }
  return after(mail.id).has(step.id)
    ? []
    : [ofStep(step, path, `config.stepId: ${nameOf(mail)} does not come before it`)]
}
