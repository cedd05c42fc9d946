import type { Uuid } from '../ids.ts'
import type { Executor } from './sql.ts'

export interface InboundEvent {
  organizationId: Uuid
  connectionId: Uuid
  /** The envelope's own id: the same one again is the same event. */
  envelopeId: string
  /** The whole envelope as JSON text. */
  body: string
  /** Why it can never be applied, though it was read. */
  ignored?: string
  /** Why it could not be read. Either one keeps it from the applier, for good. */
  error?: string
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
      ${events.map((event) => event.body)}::text[],
      ${events.map((event) => event.error ?? null)}::text[],
      ${events.map((event) => event.ignored ?? null)}::text[]
    )`
  const fresh = new Set(stored.map(key))
  return events.map((event) => fresh.delete(key(event)))
}

const key = ({ connectionId, envelopeId }: { connectionId: Uuid; envelopeId: string }) =>
  `${connectionId} ${envelopeId}`
