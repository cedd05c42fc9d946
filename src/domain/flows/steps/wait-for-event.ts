import { checkCondition, OF_EVENTS } from '../../audience/condition-check.ts'
import type { Condition } from '../../audience/condition.ts'
import { checkDuration, type Duration, span } from '../duration.ts'
import type { StepRules } from './rules.ts'

export interface Config {
  eventName: string
  filter?: Condition
  timeout: Duration
}

export const waitForEvent: StepRules<Config> = {
  check: ({ filter, timeout }, path) => [
    ...(filter === undefined ? [] : checkCondition(filter, `${path}.filter`, OF_EVENTS)),
    ...checkDuration(timeout, `${path}.timeout`),
  ],
  branches: () => ['yes', 'timeout'],
  pauses: () => true,
  shape: 'wait',
  gist: ({ eventName, timeout }) => `${eventName}, at most ${span(timeout)}`,
}
