import { checkCondition, IN_FLOWS } from '../../audience/condition-check.ts'
import type { Condition } from '../../audience/condition.ts'
import { wordsOf } from '../../audience/condition-sentence.ts'
import type { StepRules } from './rules.ts'

export const condition: StepRules<{ condition: Condition }> = {
  check: (config, path) => checkCondition(config.condition, `${path}.condition`, IN_FLOWS),
  mapConditions: ({ condition: asked }, change) => ({ condition: change(asked, 'condition') }),
  branches: () => ['yes', 'no'],
  shape: 'decision',
  gist: (config) => wordsOf(config.condition),
}
