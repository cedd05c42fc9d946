import type { Condition, Filter } from '../audience/condition.ts'
import { filtersOf } from '../audience/condition-check.ts'
import { overlap } from '../audience/condition-fields.ts'
import type { Definition, Step, Trigger } from './flow.ts'
import { needsTopic, rulesOf } from './steps/index.ts'

export interface Linked {
  id: string
  name: string
  trigger: Trigger
  settings: Pick<Definition['settings'], 'allowReentry'>
  steps: readonly Step[]
}

/**
 * Returns the shortest ring of flows that start each other, beginning with this one. A flow that a
 * contact enters only once breaks every ring. Undefined: no ring exists. `conditions`: those of
 * segments, by id.
 */
export function findRing(
  flow: Linked,
  otherFlows: readonly Linked[],
  conditions: ReadonlyMap<string, Condition>,
): Linked[] | undefined {
  const links = [flow, ...otherFlows].filter(({ settings }) => settings.allowReentry)
  if (links[0] !== flow) return undefined
  const seenFlows = new Set<Linked>()
  let paths: Linked[][] = [[flow]]
  while (paths.length > 0) {
    const next: Linked[][] = []
    for (const path of paths) {
      const last = path.at(-1) ?? flow
      for (const link of links) {
        if (
          seenFlows.has(link) ||
          !last.steps.some((step) => mayStart(step, link.trigger, conditions))
        ) {
          continue
        }
        if (link === flow) return path
        seenFlows.add(link)
        next.push([...path, link])
      }
    }
    paths = next
  }
  return undefined
}

function mayStart(
  step: Step,
  trigger: Trigger,
  conditions: ReadonlyMap<string, Condition>,
): boolean {
  switch (trigger.type) {
    case 'topic_subscribed':
    case 'topic_unsubscribed':
      return (
        rulesOf(step).fires === trigger.type &&
        needsTopic(step) &&
        isAbout(step.config.topicId, trigger.topicId)
      )
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

function mayMeet(step: Step, filter: Filter, isWanted: boolean): boolean {
  const { writes, mayMeet: decide } = rulesOf(step)
  const writtenFields = writes?.(step.config) ?? []
  if (!writtenFields.some((field) => overlap(field, filter.field))) return false
  return decide === undefined || decide(step.config, filter, isWanted)
}

const isAbout = (topicId: string, wantedTopicId: string | undefined): boolean =>
  wantedTopicId === undefined || wantedTopicId === topicId
