import type { Condition } from '../../src/domain/condition.ts'
import { evaluate } from '../../src/domain/condition-eval.ts'
import { filtersOf } from '../../src/domain/condition-check.ts'
import * as contactFacts from '../../src/store/contact-facts.ts'
import { latestEvent } from '../../src/store/execution-events.ts'
import type { Executor } from '../../src/store/sql.ts'
import type { Executing } from './step.ts'

/** Whether a condition of a flow holds now; undefined: the contact is gone. `now` is ISO. */
export async function holds(
  sql: Executor,
  execution: Pick<Executing, 'id' | 'organizationId' | 'contactId' | 'eventId' | 'data'>,
  condition: Condition,
  now: string,
): Promise<boolean | undefined> {
  const { organizationId, contactId, data } = execution
  const event = asksAboutEvent(condition) ? await eventOf(sql, execution) : undefined
  const facts = await contactFacts.load(sql, organizationId, contactId, [condition], {
    now,
    trigger: data,
    ...(event ? { event } : {}),
  })
  return facts && evaluate(condition, facts)
}

const asksAboutEvent = (condition: Condition): boolean =>
  filtersOf(condition).some(({ field }) => field.startsWith('event.properties.'))

/** Of the last event that a wait took, else of the one that started the execution. */
async function eventOf(
  sql: Executor,
  {
    id,
    organizationId,
    eventId,
    data,
  }: Pick<Executing, 'id' | 'organizationId' | 'eventId' | 'data'>,
): Promise<Record<string, unknown> | undefined> {
  const event = await latestEvent(sql, organizationId, id)
  // What started the execution is what it was given, also where the event is not kept any more.
  return event?.properties ?? (eventId === null ? undefined : data)
}
