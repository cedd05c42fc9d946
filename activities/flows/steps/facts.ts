import type { Condition } from '../../../src/domain/audience/condition.ts'
import { evaluate } from '../../../src/domain/audience/condition-eval.ts'
import { filtersOf } from '../../../src/domain/audience/condition-check.ts'
import * as contactFacts from '../../../src/store/audience/facts.ts'
import { latestEvent } from '../../../src/store/flows/execution-events.ts'
import type { Executor } from '../../../src/store/db/sql.ts'
import type { Executing } from './step.ts'

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

/**
 * Properties of the event that last matched a wait, otherwise of the one that started the
 * execution.
 */
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
  // The event that started the execution is its data, also where the event is no longer kept.
  return event?.properties ?? (eventId === null ? undefined : data)
}

/**
 * Returns the event that Liquid shows: the last that a wait took, otherwise the one that started
 * the execution. Its properties are stored with the execution, so they outlive the event.
 */
export async function eventKnownTo(
  sql: Executor,
  {
    id,
    organizationId,
    data,
    definition: { trigger },
  }: Pick<Executing, 'id' | 'organizationId' | 'data' | 'definition'>,
): Promise<{ name: string; properties: Record<string, unknown> } | undefined> {
  const latest = await latestEvent(sql, organizationId, id)
  return latest ?? (trigger.type === 'event' ? { name: trigger.name, properties: data } : undefined)
}
