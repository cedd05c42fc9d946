import { checkCondition, mapFilters, OF_EVENTS } from '../../audience/condition-check.ts'
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
    ...(filter === undefined
      ? []
      : checkCondition(filter, `${path}.filter`, OF_EVENTS, { mayBeLiquid: true })),
    ...checkDuration(timeout, `${path}.timeout`),
  ],
  mapValues: (config, change) =>
    config.filter === undefined
      ? config
      : {
          ...config,
          filter: mapFilters(config.filter, 'filter', (filter, path) =>
            'value' in filter
              ? { ...filter, value: change(filter.value, `${path}.value`) }
              : filter,
          ),
        },
  branches: () => ['yes', 'timeout'],
  pauses: () => true,
  shape: 'wait',
  gist: ({ eventName, timeout }) => `${eventName}, at most ${span(timeout)}`,
}
