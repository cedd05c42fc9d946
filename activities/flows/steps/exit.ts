import type { StoredStep } from './step.ts'

const REASON = 'exit'

/** Ends the execution. One that fails here can be retried here, and fails again. */
export const exit: StoredStep<'exit'> = {
  where: 'local',
  locksContact: false,
  enter: (_tx, { step: { config, name } }) => {
    const reason = config.reason ?? REASON
    return Promise.resolve(
      config.outcome === 'failed'
        ? { kind: 'failed', reason, error: `The step "${name}" ends the execution as failed` }
        : { kind: 'ended', status: config.outcome, reason: config.reason ?? null },
    )
  },
}
