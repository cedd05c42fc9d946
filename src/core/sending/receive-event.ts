import { isKnownKind, parseSesEvent, type SesEvent } from '../../domain/sending/ses-event.ts'
import type { EventEnvelope } from '../../schemas/sending/webhook.ts'
import type { WebhookProof } from '../../store/accounts/connection-secrets.ts'
import type { InboundEvent } from '../../store/sending/inbound-events.ts'

export interface ReceivedEvent extends InboundEvent {
  /** What it says, if it may be applied. */
  event?: SesEvent
}

/** What is stored of an event that came with a connection's secret. */
export function toInboundEvent(envelope: EventEnvelope, proof: WebhookProof): ReceivedEvent {
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

/** A body that came with a connection's secret and could not be read as an event. */
interface UnreadBody {
  reason: string
  /** Null: nothing of it is kept. */
  text: string | null
  /** The same body again is the same event. */
  digest: string
}

export const toUnreadEvent = (
  { reason, text, digest }: UnreadBody,
  { organizationId, id: connectionId }: WebhookProof,
): InboundEvent => ({
  organizationId,
  connectionId,
  envelopeId: `unread ${digest}`,
  body: JSON.stringify({ unread: text }),
  error: reason,
})

/** Why an event is not applied; empty: it is. The secret decides whose event it is. */
function refusalOf(
  { account, region, detail }: EventEnvelope,
  proof: WebhookProof,
): Pick<ReceivedEvent, 'ignored' | 'error' | 'event'> {
  if (account !== proof.accountId) return { ignored: 'other_account' }
  if (region !== proof.region) return { ignored: 'other_region' }
  const event = parseSesEvent(detail)
  if (!event) return isKnownKind(detail) ? { error: 'no_event' } : { ignored: 'unknown_event' }
  const organizationId = event.tagged?.organizationId ?? proof.organizationId
  return organizationId === proof.organizationId ? { event } : { ignored: 'other_organization' }
}
