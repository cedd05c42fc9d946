import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'

export interface InboundEvent {
  organizationId: Uuid
  connectionId: Uuid
  /** The envelope's own id: the same one again is the same event. */
  envelopeId: string
  /** The whole envelope as JSON text. */
  body: string
  /** Why it can never be applied, although it is readable. */
  ignored?: string
  /** Why it is unreadable. Either reason keeps it from the applier permanently. */
  error?: string
}

/**
 * Stores events as they came, all in one statement. Returns, in their order, whether each was new.
 * The same id twice in one call is new once. Cross-tenant: the secret of each event was checked
 * before.
 *
 * They are written in the order of their ids: an event that comes twice at once is in two sets, and
 * two sets that wait for each other's events would both be refused.
 */
export async function store(sql: Executor, given: readonly InboundEvent[]): Promise<boolean[]> {
  const events = given.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
  const stored = await sql<{ connectionId: Uuid; envelopeId: string }[]>`
    select connection_id, envelope_id
    from store_inbound_events(
      ${events.map((event) => event.organizationId)}::uuid[],
      ${events.map((event) => event.connectionId)}::uuid[],
      ${events.map((event) => event.envelopeId)}::text[],
      ${events.map((event) => event.body)}::text[],
      ${events.map((event) => event.error ?? null)}::text[],
      ${events.map((event) => event.ignored ?? null)}::text[]
    )`
  const fresh = new Set(stored.map(key))
  return given.map((event) => fresh.delete(key(event)))
}

const key = ({ connectionId, envelopeId }: { connectionId: Uuid; envelopeId: string }) =>
  `${connectionId} ${envelopeId}`

/** Stores events once more that were applied to a mail which turned out to be another. */
export const putBack = (tx: Transaction, events: readonly InboundEvent[]) => tx`
  insert into inbound_events (organization_id, connection_id, envelope_id, body)
  select organization_id, connection_id, envelope_id, body::jsonb
  from unnest(
    ${events.map((event) => event.organizationId)}::uuid[],
    ${events.map((event) => event.connectionId)}::uuid[],
    ${events.map((event) => event.envelopeId)}::text[],
    ${events.map((event) => event.body)}::text[]
  ) as e (organization_id, connection_id, envelope_id, body)`

export const countWaiting = async (sql: Sql): Promise<number> => {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*) as waiting
    from inbound_events
    where applied_at is null`
  return row?.waiting ?? 0
}
