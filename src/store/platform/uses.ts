import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Transaction } from '../db/sql.ts'

export interface Used {
  kind: 'template' | 'topic' | 'segment'
  id: Uuid
  /** Set for topics, which a condition may name by their slug. */
  slug?: string
}

export interface Use {
  kind: 'batch' | 'workflow' | 'topic' | 'segment'
  id: Uuid
  name: string
  /** Only running executions use it: the workflow is disabled, or has changed. */
  isByExecutions: boolean
}

/**
 * Waits for executions that versions of flows with this reference are starting, and lets none start
 * until the transaction ends, so that a later list includes them.
 */
export const holdStarts = (tx: Transaction, organizationId: Uuid, used: Used) => tx`
  select
  from flow_versions
  where organization_id = ${organizationId} and named_ids && ${namesOf(used)}::text[]
  order by flow_id, version
  for update`

const namesOf = ({ id, slug }: Used): string[] => (slug === undefined ? [id] : [id, slug])

/**
 * Some uses: unfinished batches, enabled flows, flows with live executions in any version, topics
 * whose confirmations need it, and segments whose condition names the topic.
 */
export const list = (
  sql: Executor,
  organizationId: Uuid,
  used: Used,
  { by, limit }: { by: readonly Use['kind'][]; limit: number },
) => {
  const { kind, id } = used
  const names = namesOf(used)
  return sql<Use[]>`
  select kind, id, name, is_by_executions
  from (
    select 'batch' as kind, b.id, coalesce(b.name, b.subject) as name, false as is_by_executions
    from batches b
    where b.organization_id = ${organizationId}
      and b.status in ('queued', 'scheduled', 'processing') and ${NAMED_BY_BATCH[kind](sql, id)}
    union all
    select 'workflow', f.id, f.name, not bool_or(f.enabled and v.version = f.version)
    from flows f
    join flow_versions v on v.organization_id = ${organizationId} and v.flow_id = f.id
    where f.organization_id = ${organizationId} and f.deleted_at is null
      and (
        v.named_ids && ${names}::text[]
          and (f.enabled and v.version = f.version or ${hasLive(sql, sql`true`)})
        or ${kind} = 'topic' and ${hasLive(sql, sql`e.topic_id = ${id}`)}
      )
    group by f.id, f.name
    union all
    select 'topic', t.id, t.name, false
    from topics t
    where t.organization_id = ${organizationId} and ${kind} = 'template' and t.template_id = ${id}
    union all
    select 'segment', s.id, s.name, false
    from segments s
    where s.organization_id = ${organizationId} and ${kind} = 'topic'
      and exists (
        select
        from jsonb_path_query(s.condition, '$.** ? (@.field == "topics").value') as named (value)
        where lower(named.value #>> '{}') = any(${names}::text[])
      )
  ) as used
  where kind = any(${[...by]}::text[])
  limit ${limit}`
}

const hasLive = (sql: Executor, which: Part) => sql`
  exists (
    select
    from executions e
    where e.organization_id = f.organization_id and e.flow_id = f.id and e.version = v.version
      and e.status in ('pending', 'active', 'paused', 'waiting') and ${which}
  )`

const NAMED_BY_BATCH: Record<Used['kind'], (sql: Executor, id: Uuid) => Part> = {
  template: (sql, id) => sql`
    (b.template_id = ${id} or exists (
      select
      from batch_variants v
      where v.organization_id = b.organization_id and v.batch_id = b.id and v.template_id = ${id}
    ))`,
  topic: (sql, id) => sql`(b.topic_id = ${id} or ${id} = any(b.excluded_topic_ids))`,
  segment: (sql, id) => sql`(b.segment_id = ${id} or ${id} = any(b.excluded_segment_ids))`,
}
