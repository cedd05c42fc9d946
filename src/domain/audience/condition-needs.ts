import { CONTACT_STATS } from '../contacts/contact-columns.ts'
import type { Condition } from './condition.ts'
import { filtersOf } from './condition-check.ts'
import { fieldOf } from './condition-fields.ts'

export interface Needs {
  asksTopics: boolean
  asksStats: boolean
  eventNames: string[]
}

export function needsOf(condition: Condition): Needs {
  const fields = filtersOf(condition).map(({ field }) => fieldOf(field))
  return {
    asksTopics: fields.some((field) => field?.kind === 'topics'),
    asksStats: fields.some(
      (field) => field !== undefined && 'column' in field && CONTACT_STATS.has(field.column),
    ),
    eventNames: [
      ...new Set(fields.flatMap((field) => (field?.kind === 'stats' ? [field.name] : []))),
    ],
  }
}
