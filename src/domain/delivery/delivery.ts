import type { Engagement } from '../flows/steps/wait-for-email-engagement.ts'
import { engagementsOf } from './engagement.ts'
import type { SesEvent } from './ses-event.ts'
import { type EmailStatus, higher, type LogStatus } from '../status.ts'

/** Facts about one mail: the part of its ledger row that events may change. */
export interface MailFacts {
  state: 'queued' | 'claimed' | 'sent' | 'failed' | 'skipped' | 'unknown'
  status: LogStatus
  reason: string | null
  error: string | null
  messageId: string | null
  sentAt: string | null
  /** Set if the call of a sent mail was answered. Null: only events tell that it was sent. */
  claimedAt: string | null
  deliveredAt: string | null
  /** First open by a person or a program. */
  openedAt: string | null
  /** First open or click by a person, see `engagementsOf`. */
  humanOpenedAt: string | null
  clickedAt: string | null
  humanClickedAt: string | null
  bouncedAt: string | null
  bounceType: string | null
  bounceSubType: string | null
  complainedAt: string | null
}

/** Kinds of bounces by which the provider's own lists refuse a mail. */
export const SUPPRESSED = ['OnAccountSuppressionList', 'Suppressed']
/** From the weakest to the strongest. */
const BOUNCE_TYPES = ['Transient', 'Undetermined', 'Permanent']

/**
 * Returns the facts after `event`. Pure, and independent of the order and repetition of events:
 * times only move back to the earliest, the status and the bounce only rise. A transient bounce of
 * a mail that arrived, before or after, is an automatic reply and no status.
 *
 * Any event proves that SES accepted the mail, so a row whose outcome was unknown, given up, put
 * back in the queue or skipped there becomes `sent`. If only events tell of it, and it was accepted
 * more than once, the first acceptance counts.
 */
export function learn(facts: MailFacts, event: SesEvent): MailFacts {
  const acceptedFacts = accepted(facts, event)
  switch (event.kind) {
    case 'send':
    case 'delivery_delay':
      return acceptedFacts
    case 'delivery':
      return reach(acceptedFacts, 'delivered', {
        deliveredAt: earlier(acceptedFacts.deliveredAt, event),
      })
    case 'open':
      return reach(byPeople(acceptedFacts, event), 'opened', {
        openedAt: earlier(acceptedFacts.openedAt, event),
      })
    case 'click':
      if (event.isOwnLink) return acceptedFacts
      return reach(byPeople(acceptedFacts, event), 'clicked', {
        clickedAt: earlier(acceptedFacts.clickedAt, event),
      })
    case 'reject':
    case 'rendering_failure':
      return reach(acceptedFacts, 'failed', {
        error: firstOf(acceptedFacts.error, refusalOf(event)),
      })
    case 'complaint':
      if (event.bounceType !== undefined) return bounce(acceptedFacts, event)
      if (event.isNoComplaint) return acceptedFacts
      return reach(acceptedFacts, 'complained', {
        complainedAt: earlier(acceptedFacts.complainedAt, event),
      })
    case 'bounce':
      return bounce(acceptedFacts, event)
  }
}

/** Returns the effect of an event on the mail's contact, or undefined. */
export function contactStatus(
  event: SesEvent,
): Exclude<EmailStatus, 'active' | 'unsubscribed'> | undefined {
  if (event.kind === 'complaint' && event.bounceType === undefined) {
    return event.isNoComplaint ? undefined : 'complained'
  }
  if (event.bounceType !== 'Permanent') return undefined
  return SUPPRESSED.includes(event.bounceSubType ?? '') ? 'suppressed' : 'bounced'
}

/** Engagement for which executions may wait. A transient bounce may be an automatic reply. */
export function awaitedOf(event: SesEvent): Engagement[] {
  const { kind, bounceType } = event
  const isBounce = kind === 'bounce' || (kind === 'complaint' && bounceType !== undefined)
  if (isBounce) return bounceType === 'Transient' ? [] : ['bounced']
  return engagementsOf(event)
}

/** Figures of a batch that events move. */
export const COUNTED = [
  'sent',
  'failed',
  'skipped',
  'unknown',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'suppressed',
] as const
type CountedFigure = (typeof COUNTED)[number]
export type Delta = Record<CountedFigure, number>

/** All zero, for figures that did not change. */
export const noChange = (): Delta => ({
  sent: 0,
  failed: 0,
  skipped: 0,
  unknown: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  suppressed: 0,
})

/** Change of a batch's figures when the facts of one of its mails change. */
export function delta(before: MailFacts, after: MailFacts): Delta {
  const change = changeBetween(before, after)
  return {
    sent: change((facts) => facts.state === 'sent'),
    failed: change((facts) => facts.state === 'failed'),
    skipped: change((facts) => facts.state === 'skipped'),
    unknown: change((facts) => facts.state === 'unknown'),
    delivered: change((facts) => facts.deliveredAt !== null),
    opened: change((facts) => facts.openedAt !== null),
    clicked: change((facts) => facts.clickedAt !== null),
    bounced: change(hasBounced),
    complained: change((facts) => facts.complainedAt !== null),
    suppressed: change((facts) => facts.bouncedAt !== null && isSuppressed(facts)),
  }
}

/** Returns the change of people's figures, for contacts and for variants of A/B tests. */
export function peoplesDelta(before: MailFacts, after: MailFacts): Delta {
  const change = changeBetween(before, after)
  return {
    ...delta(before, after),
    opened: change((facts) => facts.humanOpenedAt !== null),
    clicked: change((facts) => facts.humanClickedAt !== null),
  }
}

const changeBetween =
  (before: MailFacts, after: MailFacts) =>
  (holds: (facts: MailFacts) => boolean): number =>
    Number(holds(after)) - Number(holds(before))

function accepted(facts: MailFacts, event: SesEvent): MailFacts {
  const isSent = facts.state === 'sent'
  const before = isSent
    ? facts
    : { ...facts, status: 'sent' as const, reason: null, error: null, claimedAt: null }
  return { ...before, state: 'sent', ...acceptance(before, event) }
}

/**
 * Returns the message id and the time of a mail: from its call's answer, else from the first event.
 */
function acceptance(
  { messageId, sentAt, claimedAt }: MailFacts,
  event: SesEvent,
): Pick<MailFacts, 'messageId' | 'sentAt'> {
  const reportedAcceptance = { messageId: event.messageId, sentAt: event.mailTimestamp }
  if (messageId === null || sentAt === null) {
    return {
      messageId: messageId ?? reportedAcceptance.messageId,
      sentAt: sentAt ?? reportedAcceptance.sentAt,
    }
  }
  const isFirst =
    reportedAcceptance.sentAt < sentAt ||
    (reportedAcceptance.sentAt === sentAt && reportedAcceptance.messageId < messageId)
  return claimedAt === null && isFirst ? reportedAcceptance : { messageId, sentAt }
}

function byPeople(facts: MailFacts, event: SesEvent): MailFacts {
  const engagements = engagementsOf(event)
  const { humanOpenedAt, humanClickedAt } = facts
  return {
    ...facts,
    humanOpenedAt: engagements.includes('opened') ? earlier(humanOpenedAt, event) : humanOpenedAt,
    humanClickedAt: engagements.includes('clicked')
      ? earlier(humanClickedAt, event)
      : humanClickedAt,
  }
}

function bounce(facts: MailFacts, event: SesEvent): MailFacts {
  const status = SUPPRESSED.includes(event.bounceSubType ?? '') ? 'suppressed' : 'bounced'
  const rank = (type: string | null | undefined, subType: string | null | undefined): string =>
    `${BOUNCE_TYPES.indexOf(type ?? '')} ${Number(SUPPRESSED.includes(subType ?? ''))} ${subType ?? ''}`
  const stronger =
    facts.bouncedAt === null ||
    rank(event.bounceType, event.bounceSubType) > rank(facts.bounceType, facts.bounceSubType)
  const bouncedFacts = {
    ...facts,
    bouncedAt: earlier(facts.bouncedAt, event),
    ...(stronger
      ? { bounceType: event.bounceType ?? null, bounceSubType: event.bounceSubType ?? null }
      : {}),
  }
  if (bouncedFacts.bounceType !== 'Transient') return reach(bouncedFacts, status, {})
  return withoutTransient(facts) === 'sent' ? { ...bouncedFacts, status } : bouncedFacts
}

/** Returns whether a bounce arrived and nothing shows that the mail arrived all the same. */
const hasBounced = (facts: MailFacts): boolean =>
  facts.bouncedAt !== null &&
  !isSuppressed(facts) &&
  !(facts.bounceType === 'Transient' && hasArrived(facts))

const hasArrived = ({ deliveredAt, openedAt, clickedAt, complainedAt }: MailFacts): boolean =>
  (deliveredAt ?? openedAt ?? clickedAt ?? complainedAt) !== null

/** Returns the status without a transient bounce, which any other status replaces. */
const withoutTransient = ({ status, bounceType }: MailFacts): LogStatus =>
  status === 'bounced' && bounceType === 'Transient' ? 'sent' : status

const isSuppressed = (facts: MailFacts): boolean => SUPPRESSED.includes(facts.bounceSubType ?? '')

const reach = (facts: MailFacts, status: LogStatus, known: Partial<MailFacts>): MailFacts => ({
  ...facts,
  ...known,
  status: higher(withoutTransient(facts), status),
})

const refusalOf = ({ data, kind }: SesEvent): string =>
  String(data['reason'] ?? data['errorMessage'] ?? kind)

const firstOf = (known: string | null, told: string): string =>
  known !== null && known <= told ? known : told

const earlier = (known: string | null, event: SesEvent): string =>
  known !== null && known <= event.occurredAt ? known : event.occurredAt
