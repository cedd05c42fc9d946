import type { StepRules } from './rules.ts'

export interface Config {
  outcome: 'completed' | 'cancelled' | 'failed'
  reason?: string
}

export const exit: StepRules<Config> = {
  isLast: true,
  shape: 'end',
  gist: ({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}, ${reason}`),
}
