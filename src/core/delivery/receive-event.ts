import { isKnownKind, parseSesEvent, type SesEvent } from '../../domain/delivery/ses-event.ts'
import type { EventEnvelope } from '../../schemas/delivery/webhook.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { InboundEvent } from '../../store/delivery/inbound-events.ts'
import type { UnreadBody } from './read-event.ts'

/** Connection of an event, as its secret, its signature or its queue proved. */
export interface EventProof {
  organizationId: Uuid
  id: Uuid
  accountId: string
  region: string
}

export interface ReceivedEvent extends InboundEvent {
  /** The event. Undefined: it may not be applied. */
  event?: SesEvent
}

/** Returns the stored form of an event. */
export function toInboundEvent(envelope: EventEnvelope, proof: EventProof): ReceivedEvent {
  const refusal = refusalOf(envelope, proof)
  return {
    organizationId: proof.organizationId,
    connectionId: proof.id,
    envelopeId: envelope.id,
    // What another organization's mail says is not kept for this one.
    body: refusal.ignored === 'other_organization' ? '{}' : JSON.stringify(envelope),
    ...refusal,
  }
}

/** Returns the stored form of an unreadable body. */
export const toUnreadEvent = (
  { reason, text, digest }: UnreadBody,
  { organizationId, id: connectionId }: EventProof,
): InboundEvent => ({
  organizationId,
  connectionId,
  envelopeId: `unread ${digest}`,
  body: JSON.stringify({ unread: text }),
  error: reason,
})

/** Returns the reason why an event is not applied. The proof determines its connection. */
function refusalOf(
  { account, region, detail }: EventEnvelope,
  proof: EventProof,
): Pick<ReceivedEvent, 'ignored' | 'error' | 'event'> {
  if (account !== proof.accountId) return { ignored: 'other_account' }
  if (region !== proof.region) return { ignored: 'other_region' }
  const event = parseSesEvent(detail)
  if (!event) return isKnownKind(detail) ? { error: 'no_event' } : { ignored: 'unknown_event' }
  const organizationId = event.tagged?.organizationId ?? proof.organizationId
  return organizationId === proof.organizationId ? { event } : { ignored: 'other_organization' }
}
