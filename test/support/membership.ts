import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Clock,
  keepMembership,
  keepWatched,
  markDue,
} from '../../src/core/flows/membership.ts'
import { evaluate } from '../../src/domain/audience/condition-eval.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import type { Trigger } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as facts from '../../src/store/audience/facts.ts'
import * as segments from '../../src/store/audience/segments.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { seedFlow } from './seed-flow.ts'

const throwing = (_: Uuid, error: unknown) => {
  throw error
}

/** Does everything that a worker does for membership. Scans wait for other transactions. */
export async function keepAll(sql: Sql, clock?: Clock): Promise<void> {
  while (await markDue({ sql, clock }, 100));
  for (;;) {
    while (await keepMembership({ sql, clock, onFailure: throwing }));
    const [remaining] = await sql<{ isLeft: boolean }[]>`
      select exists (
          select from kept_segments
          where dropped_at is not null
            or not is_scanned and (set_aside_until is null or set_aside_until <= clock_timestamp())
        )
        or exists (select from dirty_contacts) as is_left`
    if (remaining?.isLeft === false) return
    await sleep(20)
  }
}

/** Stored members of a segment, by id. */
export async function keptMembers(sql: Sql, segmentId: Uuid): Promise<Uuid[]> {
  const rows = await sql<{ id: Uuid }[]>`
    select m.contact_id as id
    from segment_members m
    join kept_segments k on k.id = m.kept_id
    where k.segment_id = ${segmentId} and k.dropped_at is null
    order by m.contact_id`
  return rows.map(({ id }) => id)
}

export interface WatchedSegment {
  id: Uuid
  condition: Condition
  /** Flows that contacts may enter without limit. */
  entry: Uuid
  exit: Uuid
}

/** A segment with one enabled flow for its entries and one for its exits. */
export async function watchSegment(
  sql: Sql,
  organizationId: Uuid,
  condition: Condition,
): Promise<WatchedSegment> {
  const id = uuidv7()
  const uncounted = { memberCount: null, memberCountIsExact: null, countedAt: null }
  const segment = { id, name: 'Some', description: null, condition, ...uncounted }
  await segments.create(sql, organizationId, segment)
  const triggers: Trigger[] = [
    { type: 'segment_entry', segmentId: id },
    { type: 'segment_exit', segmentId: id },
  ]
  const settings = { allowReentry: true }
  const [entry = '', exit = ''] = await Promise.all(
    triggers.map((trigger) => seedFlow(sql, organizationId, { trigger, settings })),
  )
  await transact(sql, (tx) => keepWatched(tx, organizationId, triggers))
  return { id, condition, entry, exit }
}

/** Members of each segment, computed for all contacts by the evaluator at this time. */
export async function membersByOracle(
  sql: Sql,
  organizationId: Uuid,
  watched: readonly WatchedSegment[],
  now: string,
): Promise<{ contactIds: Uuid[]; members: Map<Uuid, Uuid[]> }> {
  const conditions = watched.map(({ condition }) => condition)
  const rows = await sql<{ id: Uuid }[]>`
    select id from contacts where organization_id = ${organizationId} order by id`
  const contactIds = rows.map(({ id }) => id)
  const contactFacts = await Promise.all(
    contactIds.map(async (id) => {
      const loaded = await facts.load(sql, organizationId, id, conditions, { now })
      return loaded ?? Promise.reject(new Error('no such contact'))
    }),
  )
  const members = watched.map(({ id, condition }): [Uuid, Uuid[]] => [
    id,
    contactFacts.filter((each) => evaluate(condition, each)).map(({ contact }) => contact.id),
  ])
  return { contactIds, members: new Map(members) }
}
