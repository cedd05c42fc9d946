import { checkCondition, IN_FLOWS } from '../../audience/condition-check.ts'
import type { Condition } from '../../audience/condition.ts'
import { gistOfCondition } from '../../audience/condition-gist.ts'
import type { StepRules } from './rules.ts'

export const condition: StepRules<{ condition: Condition }> = {
  check: (config, path) => checkCondition(config.condition, `${path}.condition`, IN_FLOWS),
  branches: () => ['yes', 'no'],
  shape: 'decision',
  gist: (config) => gistOfCondition(config.condition),
}
