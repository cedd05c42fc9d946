import type { Api, Answer, Client } from './api.ts'

/** The `X-Event-*` headers of an answer. */
export const figures = ({ headers }: Pick<Answer, 'headers'>) => ({
  limit: Number(headers['x-event-limit']),
  current: Number(headers['x-event-current']),
  remaining: Number(headers['x-event-remaining']),
  percent: Number(headers['x-event-percent']),
  exceeded: headers['x-event-exceeded'],
})

/** Sets the monthly limit of the client's organization, and its usage. */
export async function limitEvents(
  api: Api,
  { organizationId }: Pick<Client, 'organizationId'>,
  limit: number,
  used = 0,
  month = new Date(api.deps.now()).toISOString().slice(0, 7),
): Promise<void> {
  await api.sql`
    insert into plan_overrides (organization_id, events_per_month)
    values (${organizationId}, ${limit})
    on conflict (organization_id) do update set events_per_month = excluded.events_per_month`
  await api.sql`
    insert into event_usage (organization_id, month, events)
    values (${organizationId}, ${`${month}-01`}::date, ${used})
    on conflict (organization_id, month) do update set events = excluded.events`
}

export interface StoredEvent {
  id: string
  contactId: string
  name: string
  properties: Record<string, unknown>
  eventId: string | null
  occurredAt: string
  receivedAt: string
}

/** Stored events of an organization, by id. */
export const storedEvents = (api: Pick<Api, 'sql'>, organizationId: string) =>
  api.sql<StoredEvent[]>`
    select id, contact_id, name, properties, event_id, occurred_at, received_at
    from events
    where organization_id = ${organizationId}
    order by id`
