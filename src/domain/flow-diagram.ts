import type { Condition, Filter } from './condition.ts'
import { branchesOf } from './flow-graph.ts'
import { type Definition, type Duration, nextStep, type Step, type Trigger } from './flow.ts'

/** Characters of a line in a box. */
const MOST_CHARACTERS = 80

/**
 * A definition as a Mermaid flowchart (mermaid.js.org, "Flowcharts"): the trigger, each step with
 * its type and what it does, branches by their names, and one end for all that leads nowhere.
 * Whatever names and values are, they are text in a box: all but letters, digits and a few signs is
 * written as an entity.
 */
export function diagramOf({ trigger, entry, steps, transitions }: Definition): string {
  const nodes = new Map(steps.map(({ id }, index) => [id, `s${index}`]))
  const node = (id: string | undefined) => (id === undefined ? undefined : nodes.get(id)) ?? END
  const boxes = steps.map((step) => box(node(step.id), step))
  const arrows = steps.flatMap((step) => {
    if (step.type === 'exit') return []
    const branches = shownBranches(step, transitions)
    if (branches.length === 0) {
      return [`${node(step.id)} --> ${node(nextStep({ transitions }, step.id, null))}`]
    }
    return branches.map(
      ({ branch, label }) =>
        `${node(step.id)} -->|"${text(label)}"| ${node(nextStep({ transitions }, step.id, branch))}`,
    )
  })
  const hasEnd = arrows.some((arrow) => arrow.endsWith(` ${END}`))
  const lines = [
    `${START}(["${label('Trigger', gistOfTrigger(trigger))}"])`,
    ...boxes,
    ...(hasEnd ? [`${END}(("End"))`] : []),
    `${START} --> ${node(entry)}`,
    ...arrows,
  ]
  return ['flowchart TD', ...lines.map((line) => `  ${line}`), ''].join('\n')
}

const START = 'start'
const END = 'finish'

/** The ways on of a step that has branches, and what is written on them. */
function shownBranches(
  step: Step,
  transitions: Definition['transitions'],
): { branch: string; label: string }[] {
  if (step.type === 'split') {
    const whole = step.config.branches.reduce((sum, { weight }) => sum + weight, 0)
    return step.config.branches.map(({ name, weight }) => ({
      branch: name,
      label: `${name} ${Math.round((weight / whole) * 1_000) / 10} %`,
    }))
  }
  const names = branchesOf(step) ?? []
  // A failure without a way on fails the execution: that is no way on.
  const isDrawn = (branch: string) =>
    step.type !== 'webhook' ||
    branch === 'success' ||
    transitions.some((each) => each.from === step.id && each.branch === branch)
  return names.filter(isDrawn).map((branch) => ({ branch, label: branch }))
}

/** Shapes say what kind of step it is: a rhombus asks, a stadium ends, a hexagon waits. */
function box(node: string, step: Step): string {
  const inside = label(step.name, `${step.type}, ${gistOf(step)}`)
  switch (step.type) {
    case 'condition':
    case 'split':
      return `${node}{"${inside}"}`
    case 'delay':
    case 'wait_for_event':
    case 'wait_for_email_engagement':
      return `${node}{{"${inside}"}}`
    case 'exit':
      return `${node}(["${inside}"])`
    default:
      return `${node}["${inside}"]`
  }
}

const label = (first: string, second: string): string => `${text(first)}<br/>${text(second)}`

/**
 * Letters, digits and signs that mean nothing to Mermaid; `_` within a word, where it is no accent.
 */
const PLAIN = /^[\p{L}\p{M}\p{N} .,/@%…-]$/u
const WORD = /[\p{L}\p{N}]/u

/** Entities do not hide these: they would become a formula or an icon. */
const MAGIC: readonly string[] = ['$$', ':f']
/** Shows nothing and takes no room. */
const JOINER = '#8288;'

/** As entities: whatever could end a text, begin a tag, an entity, a style or Markdown. */
function text(value: string): string {
  const characters = Array.from(value.replace(/\s+/g, ' ').trim())
  const short =
    characters.length > MOST_CHARACTERS
      ? [...characters.slice(0, MOST_CHARACTERS - 1), '…']
      : characters
  const written = short.map((each, index) => {
    const isInWord = WORD.test(short[index - 1] ?? '') && WORD.test(short[index + 1] ?? '')
    if (PLAIN.test(each) || (each === '_' && isInWord)) return each
    const pair = each + (short[index + 1] ?? '')
    return `#${each.codePointAt(0) ?? 0};${MAGIC.includes(pair) ? JOINER : ''}`
  })
  // A text must not be empty, nor begin as a list does.
  const line = written
    .join('')
    .replace(/^(\d+)\./, '$1#46;')
    .replace(/^-/, '#45;')
  return line === '' ? '…' : line
}

function gistOfTrigger(trigger: Trigger): string {
  switch (trigger.type) {
    case 'event':
      return `event ${trigger.name}${trigger.filter ? `, if ${gistOfCondition(trigger.filter)}` : ''}`
    case 'schedule':
      return `schedule ${trigger.cron} ${trigger.timezone}`
    case 'segment_entry':
    case 'segment_exit':
      return `${trigger.type} ${trigger.segmentId}`
    case 'topic_subscribed':
    case 'topic_unsubscribed':
      return `${trigger.type} ${trigger.topicId ?? 'any topic'}`
    default:
      return trigger.type
  }
}

function gistOf(step: Step): string {
  switch (step.type) {
    case 'send_email':
      return step.config.subject ?? `template ${step.config.templateId ?? ''}`
    case 'send_sms':
      return step.config.body
    case 'delay': {
      if (!('until' in step.config)) return span(step.config)
      const { time, timezone, days = 0 } = step.config.until
      const after = days > 0 ? ` after ${days} days` : ''
      return `until ${time} ${timezone === 'contact' ? 'local time' : timezone}${after}`
    }
    case 'condition':
      return gistOfCondition(step.config.condition)
    case 'split':
      return `${step.config.branches.length} ways`
    case 'wait_for_event':
      return `${step.config.eventName}, at most ${span(step.config.timeout)}`
    case 'wait_for_email_engagement':
      return `${step.config.events.join(' or ')} of ${step.config.stepId}, at most ${span(step.config.timeout)}`
    case 'update_contact': {
      const { unset = [], ...others } = step.config
      const fields = Object.values(others).flatMap((changes) => Object.keys(changes))
      return [...fields, ...unset].join(', ')
    }
    case 'subscribe_topic':
    case 'unsubscribe_topic':
      return step.config.topicId
    case 'webhook':
      // Without its path and query, which may hold what is nobody's business.
      return `${step.config.method} ${/^https?:\/\/([^/?#]*)/i.exec(step.config.url)?.[1] ?? ''}`
    case 'exit':
      return step.config.reason === undefined
        ? step.config.outcome
        : `${step.config.outcome}, ${step.config.reason}`
  }
}

const span = ({ amount, unit }: Duration): string =>
  `${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`

const gistOfCondition = ({ logic, groups }: Condition): string =>
  groups
    .map(({ filters, nested }) => [
      ...filters.map(gistOfFilter),
      ...(nested ? [`(${gistOfCondition(nested)})`] : []),
    ])
    .map((parts) => parts.join(' and '))
    .join(logic === 'AND' ? ' and ' : ' or ')

const gistOfFilter = ({ field, operator, value, unit }: Filter): string =>
  [
    field,
    operator.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    ...(value === undefined ? [] : [typeof value === 'string' ? value : JSON.stringify(value)]),
    ...(unit === undefined ? [] : [unit]),
  ].join(' ')
