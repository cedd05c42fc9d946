import { wordsOf } from '../audience/condition-sentence.ts'
import { type Definition, nextStep, type StepOf, type StepType, type Trigger } from './flow.ts'
import { rulesOf } from './steps/index.ts'

/** Longest line in a box, in characters. */
const MOST_CHARACTERS = 80

/**
 * Returns a definition as a Mermaid flowchart (mermaid.js.org, "Flowcharts"): the trigger, each
 * step with its type and effect, branches by their names, and one end for all last steps. Names and
 * values are only text in a box: everything but letters, digits and a few signs is written as an
 * entity.
 */
export function diagramOf({ trigger, entry, steps, transitions }: Definition): string {
  const nodes = new Map(steps.map(({ id }, index) => [id, `s${index}`]))
  const node = (id: string | undefined) => (id === undefined ? undefined : nodes.get(id)) ?? END
  const boxes = steps.map((step) => box(node(step.id), step))
  const arrows = steps.flatMap((step) => {
    if (rulesOf(step).isLast) return []
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

/** Returns the branches of a step with labels, except unused ones that need no transition. */
function shownBranches<Type extends StepType>(
  step: StepOf<Type>,
  transitions: Definition['transitions'],
): { branch: string; label: string }[] {
  const { branches, usualBranch, branchLabel } = rulesOf(step)
  const isDrawn = (branch: string) =>
    usualBranch === undefined ||
    branch === usualBranch ||
    transitions.some((each) => each.from === step.id && each.branch === branch)
  return (branches?.(step.config) ?? []).filter(isDrawn).map((branch) => ({
    branch,
    label: branchLabel?.(step.config, branch) ?? branch,
  }))
}

const SHAPES = { decision: ['{', '}'], wait: ['{{', '}}'], end: ['([', '])'], action: ['[', ']'] }

function box<Type extends StepType>(node: string, step: StepOf<Type>): string {
  const { gist, shape = 'action' } = rulesOf(step)
  const [opening, close] = SHAPES[shape]
  return `${node}${opening}"${label(step.name, `${step.type}, ${gist(step.config)}`)}"${close}`
}

const label = (first: string, second: string): string => `${text(first)}<br/>${text(second)}`

/** Letters, digits and signs without a meaning in Mermaid. `_` has none within a word. */
const PLAIN = /^[\p{L}\p{M}\p{N} .,/@%…-]$/u
const WORD = /[\p{L}\p{N}]/u

/** Sequences that entities do not hide: they would become a formula or an icon. */
const MAGIC: readonly string[] = ['$$', ':f']
/** An invisible character without width. */
const JOINER = '#8288;'

/** Escapes characters that could end a text or begin a tag, an entity, a style or Markdown. */
function text(value: string): string {
  const characters = Array.from(value.replace(/\s+/g, ' ').trim())
  const short =
    characters.length > MOST_CHARACTERS
      ? [...characters.slice(0, MOST_CHARACTERS - 1), '…']
      : characters
  const escapedCharacters = short.map((each, index) => {
    const isInWord = WORD.test(short[index - 1] ?? '') && WORD.test(short[index + 1] ?? '')
    if (PLAIN.test(each) || (each === '_' && isInWord)) return each
    const pair = each + (short[index + 1] ?? '')
    return `#${each.codePointAt(0) ?? 0};${MAGIC.includes(pair) ? JOINER : ''}`
  })
  // A text must not be empty, nor begin as a list does.
  const line = escapedCharacters
    .join('')
    .replace(/^(\d+)\./, '$1#46;')
    .replace(/^-/, '#45;')
  return line === '' ? '…' : line
}

function gistOfTrigger(trigger: Trigger): string {
  switch (trigger.type) {
    case 'event':
      return `event ${trigger.name}${trigger.filter ? `, if ${wordsOf(trigger.filter)}` : ''}`
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
