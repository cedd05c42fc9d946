import type { Step } from '../../domain/flows/flow.ts'
import type { FlowDraft } from './flow-draft.ts'

type Definition = Pick<
  FlowDraft,
  'triggerType' | 'triggerConfig' | 'steps' | 'transitions' | 'settings'
>

/** What one version has that another has not, in sentences. */
export function differencesOf(before: Definition, after: Definition): string[] {
  const old = new Map(before.steps.map((step) => [step.id, step]))
  const now = new Set(after.steps.map(({ id }) => id))
  const steps = after.steps.flatMap((step) => {
    const known = old.get(step.id)
    if (!known) return [`Added: ${step.name}`]
    return isSame(plain(known), plain(step)) ? [] : [changeOf(known, step)]
  })
  const removed = before.steps.filter(({ id }) => !now.has(id))
  const isTriggerSame =
    before.triggerType === after.triggerType && isSame(before.triggerConfig, after.triggerConfig)
  const sentences = [
    ...(isTriggerSame ? [] : ['The trigger was changed']),
    ...steps,
    ...removed.map(({ name }) => `Removed: ${name}`),
    ...(isSame(waysOf(before), waysOf(after)) || steps.length + removed.length > 0
      ? []
      : ['Steps follow each other in another way']),
    ...(isSame(before.settings, after.settings) ? [] : ['The settings were changed']),
  ]
  return sentences.length === 0 ? ['Only names or places on the map'] : sentences
}

const changeOf = (before: Step, after: Step): string =>
  before.name === after.name
    ? `Changed: ${after.name}`
    : `Changed: ${after.name}, before ${before.name}`

const plain = ({ type, config, name }: Step) => ({ type, config, name })

const waysOf = ({ transitions }: Definition): string[] =>
  transitions.map(({ from, branch, to }) => JSON.stringify([from, branch, to])).toSorted()

/** The order of keys says nothing. */
const isSame = (one: unknown, other: unknown): boolean => sorted(one) === sorted(other)

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
