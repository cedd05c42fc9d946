import type { Condition, Filter } from '../audience/condition.ts'
import { filtersOf } from '../audience/condition-check.ts'
import { evaluate } from '../audience/condition-eval.ts'
import { eachLine } from '../contacts/contact-fields.ts'
import { type ContactFields, updateContact } from './contact-update.ts'
import type { Definition, Step, Trigger } from './flow.ts'

/** A flow that may start others, or be started by them. */
export interface Linked {
  id: string
  name: string
  trigger: Trigger
  settings: Pick<Definition['settings'], 'allowReentry'>
  steps: readonly Step[]
}

/**
 * Returns the shortest way on which flows start each other round to this one, which is first. A
 * flow that a contact enters only once breaks every ring. Undefined: there is no ring.
 * `conditions`: those of segments, by their ids.
 */
export function findRing(
  flow: Linked,
  others: readonly Linked[],
  conditions: ReadonlyMap<string, Condition>,
): Linked[] | undefined {
  const links = [flow, ...others].filter(({ settings }) => settings.allowReentry)
  if (links[0] !== flow) return undefined
  const seen = new Set<Linked>()
  let paths: Linked[][] = [[flow]]
  while (paths.length > 0) {
    const next: Linked[][] = []
    for (const path of paths) {
      const last = path.at(-1) ?? flow
      for (const link of links) {
        if (
          seen.has(link) ||
          !last.steps.some((step) => mayStart(step, link.trigger, conditions))
        ) {
          continue
        }
        if (link === flow) return path
        seen.add(link)
        next.push([...path, link])
      }
    }
    paths = next
  }
  return undefined
}

/** Whether a step changes what a trigger reads. */
function mayStart(
  step: Step,
  trigger: Trigger,
  conditions: ReadonlyMap<string, Condition>,
): boolean {
  switch (trigger.type) {
    case 'topic_subscribed':
      return step.type === 'subscribe_topic' && isAbout(step.config.topicId, trigger.topicId)
    case 'topic_unsubscribed':
      return step.type === 'unsubscribe_topic' && isAbout(step.config.topicId, trigger.topicId)
    case 'segment_entry':
    case 'segment_exit': {
      const condition = conditions.get(trigger.segmentId)
      const enters = trigger.type === 'segment_entry'
      return (
        condition !== undefined &&
        filtersOf(condition).some((filter) => mayMeet(step, filter, enters))
      )
    }
    default:
      return false
  }
}

/** Whether a step may make a filter true (`wanted`), or false. */
function mayMeet(step: Step, filter: Filter, wanted: boolean): boolean {
  const isAsked = (written: string): boolean => overlap(written, filter.field)
  if (!fieldsOf(step).some(isAsked)) return false
  if (step.type !== 'update_contact' || !DECIDED.includes(filter.operator)) return true
  const { set = {}, unset = [], ...others } = step.config
  const isOpen =
    Object.values(others).some((changes) => Object.keys(changes ?? {}).some(isAsked)) ||
    [...Object.keys(set), ...unset].some((name) => isAsked(name) && name !== filter.field) ||
    LIQUID.test(String(set[filter.field]))
  if (isOpen) return true
  const outcome = updateContact(NOBODY, { set, unset })
  if ('reason' in outcome) return true
  const condition = { logic: 'AND' as const, groups: [{ filters: [filter] }] }
  const contact = { id: '', ...outcome.after }
  return evaluate(condition, { contact, now: new Date(0).toISOString() }) === wanted
}

const LIQUID = /{[{%]/

/** Operators whose answer follows from the value that a step sets. */
const DECIDED: readonly string[] = [
  'equals',
  'notEquals',
  'inList',
  'notInList',
  'exists',
  'notExists',
]

const NOBODY: ContactFields = {
  ...eachLine(() => null),
  preferredChannel: null,
  properties: {},
}

const isAbout = (topicId: string, wanted: string | undefined): boolean =>
  wanted === undefined || wanted === topicId

/** Fields of a contact that a step writes, as conditions name them. */
function fieldsOf(step: Step): string[] {
  switch (step.type) {
    case 'update_contact': {
      const { set = {}, unset = [], increment = {}, append = {}, remove = {} } = step.config
      const named = [set, increment, append, remove].flatMap((changes) => Object.keys(changes))
      return [...named, ...unset, 'updatedAt']
    }
    case 'subscribe_topic':
    case 'unsubscribe_topic':
      return ['topics', 'updatedAt']
    case 'send_email':
      return ['emailsSent', 'lastEmailSentAt', 'lastActivityAt']
    default:
      return []
  }
}

/** Whether one is the other or a part of it: `properties.address` and `properties.address.city`. */
const overlap = (a: string, b: string): boolean =>
  a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`)
