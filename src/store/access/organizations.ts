import type { Brand } from '../../domain/content/brand.ts'
import type { TextName } from '../../domain/content/wording.ts'
import type { PlanName } from '../../domain/access/plan.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/**
 * Returns whether another organization has this resource. The only cross-tenant look-up by id: it
 * tells "not yours" from "not found" and is used on a miss only.
 */
export async function isElsewhere(
  sql: Executor,
  kind: string,
  organizationId: Uuid,
  id: string,
): Promise<boolean> {
  if (!isUuid(id)) return false
  const [row] = await sql<{ owner: Uuid | null }[]>`select owner_of(${kind}, ${id}::uuid) as owner`
  return row !== undefined && row.owner !== null && row.owner !== organizationId
}

/** Only the operator's command line and tests create organizations. */
export const create = (
  sql: Executor,
  { id, name, plan = 'free' }: { id: Uuid; name: string; plan?: string | undefined },
) => sql`
  insert into organizations (id, name, plan)
  values (${id}, ${name}, ${plan})`

/**
 * Locks the organization, so that counts, such as of its connections or owners, stay true until the
 * transaction ends.
 */
export const lock = (tx: Transaction, id: Uuid) => tx`
  select from organizations
  where id = ${id}
  for no key update`

export interface ListedOrganization {
  id: Uuid
  name: string
  plan: PlanName
  members: number
  createdAt: string
}

export const list = (sql: Executor, id?: Uuid) => sql<ListedOrganization[]>`
  select o.id, o.name, o.plan, o.created_at,
    (select count(*) from memberships m where m.organization_id = o.id) as members
  from organizations o
  ${id === undefined ? sql`` : sql`where o.id = ${id}`}
  order by o.created_at, o.id`

export async function setPlan(sql: Executor, id: Uuid, plan: PlanName): Promise<boolean> {
  const { count } = await sql`
    update organizations
    set plan = ${plan}, updated_at = greatest(updated_at, now())
    where id = ${id}`
  return count > 0
}

export interface FoundOrganization {
  id: Uuid
  name: string
  plan: PlanName
  createdAt: string
  updatedAt: string
  branding: Omit<Brand, 'name'>
  connections: number
  members: number
  apiKeys: number
}

export async function find(sql: Executor, id: Uuid): Promise<FoundOrganization | undefined> {
  const [organization] = await sql<FoundOrganization[]>`
    select id, name, plan, created_at, updated_at,
      ${brandOf(sql)} - 'name' as branding,
      (select count(*) from connections
        where organization_id = ${id} and disconnected_at is null) as connections,
      (select count(*) from memberships where organization_id = ${id}) as members,
      (select count(*) from api_keys
        where organization_id = ${id}
          and revoked_at is null
          and (expires_at is null or expires_at > now())) as api_keys
    from organizations o
    where id = ${id}`
  return organization
}

/** Absent fields stay. Null restores the default. */
export interface OrganizationChange {
  name?: string | undefined
  branding?: BrandChange | undefined
}

/** Null texts restore the defaults. */
type BrandChange = Partial<Omit<Brand, 'name' | 'texts'>> & {
  texts?: Partial<Record<TextName, string | null>>
}

export async function change(
  sql: Executor,
  id: Uuid,
  { name, branding = {} }: OrganizationChange,
): Promise<void> {
  const { accentColor, backgroundColor, language, postalAddress, texts = {} } = branding
  const set = (value: string | null | undefined, column: string) =>
    value === undefined ? sql`${sql(column)}` : sql`${value}`
  await sql`
    update organizations
    set name = ${set(name, 'name')},
      accent_color = ${set(accentColor, 'accent_color')},
      background_color = ${set(backgroundColor, 'background_color')},
      language = ${set(language, 'language')},
      postal_address = ${set(postalAddress, 'postal_address')},
      texts = jsonb_strip_nulls(texts || ${sql.json(texts)}),
      updated_at = greatest(updated_at, now())
    where id = ${id}`
}

export const brandOf = (sql: Executor) => sql`
  jsonb_build_object('name', o.name, 'accentColor', o.accent_color,
    'backgroundColor', o.background_color, 'language', o.language,
    'postalAddress', o.postal_address, 'texts', o.texts)`

export async function findBrand(sql: Executor, id: Uuid): Promise<Brand | undefined> {
  const [organization] = await sql<{ brand: Brand }[]>`
    select ${brandOf(sql)} as brand
    from organizations o
    where o.id = ${id}`
  return organization?.brand
}
