import type { Schemas } from '../../client/index.ts'
import { checkCondition, IN_FLOWS } from '../../domain/audience/condition-check.ts'
import type { Condition } from '../../domain/audience/condition.ts'

const isCondition = (value: unknown): value is Condition =>
  checkCondition(value, 'condition', IN_FLOWS, { mayBeLiquid: true }).length === 0

/** A condition as it came from the API. Undefined: there is none that this page can read. */
export const readCondition = (value: unknown): Condition | undefined =>
  isCondition(value) ? value : undefined

/** A condition as the API takes it: the document types what is nested as any object. */
export const writeCondition = (condition: Condition): Schemas['Condition'] =>
  JSON.parse(JSON.stringify(condition))
