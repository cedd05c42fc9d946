import type { Condition } from '../../src/domain/condition.ts'
import { evaluate } from '../../src/domain/condition-eval.ts'
import * as contactFacts from '../../src/store/contact-facts.ts'
import type { Executor } from '../../src/store/sql.ts'
import type { Executing } from './step.ts'

/** Whether a condition of a flow holds now; undefined: the contact is gone. `now` is ISO. */
export async function holds(
  sql: Executor,
  execution: Pick<Executing, 'organizationId' | 'contactId' | 'eventId' | 'data'>,
  condition: Condition,
  now: string,
): Promise<boolean | undefined> {
  const { organizationId, contactId, eventId, data } = execution
  const facts = await contactFacts.load(sql, organizationId, contactId, [condition], {
    now,
    trigger: data,
    // What an event that starts an execution says is what the execution is given.
    ...(eventId === null ? {} : { event: data }),
  })
  return facts && evaluate(condition, facts)
}
