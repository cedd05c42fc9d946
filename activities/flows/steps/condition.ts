import { holds } from './facts.ts'
import type { StoredStep } from './step.ts'

export const condition: StoredStep<'condition'> = {
  where: 'local',
  locksContact: false,
  enter: async (tx, { execution, step, now }) => {
    const isSo = await holds(tx, execution, step.config.condition, now)
    if (isSo === undefined) return { kind: 'ended', status: 'cancelled', reason: 'contact_deleted' }
    return { kind: 'done', branch: isSo ? 'yes' : 'no' }
  },
}
