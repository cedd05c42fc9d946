import type { Uuid } from '../ids.ts'
import type { Executor } from './sql.ts'

export interface InboundEvent {
  organizationId: Uuid
  connectionId: Uuid
  /** The envelope's own id: the same one again is the same event. */
  envelopeId: string
  /** The whole envelope as JSON text. */
  body: string
}

/**
 * Stores events as they came, all in one statement. Answers, in their order, whether each was new.
 * The same id twice in one call is new once. Crosses organizations: each event was proved before.
 */
export async function store(sql: Executor, events: readonly InboundEvent[]): Promise<boolean[]> {
  const stored = await sql<{ connectionId: Uuid; envelopeId: string }[]>`
    select connection_id, envelope_id
    from store_inbound_events(
      ${events.map((event) => event.organizationId)}::uuid[],
      ${events.map((event) => event.connectionId)}::uuid[],
      ${events.map((event) => event.envelopeId)}::text[],
      ${events.map((event) => event.body)}::text[]
    )`
  const fresh = new Set(stored.map(key))
  return events.map((event) => fresh.delete(key(event)))
}

const key = ({ connectionId, envelopeId }: { connectionId: Uuid; envelopeId: string }) =>
  `${connectionId} ${envelopeId}`
