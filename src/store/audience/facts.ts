import type { Condition } from '../../domain/audience/condition.ts'
import { filtersOf } from '../../domain/audience/condition-check.ts'
import type { Facts } from '../../domain/audience/condition-eval.ts'
import {
  type EventQuestion,
  eventQuestions,
  questionKey,
} from '../../domain/audience/condition-events.ts'
import { earliestAbout, type Uuid } from '../../runtime/ids.ts'
import { isCounted } from './condition-sql.ts'
import { columns, withStats } from './contact-columns.ts'
import type { Executor } from '../db/sql.ts'

export type About = Pick<Facts, 'trigger' | 'event' | 'now'>

export async function load(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  conditions: readonly Condition[],
  about: About,
): Promise<Facts | undefined> {
  const [contact] = await sql<Facts['contact'][]>`
    select ${columns(sql)}
    from ${withStats(sql)}
    where contacts.organization_id = ${organizationId} and contacts.id = ${contactId}`
  if (!contact) return undefined
  const asksTopics = conditions.some((condition) =>
    filtersOf(condition).some(({ field }) => field === 'topics'),
  )
  const questions = conditions.flatMap(eventQuestions)
  return {
    ...about,
    contact,
    ...(asksTopics ? { topics: await topicsOf(sql, organizationId, contactId) } : {}),
    ...(questions.length > 0
      ? { events: await countEvents(sql, organizationId, contactId, { questions, now: about.now }) }
      : {}),
  }
}

export async function contacts(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Map<Uuid, Facts['contact']>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<Facts['contact'][]>`
    select ${columns(sql)}
    from ${withStats(sql)}
    where contacts.organization_id = ${organizationId}
      and contacts.id = any(${[...new Set(ids)]}::uuid[])`
  return new Map(rows.map((row) => [row.id, row]))
}

const topicsOf = (sql: Executor, organizationId: Uuid, contactId: Uuid) => sql<
  { id: Uuid; slug: string }[]
>`
  select t.id, t.slug
  from subscriptions s
  join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
  where s.organization_id = ${organizationId} and s.contact_id = ${contactId}
    and s.status = 'subscribed'`

async function countEvents(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  { questions, now }: { questions: readonly EventQuestion[]; now: string },
): Promise<Map<string, number>> {
  const asking = { sql, organizationId, now: Date.parse(now) }
  const counts = questions.map(
    (question, i) => sql`
      ${i === 0 ? sql`` : sql`union all`}
      select ${questionKey(question)} as key, count(*) as count
      from events
      where ${isCounted(asking, question)} and events.contact_id = ${contactId}
        and events.id >= ${earliestAbout(contactId)}`,
  )
  const rows = await sql.once(sql<{ key: string; count: number }[]>`${counts}`)
  return new Map(rows.map(({ key, count }) => [key, count]))
}

export async function property(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  key: string,
): Promise<unknown> {
  const [row] = await sql<{ value: unknown }[]>`
    select properties -> ${key} as value
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}`
  return row?.value ?? undefined
}
