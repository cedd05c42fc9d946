import {
  type Definition,
  type ScheduleFailure,
  type StepType,
  triggerKey,
  type TriggerType,
} from '../../domain/flows/flow.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import { containing } from '../db/like.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface FlowRow {
  id: Uuid
  slug: string
  name: string
  description: string | null
  enabled: boolean
  version: number
  triggerType: TriggerType
  sourceHash: string | null
  createdAt: string
  updatedAt: string
  editedAt: string
  pushedAt: string | null
  /** Latest failed moment of its schedule. Null: none has failed since one succeeded. */
  scheduleFailedFor: string | null
  scheduleFailure: ScheduleFailure | null
}

const columns = (sql: Executor) => sql`
  f.id, f.slug, f.name, f.description, f.enabled, f.version, f.trigger_type, f.source_hash,
  f.created_at, f.updated_at, f.edited_at, f.pushed_at, f.schedule_failed_for, f.schedule_failure`

export type WholeFlow = FlowRow & { definition: Definition }

export interface FlowValues {
  name: string
  slug: string
  description: string | null
  enabled: boolean
}

interface NewFlow extends FlowValues {
  organizationId: Uuid
  id: Uuid
  definition: Definition
  sealedSecret: Buffer
}

/** Creates a flow with version 1. Undefined: the slug is taken. */
export async function create(tx: Transaction, flow: NewFlow): Promise<FlowRow | undefined> {
  const { organizationId, id, definition } = flow
  const { triggerType, triggerKey, maxConcurrent } = indexed(definition)
  const [created] = await tx<FlowRow[]>`
    insert into flows as f (organization_id, id, slug, name, description, enabled, version,
      trigger_type, trigger_key, max_concurrent, sealed_secret)
    values (${organizationId}, ${id}, ${flow.slug}, ${flow.name}, ${flow.description},
      ${flow.enabled}, 1, ${triggerType}, ${triggerKey}, ${maxConcurrent}, ${flow.sealedSecret})
    on conflict (organization_id, slug) where deleted_at is null do nothing
    returning ${columns(tx)}`
  if (created) await addVersion(tx, { organizationId, flowId: id, version: 1, definition })
  return created
}

function indexed({ trigger, settings }: Definition) {
  return {
    triggerType: trigger.type,
    triggerKey: triggerKey(trigger),
    maxConcurrent: settings.maxConcurrentExecutions,
  }
}

interface NewVersion {
  organizationId: Uuid
  flowId: Uuid
  version: number
  definition: Definition
}

const addVersion = (
  tx: Transaction,
  { organizationId, flowId, version, definition }: NewVersion,
) => tx`
  insert into flow_versions (organization_id, flow_id, version, definition)
  values (${organizationId}, ${flowId}, ${version}, ${json(tx, definition)})`

const json = (sql: Executor, definition: Definition) => sql.json(definition)

/** Finds a flow by its id, otherwise by its slug, in its newest version or the given one. */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  idOrSlug: string,
  version?: number,
): Promise<WholeFlow | undefined> {
  const matches = await sql<WholeFlow[]>`
    select ${columns(sql)}, v.definition
    from flows f
    join flow_versions v on v.organization_id = f.organization_id and v.flow_id = f.id
      and v.version = coalesce(${version ?? null}::integer, f.version)
    where f.organization_id = ${organizationId} and f.deleted_at is null
      and (f.id = ${isUuid(idOrSlug) ? idOrSlug : null}::uuid or f.slug = ${idOrSlug})`
  return matches.find(({ id }) => id === idOrSlug.toLowerCase()) ?? matches[0]
}

export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<WholeFlow | undefined> {
  const flow = await find(tx, organizationId, idOrSlug)
  if (!flow) return undefined
  await tx`
    select from flows
    where organization_id = ${organizationId} and id = ${flow.id}
    for no key update`
  // Read again: it may have changed before it was locked.
  const locked = await find(tx, organizationId, flow.id)
  return locked
}

interface FlowFilters {
  before: Uuid | undefined
  limit: number
  search?: string | undefined
  enabled?: boolean | undefined
  triggerType?: TriggerType | undefined
}

/** Lists flows newest first, `before` an id, without definitions. */
export const list = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit, search, enabled, triggerType }: FlowFilters,
) => sql<FlowRow[]>`
  select ${columns(sql)}
  from flows f
  where f.organization_id = ${organizationId} and f.deleted_at is null
    ${before === undefined ? sql`` : sql`and f.id < ${before}`}
    ${enabled === undefined ? sql`` : sql`and f.enabled = ${enabled}`}
    ${triggerType === undefined ? sql`` : sql`and f.trigger_type = ${triggerType}`}
    ${
      search === undefined
        ? sql``
        : sql`and (f.name ilike ${containing(search)} or f.slug ilike ${containing(search)})`
    }
  order by f.id desc
  limit ${limit}`

export async function listEnabled(
  sql: Executor,
  organizationId: Uuid,
  slugs: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ slug: string }[]>`
    select slug
    from flows
    where organization_id = ${organizationId} and deleted_at is null and enabled
      and slug = any(${[...slugs]}::text[])`
  return new Set(rows.map(({ slug }) => slug))
}

export const listWhole = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit, slug }: { before: Uuid | undefined; limit: number; slug: string | undefined },
) => sql<WholeFlow[]>`
  select ${columns(sql)}, v.definition
  from flows f
  join flow_versions v on v.organization_id = f.organization_id and v.flow_id = f.id
    and v.version = f.version
  where f.organization_id = ${organizationId} and f.deleted_at is null
    ${before === undefined ? sql`` : sql`and f.id < ${before}`}
    ${slug === undefined ? sql`` : sql`and f.slug = ${slug}`}
  order by f.id desc
  limit ${limit}`

/** Number of flows that are not deleted. Exact while the organization is locked. */
export async function count(sql: Executor, organizationId: Uuid): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count
    from flows
    where organization_id = ${organizationId} and deleted_at is null`
  return row?.count ?? 0
}

/** Returns the type of a step in a version. Undefined: the version has no such step. */
export async function findStepType(
  sql: Executor,
  organizationId: Uuid,
  { flowId, version, stepId }: { flowId: Uuid; version: number; stepId: string },
): Promise<StepType | undefined> {
  const [step] = await sql<{ type: StepType }[]>`
    select step ->> 'type' as type
    from flow_versions
    cross join lateral jsonb_array_elements(definition -> 'steps') as step
    where organization_id = ${organizationId} and flow_id = ${flowId} and version = ${version}
      and step ->> 'id' = ${stepId}`
  return step?.type
}

export const listVersions = (
  sql: Executor,
  organizationId: Uuid,
  { flowId, before, limit }: { flowId: Uuid; before: number | undefined; limit: number },
) => sql<{ version: number; createdAt: string }[]>`
  select version, created_at
  from flow_versions
  where organization_id = ${organizationId} and flow_id = ${flowId}
    ${before === undefined ? sql`` : sql`and version < ${before}`}
  order by version desc
  limit ${limit}`

/** A time after the last write, so that a reader of that write sees the difference. */
const moment = (sql: Executor) => sql`
  greatest(f.updated_at + interval '1 millisecond', clock_timestamp())`

/**
 * Changes a locked flow. A `definition` becomes its next version. Throws a unique violation if the
 * slug is taken.
 */
export async function update(
  tx: Transaction,
  organizationId: Uuid,
  flow: Pick<FlowRow, 'id' | 'version'>,
  values: FlowValues,
  definition: Definition | undefined,
): Promise<FlowRow | undefined> {
  const version = definition === undefined ? flow.version : flow.version + 1
  if (definition !== undefined) {
    await addVersion(tx, { organizationId, flowId: flow.id, version, definition })
    const { triggerType, triggerKey, maxConcurrent } = indexed(definition)
    await tx`
      update flows
      set version = ${version}, trigger_type = ${triggerType}, trigger_key = ${triggerKey},
        max_concurrent = ${maxConcurrent}
      where organization_id = ${organizationId} and id = ${flow.id}`
  }
  const [updated] = await tx<FlowRow[]>`
    update flows f
    set name = ${values.name}, slug = ${values.slug}, description = ${values.description},
      enabled = ${values.enabled}, edited_at = ${moment(tx)}, updated_at = ${moment(tx)}
    where f.organization_id = ${organizationId} and f.id = ${flow.id}
    returning ${columns(tx)}`
  return updated
}

export async function setEnabled(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  enabled: boolean,
): Promise<FlowRow | undefined> {
  const [updated] = await tx<FlowRow[]>`
    update flows f
    set enabled = ${enabled}, updated_at = ${moment(tx)}
    where f.organization_id = ${organizationId} and f.id = ${id} and f.deleted_at is null
    returning ${columns(tx)}`
  return updated
}

export const markPushed = (
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  sourceHash: string | null,
) => tx`
  update flows
  set pushed_at = edited_at, source_hash = ${sourceHash}
  where organization_id = ${organizationId} and id = ${id}`

/** Deletes a locked flow. Its executions stay readable. */
export const remove = (tx: Transaction, organizationId: Uuid, id: Uuid) => tx`
  update flows f
  set enabled = false, deleted_at = clock_timestamp(), updated_at = ${moment(tx)}
  where f.organization_id = ${organizationId} and f.id = ${id} and f.deleted_at is null`
