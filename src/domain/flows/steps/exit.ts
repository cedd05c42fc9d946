import type { StepRules } from './rules.ts'

export interface Config {
  outcome: 'completed' | 'cancelled' | 'failed'
  reason?: string
}

const REASON = 'exit'

/** Ends the execution. An execution that fails here fails again when it is retried. */
export const exit: StepRules<Config> = {
  decide: ({ name, config: { outcome, reason } }) =>
    outcome === 'failed'
      ? {
          kind: 'failed',
          reason: reason ?? REASON,
          error: `The step "${name}" ends the execution as failed`,
        }
      : { kind: 'ended', status: outcome, reason: reason ?? null },
  isLast: true,
  shape: 'end',
  gist: ({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}, ${reason}`),
}
