import type { TriggerType } from '../domain/flow.ts'
import { isUuid, type Uuid } from '../ids.ts'
import type { EnteredFlow } from './admission.ts'
import type { Executor } from './sql.ts'

/** A flow as whoever starts it by hand needs it. */
export interface TriggerableFlow extends EnteredFlow {
  name: string
  enabled: boolean
  triggerType: TriggerType
}

/** By its id, else its slug; undefined: there is none, or it is deleted. */
export async function findFlow(
  sql: Executor,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<TriggerableFlow | undefined> {
  const found = await sql<TriggerableFlow[]>`
    select f.id, f.name, f.enabled, f.version, f.trigger_type, v.definition -> 'settings' as settings
    from flows f
    join flow_versions v on v.organization_id = f.organization_id and v.flow_id = f.id
      and v.version = f.version
    where f.organization_id = ${organizationId} and f.deleted_at is null
      and (f.id = ${isUuid(idOrSlug) ? idOrSlug : null}::uuid or f.slug = ${idOrSlug})`
  return found.find(({ id }) => id === idOrSlug.toLowerCase()) ?? found[0]
}

/** The id of the flow that is named so; one that is deleted is named by its id alone. */
export async function findFlowId(
  sql: Executor,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<Uuid | undefined> {
  const found = await sql<{ id: Uuid }[]>`
    select id
    from flows
    where organization_id = ${organizationId}
      and (id = ${isUuid(idOrSlug) ? idOrSlug : null}::uuid
        or slug = ${idOrSlug} and deleted_at is null)`
  return (found.find(({ id }) => id === idOrSlug.toLowerCase()) ?? found[0])?.id
}

/** One contact as a caller names it: a UUID of any writing, else an address in lower case. */
export interface NamedContact {
  id?: string | undefined
  email?: string | undefined
}

/** The contacts that are named, in the order given; undefined: the organization has none such. */
export async function findContacts(
  sql: Executor,
  organizationId: Uuid,
  named: readonly NamedContact[],
): Promise<(Uuid | undefined)[]> {
  const ids = named.flatMap(({ id }) => (id !== undefined && isUuid(id) ? [id.toLowerCase()] : []))
  const emails = named.flatMap(({ id, email }) => (id === undefined ? (email ?? []) : []))
  const rows = await sql<{ id: Uuid; email: string | null }[]>`
    select id, null as email
    from contacts
    where organization_id = ${organizationId} and id = any(${ids}::uuid[])
    union all
    select id, email
    from contacts
    where organization_id = ${organizationId} and email = any(${emails}::text[])`
  const known = new Map(rows.map(({ id, email }) => [email ?? id, id]))
  return named.map(({ id, email }) => known.get(id?.toLowerCase() ?? email ?? ''))
}

/** Which of these ids are contacts of others. Asked on a miss only. */
export async function listStrangers(sql: Executor, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from unnest(${[...ids]}::uuid[]) as asked (id)
    where owner_of('contact', id) is not null`
  return new Set(rows.map(({ id }) => id))
}
