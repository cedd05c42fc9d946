import { hasOwnLink } from '../consent/link-token.ts'
import type { EventKind } from '../status.ts'
import { isBot } from './bots.ts'
import { recipientsOf } from './event-recipients.ts'

/**
 * Tags of every mail of ours: its events name its row, even if the message id is unknown.
 */
const MESSAGE_TAG = 'letterloom-message'
export const BATCH_TAG = 'letterloom-batch'
export const ORGANIZATION_TAG = 'letterloom-organization'
/** Tag with a probe's id. Probes have no row in the ledger. */
export const PROBE_TAG = 'letterloom-probe'
/** Tag of a verification's mail to the simulator, which has no row in the ledger. */
export const VERIFICATION_TAG = 'letterloom-verification'
/** Prefix of all our tags. */
const OUR_TAGS = 'letterloom-'

/** Returns whether a tag's name is reserved for us. */
export const isOurTag = (name: string): boolean => name.toLowerCase().startsWith(OUR_TAGS)

interface Row {
  organizationId: string
  bucket: string
  id: string
  batchId?: string
  flowId?: string | null
}

/** Returns the tags of a mail, by which its events find its row and the row's partition. */
export const tagsOf = ({ organizationId, bucket, id, batchId, flowId }: Row) => [
  { name: MESSAGE_TAG, value: `${bucket}_${id}` },
  { name: ORGANIZATION_TAG, value: organizationId },
  ...(batchId === undefined
    ? []
    : [{ name: BATCH_TAG, value: batchId }, ...feedbackTags(batchId, 'batch')]),
  ...(flowId ? feedbackTags(flowId, 'workflow') : []),
]

/**
 * SES puts the values of these two tags into the Feedback-ID header, by which Gmail's Postmaster
 * Tools group complaints by batch or workflow (SES developer guide).
 */
const feedbackTags = (mailing: string, kind: string) => [
  { name: 'ses:feedback-id-a', value: mailing },
  { name: 'ses:feedback-id-b', value: kind },
]

export interface SesEvent {
  kind: EventKind
  messageId: string
  subject: string | undefined
  /** Time at which SES accepted the mail. */
  mailTimestamp: string
  occurredAt: string
  tagged: { bucket: string; id: string; organizationId: string | undefined } | undefined
  probeId: string | undefined
  /** The event is about a probe or a verification's mail, which has no row. */
  isTrial: boolean
  /** The event has no tag of ours: its mail is found by the message id, or is another program's. */
  isUntagged: boolean
  /** Affected recipients. Empty if the event does not name them. */
  recipients: string[]
  bounceType: string | undefined
  bounceSubType: string | undefined
  /** An open or a click by a known program, without a person. */
  isMachine: boolean
  /** A click on a link to a page of ours, such as to unsubscribe. It is no engagement. */
  isOwnLink: boolean
  /** A report without a complaint: "this is not spam", or a failed check (RFC 6591). */
  isNoComplaint: boolean
  /** Distinguishes two events of one kind and one mail. */
  distinct: string
  /** Data for the timeline, without recipients' addresses. */
  data: Record<string, string | number>
}

const KINDS: Record<string, EventKind> = {
  Send: 'send',
  Delivery: 'delivery',
  DeliveryDelay: 'delivery_delay',
  Bounce: 'bounce',
  Complaint: 'complaint',
  Reject: 'reject',
  Open: 'open',
  Click: 'click',
  'Rendering Failure': 'rendering_failure',
}

/** Place of each kind's facts in the event. */
const PARTS: Record<EventKind, string> = {
  send: 'send',
  delivery: 'delivery',
  delivery_delay: 'deliveryDelay',
  bounce: 'bounce',
  complaint: 'complaint',
  reject: 'reject',
  open: 'open',
  click: 'click',
  rendering_failure: 'failure',
}

/** Types of feedback reports, in lower case (RFC 5965, 6430 and 6591). */
const NO_COMPLAINTS = new Set(['not-spam', 'auth-failure'])

/** Fields of each part worth showing. */
const SHOWN = [
  'smtpResponse',
  'processingTimeMillis',
  'reportingMTA',
  'bounceType',
  'bounceSubType',
  'feedbackId',
  'complaintSubType',
  'complaintFeedbackType',
  'reason',
  'userAgent',
  'link',
  'delayType',
  'errorMessage',
  'templateName',
]

/**
 * Reads the `detail` of an EventBridge envelope (or the message of an SNS notification). Undefined:
 * it is not an event of a mail, but an account notice, a subscription or an unknown kind. Source:
 * SES developer guide, "Contents of event data".
 */
export function parseSesEvent(detail: unknown): SesEvent | undefined {
  const event = record(detail)
  const mail = record(event?.['mail'])
  const kind = KINDS[text(event?.['eventType']) ?? text(event?.['notificationType']) ?? '']
  const messageId = text(mail?.['messageId'])
  const mailTimestamp = time(mail?.['timestamp'])
  if (!event || !mail || !kind || !messageId || !mailTimestamp) return undefined
  if (messageId.length > LONGEST_MESSAGE_ID) return undefined

  const part = record(event[PARTS[kind]]) ?? {}
  const data: SesEvent['data'] = {}
  for (const name of SHOWN) {
    const value = part[name]
    if (typeof value === 'string') data[name] = cut(value)
    if (typeof value === 'number') data[name] = value
  }
  const tags = record(mail['tags']) ?? {}
  const probeId = readProbe(tags)
  const occurredAt = time(part['timestamp']) ?? mailTimestamp
  const bounceType = text(part['bounceType'])
  const subject = text(record(mail['commonHeaders'])?.['subject'])
  const onSuppressionList = text(part['complaintSubType']) === 'OnAccountSuppressionList'
  return {
    kind,
    messageId,
    subject: subject === undefined ? undefined : cut(subject),
    mailTimestamp,
    occurredAt,
    tagged: readTag(tags),
    probeId,
    isTrial: probeId !== undefined || Object.hasOwn(tags, VERIFICATION_TAG),
    isUntagged: !Object.keys(tags).some((name) => name.startsWith(OUR_TAGS)),
    recipients: recipientsOf(kind, part, mail),
    bounceType: onSuppressionList ? 'Permanent' : bounceType,
    bounceSubType: onSuppressionList ? 'OnAccountSuppressionList' : text(part['bounceSubType']),
    isMachine: isByMachine(kind, data['userAgent']),
    isOwnLink: kind === 'click' && hasOwnLink(text(part['link']) ?? ''),
    isNoComplaint: NO_COMPLAINTS.has((text(part['complaintFeedbackType']) ?? '').toLowerCase()),
    distinct: [messageId, text(part['feedbackId']) ?? occurredAt, text(part['link']) ?? ''].join(
      ' ',
    ),
    data,
  }
}

/**
 * Returns whether a machine caused an event. An open without a program's name is one of the
 * programs that hide themselves. Every click has the name of a program, which may be empty. A
 * missing name proves nothing.
 */
export function isByMachine(kind: EventKind, userAgent: string | number | undefined): boolean {
  const agent = typeof userAgent === 'string' ? userAgent : undefined
  return kind === 'open' ? isBot(agent) : kind === 'click' && agent !== undefined && isBot(agent)
}

/** Reads the envelope of an event as it was stored. */
export const parseStoredEvent = (body: string): SesEvent | undefined =>
  parseSesEvent(record(JSON.parse(body))?.['detail'])

export interface KeptEvent {
  kind: EventKind
  occurredAt: string
  data: Record<string, unknown>
}

/** Rebuilds the `detail` of an untagged event from its stored parts, for `parseSesEvent`. */
export function toDetail(
  { kind, occurredAt, data }: KeptEvent,
  mail: { messageId: string; timestamp: string; subject: string | null },
): Record<string, unknown> {
  const { messageId, timestamp, subject } = mail
  return {
    eventType: Object.keys(KINDS).find((name) => KINDS[name] === kind),
    mail: { messageId, timestamp, ...(subject === null ? {} : { commonHeaders: { subject } }) },
    [PARTS[kind]]: { ...data, timestamp: occurredAt },
  }
}

/** Returns whether it is an event of mail, of a known kind, which should be readable. */
export function isKnownKind(detail: unknown): boolean {
  const event = record(detail)
  return Object.hasOwn(KINDS, text(event?.['eventType']) ?? text(event?.['notificationType']) ?? '')
}

const TAG =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function readTag(tags: Record<string, unknown>): SesEvent['tagged'] {
  const match = TAG.exec(first(tags[MESSAGE_TAG]) ?? '')
  const [, bucket, id] = match ?? []
  if (bucket === undefined || id === undefined) return undefined
  return { bucket, id, organizationId: first(tags[ORGANIZATION_TAG]) }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function readProbe(tags: Record<string, unknown>): string | undefined {
  const id = first(tags[PROBE_TAG])
  return id !== undefined && UUID.test(id) ? id : undefined
}

const first = (values: unknown): string | undefined =>
  Array.isArray(values) ? text(values[0]) : text(values)

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const LONGEST = 1_000
const LONGEST_MESSAGE_ID = 255
const cut = (value: string): string => wellFormed(value.slice(0, LONGEST))

/** Removes NUL and halves of surrogate pairs, which Postgres cannot store. */
const wellFormed = (value: string): string =>
  value.replaceAll('\u0000', '').replaceAll(HALF_PAIR, '')

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Times of mails are between 2000 and 2100. Postgres cannot read some others. */
const EARLIEST = Date.UTC(2000, 0)
const LATEST = Date.UTC(2100, 0)

/** Converts an ISO 8601 time to UTC with milliseconds. */
function time(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const at = Date.parse(value)
  return at > EARLIEST && at < LATEST ? new Date(at).toISOString() : undefined
}

const record = (value: unknown): Record<string, unknown> | undefined =>
  isRecord(value) ? value : undefined

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
