import { createHash } from 'node:crypto'
import { dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'

/**
 * Mails with the provider's events about them, and the state that must follow: computed from the
 * events alone, a whole mail at once, as the contract describes it.
 */
export interface ToldMail {
  bucket: Uuid
  /** Known once its row is written. */
  id?: Uuid
  source: 'batch' | 'transactional'
  batch: number | null
  domain: string
  recipient: string | null
  /** Facts in the answer to its call. */
  answered: { messageId: string; sentAt: string } | null
  /** Time of sending, if a row has it without an answer. */
  sentAt?: string
  told: Told[]
}

export interface Acceptance {
  messageId: string
  at: string
}

export interface Told {
  kind: keyof typeof PARTS
  at: string
  accepted: Acceptance
  /** Without our tags. */
  isUntagged?: boolean
  isBot?: boolean
  bounce?: readonly [type: string, subType: string]
  complaint?: 'abuse' | 'not-spam' | 'auth-failure' | 'listed'
  link?: string
  reason?: string
}

const PARTS = {
  Send: 'send',
  Delivery: 'delivery',
  DeliveryDelay: 'deliveryDelay',
  Bounce: 'bounce',
  Complaint: 'complaint',
  Reject: 'reject',
  Open: 'open',
  Click: 'click',
} as const

const PERSON = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0'
const BOT = 'Barracuda/1.0'
const LISTED = 'OnAccountSuppressionList'

/** The event in the provider's form. */
export function detailOf(mail: ToldMail, told: Told, organizationId: Uuid): object {
  const { kind, at: timestamp, accepted, isUntagged = false } = told
  const [bounceType, bounceSubType] = told.bounce ?? []
  const destination = mail.recipient === null ? [] : [mail.recipient]
  const complained =
    told.complaint === 'listed'
      ? { complaintSubType: LISTED }
      : { complaintFeedbackType: told.complaint }
  const feedbackId = feedbackOf(told)
  const part = {
    timestamp,
    recipients: destination,
    bouncedRecipients: destination.map((emailAddress) => ({ emailAddress })),
    complainedRecipients: destination.map((emailAddress) => ({ emailAddress })),
    ...(feedbackId === undefined ? {} : { feedbackId }),
    ...(kind === 'Bounce' ? { bounceType, bounceSubType } : {}),
    ...(kind === 'Complaint' ? complained : {}),
    ...(kind === 'Open' || kind === 'Click' ? { userAgent: told.isBot ? BOT : PERSON } : {}),
    ...(kind === 'Click' ? { link: told.link } : {}),
    ...(kind === 'Reject' ? { reason: told.reason } : {}),
  }
  const tags = {
    'letterloom-message': [`${mail.bucket}_${mail.id}`],
    'letterloom-organization': [organizationId],
  }
  return {
    eventType: kind,
    mail: {
      timestamp: accepted.at,
      messageId: accepted.messageId,
      destination,
      ...(isUntagged ? {} : { tags }),
    },
    [PARTS[kind]]: part,
  }
}

const feedbackOf = ({ kind, accepted, at }: Told): string | undefined =>
  kind === 'Bounce' || kind === 'Complaint' ? `${accepted.messageId}-${at}` : undefined

/** Statuses in the order in which they overwrite each other. */
const STATUSES = 'sent delivered opened clicked failed bounced suppressed complained'.split(' ')
const EFFECTS = ['bounced', 'suppressed', 'complained']
const BOUNCE_TYPES = ['Transient', 'Undetermined', 'Permanent']

const first = (times: readonly string[]): string | null => times.toSorted().at(0) ?? null
export const last = (times: readonly (string | null)[]): string | null =>
  times
    .filter((time) => time !== null)
    .toSorted()
    .at(-1) ?? null

/** A complaint because the address is on the account's list is a bounce that did not happen. */
const bounceOf = ({ bounce, complaint }: Told) =>
  complaint === 'listed' ? (['Permanent', LISTED] as const) : bounce
const isSpam = ({ kind, complaint }: Told): boolean => kind === 'Complaint' && complaint === 'abuse'

function statusOf(told: Told): string {
  const bounce = bounceOf(told)
  // A transient bounce is no status of its own: see `knownOf`.
  if (bounce?.[0] === 'Transient') return 'sent'
  if (bounce) return bounce[1] === LISTED ? 'suppressed' : 'bounced'
  if (isSpam(told)) return 'complained'
  const plain: Partial<Record<Told['kind'], string>> = {
    Delivery: 'delivered',
    Open: 'opened',
    Click: 'clicked',
    Reject: 'failed',
  }
  return plain[told.kind] ?? 'sent'
}

/** Of two of a type without a list entry, the one whose subtype sorts last. */
const strength = ([type, subType]: readonly [string, string]): string =>
  [BOUNCE_TYPES.indexOf(type), Number(subType === LISTED), subType].join(' ')

export const isClickByPerson = ({ kind, isBot }: Told): boolean => kind === 'Click' && !isBot
/** A click implies an open. */
export const isOpenByPerson = ({ kind, isBot }: Told): boolean =>
  (kind === 'Open' || kind === 'Click') && !isBot

/** Expected state of a mail. */
export function knownOf({ told, answered, ...mail }: ToldMail) {
  const at = (holds: (each: Told) => boolean) => first(told.filter(holds).map((each) => each.at))
  const is = (kind: Told['kind']) => (each: Told) => each.kind === kind
  const acceptances = told.map(({ accepted }) => accepted)
  const accepted = acceptances.toSorted((a, b) =>
    `${a.at} ${a.messageId}` < `${b.at} ${b.messageId}` ? -1 : 1,
  )[0]
  const bounces = told.flatMap((each) => {
    const bounce = bounceOf(each)
    return bounce ? [bounce] : []
  })
  const [type, subType] =
    bounces.toSorted((a, b) => (strength(a) < strength(b) ? -1 : 1)).at(-1) ?? []
  const isSent = answered !== null || mail.sentAt !== undefined || told.length > 0
  const ranks = [0, ...told.map((each) => STATUSES.indexOf(statusOf(each)))]
  const status = STATUSES[Math.max(...ranks)] ?? ''
  return {
    state: isSent ? 'sent' : 'unknown',
    status: !isSent ? 'pending' : status === 'sent' && type === 'Transient' ? 'bounced' : status,
    messageId: answered?.messageId ?? accepted?.messageId ?? null,
    sentAt: answered?.sentAt ?? mail.sentAt ?? accepted?.at ?? null,
    deliveredAt: at(is('Delivery')),
    openedAt: at(is('Open')),
    humanOpenedAt: at(isOpenByPerson),
    clickedAt: at(is('Click')),
    humanClickedAt: at(isClickByPerson),
    bouncedAt: at((each) => bounceOf(each) !== undefined),
    bounceType: type ?? null,
    bounceSubType: subType ?? null,
    complainedAt: at(isSpam),
    // Whose recipient is not known is erased: what an event says may name the person.
    error: mail.recipient === null ? null : first(told.flatMap(({ reason }) => reason ?? [])),
  }
}
export type Known = ReturnType<typeof knownOf>

/** The provider reported a bounce and no delivery. */
export const hasBounced = (known: Known): boolean =>
  known.bouncedAt !== null &&
  known.bounceSubType !== LISTED &&
  !(known.bounceType === 'Transient' && hasArrived(known))
const hasArrived = (known: Known): boolean =>
  known.deliveredAt !== null ||
  known.openedAt !== null ||
  known.clickedAt !== null ||
  known.complainedAt !== null

/** Expected effect of the mails on their common address. */
export function effectOf(mails: readonly ToldMail[]): string | undefined {
  const effects = mails.flatMap(({ told }) =>
    told.flatMap((each) => {
      const [type, subType] = bounceOf(each) ?? []
      if (type === 'Permanent') return [subType === LISTED ? 'suppressed' : 'bounced']
      return isSpam(each) ? ['complained'] : []
    }),
  )
  return EFFECTS.findLast((effect) => effects.includes(effect))
}

/** Expected figures. */
export function figuresOf(known: Known): Record<string, boolean> {
  const isSuppressed = known.bounceSubType === LISTED
  const is = (type: string) => !isSuppressed && known.bounceType === type
  return {
    sent: known.state === 'sent',
    delivered: known.deliveredAt !== null,
    bouncedPermanent: is('Permanent'),
    bouncedTransient: is('Transient'),
    bouncedUndetermined: is('Undetermined'),
    complained: known.complainedAt !== null,
    suppressed: isSuppressed,
    opened: known.humanOpenedAt !== null,
    openedRaw: known.openedAt !== null || known.humanOpenedAt !== null,
    clicked: known.clickedAt !== null,
    unsubscribed: false,
    failed: known.status === 'failed',
    bouncedArrived: is('Transient') && !hasBounced(known),
  }
}

/** Timeline entries: each event once. */
export const entriesOf = ({ told }: ToldMail): number =>
  new Set(
    told.map((each) =>
      [each.kind, each.accepted.messageId, feedbackOf(each) ?? each.at, each.link].join(' '),
    ),
  ).size

const BOUNCES = [
  ['Permanent', 'General'],
  ['Transient', 'MailboxFull'],
  ['Undetermined', 'Undetermined'],
  ['Permanent', LISTED],
] as const

/** Events of the n-th mail, about three and a third on average. */
export function tell(n: number, accepted: Acceptance): Told[] {
  const at = (seconds: number) => new Date(Date.parse(accepted.at) + seconds * 1_000).toISOString()
  const all: (Omit<Told, 'accepted'> | false)[] = [
    n % 19 !== 4 && { kind: 'Send', at: accepted.at },
    n % 8 === 3 && { kind: 'DeliveryDelay', at: at(2) },
    n % 5 === 0
      ? { kind: 'Bounce', at: at(5), bounce: BOUNCES[n % 4] ?? BOUNCES[0] }
      : { kind: 'Delivery', at: at(4) },
    n % 35 === 10 && { kind: 'Bounce', at: at(3), bounce: BOUNCES[(n + 1) % 4] ?? BOUNCES[0] },
    n % 2 === 1 && { kind: 'Open', at: at(9), isBot: n % 6 === 1 },
    n % 6 === 1 && { kind: 'Open', at: at(90 + (n % 7)), isBot: n % 4 === 1 },
    n % 7 === 1 && { kind: 'Click', at: at(10), link: 'https://letterloom.example/a' },
    n % 14 === 1 && {
      kind: 'Click',
      at: at(8),
      link: 'https://letterloom.example/b',
      isBot: n % 4 === 1,
    },
    n % 16 === 2 && {
      kind: 'Click',
      at: at(7),
      link: 'https://letterloom.example/c',
      isBot: true,
    },
    n % 13 === 1 && { kind: 'Complaint', at: at(11), complaint: 'abuse' },
    n % 17 === 1 && { kind: 'Complaint', at: at(12), complaint: 'not-spam' },
    n % 19 === 1 && { kind: 'Complaint', at: at(12), complaint: 'auth-failure' },
    n % 12 === 1 && { kind: 'Bounce', at: at(n % 8), bounce: ['Transient', 'General'] },
    n % 23 === 1 && { kind: 'Complaint', at: at(13), complaint: 'listed' },
    n % 29 === 1 && { kind: 'Reject', at: at(1), reason: 'Virus' },
    n % 58 === 1 && { kind: 'Reject', at: at(1), reason: 'Bad content' },
  ]
  return all.flatMap((each) => (each ? [{ ...each, accepted }] : []))
}

/** Ids of single mails at a past moment. */
export function oldId(time: number): { id: Uuid; bucket: Uuid } {
  const hex = Math.floor(time).toString(16).padStart(12, '0')
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-${uuidv7().slice(14)}`
  return { id, bucket: dayBucket(id) }
}

/** A message id that does not reveal any order. */
export const messageIdOf = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(parts.join()).digest('hex').slice(0, 30)
