import { durationMs } from '../../../src/domain/flows/duration.ts'
import { isTimezone, nextLocalTime } from '../../../src/text/local-time.ts'
import * as contactFacts from '../../../src/store/audience/facts.ts'
import type { Transaction } from '../../../src/store/db/sql.ts'
import type { StepOutcome } from '../../../src/core/flows/moves.ts'
import type { StepRun, StoredStep } from './step.ts'

const UTC = 'UTC'

/**
 * Waits until a time that is fixed when the execution enters the step: after a duration, or at a
 * time of day in a time zone, which may be the contact's.
 */
export const delay: StoredStep<'delay'> = {
  where: 'local',
  locksContact: false,
  enter: async (tx, run) => rest(run, new Date(await endOf(tx, run)).toISOString()),
  resume: async (_tx, run) => (run.dueAt === null ? { kind: 'done' } : rest(run, run.dueAt)),
}

const rest = ({ now }: StepRun<'delay'>, until: string): StepOutcome =>
  until > now ? { kind: 'wait', status: 'paused', until } : { kind: 'done' }

async function endOf(tx: Transaction, run: StepRun<'delay'>): Promise<number> {
  const { config } = run.step
  const now = Date.parse(run.now)
  if (!('until' in config)) return now + durationMs(config)
  const { until } = config
  return nextLocalTime(now, until, await timezoneOf(tx, run, until.timezone))
}

/** Returns UTC for values that are not time zones, since a contact's property may be anything. */
async function timezoneOf(
  tx: Transaction,
  { execution: { organizationId, contactId } }: StepRun<'delay'>,
  timezone: string,
): Promise<string> {
  if (timezone !== 'contact') return timezone
  const own = await contactFacts.property(tx, organizationId, contactId, 'timezone')
  return isTimezone(own) ? own : UTC
}
