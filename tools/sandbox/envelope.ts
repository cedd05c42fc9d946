import type { Pair, StoredDetail } from './ledger.ts'
import { messageId } from './message-id.ts'
import type { Outcome } from './plan.ts'
import { bareAddress } from './ses/checks.ts'

/** A stored event with its mail. */
export interface EventOfMail {
  id: string
  kind: string
  link: string | null
  occursAt: string
  mailId: string
  account: string
  region: string
  acceptedAt: string
  sender: string
  recipient: string
  subject: string
  outcome: Outcome
  detail: StoredDetail
}

/**
 * EventBridge's `detail-type` of each event (SES developer guide, "Monitoring using EventBridge").
 */
const DETAIL_TYPES: Record<string, string> = {
  Send: 'Email Sent',
  Delivery: 'Email Delivered',
  Bounce: 'Email Bounced',
  Complaint: 'Email Complaint Received',
  Open: 'Email Opened',
  Click: 'Email Clicked',
  'Rendering Failure': 'Email Rendering Failed',
}

const READERS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
]

/**
 * The EventBridge envelope around an SES event. Source: SES developer guide, "Contents of event
 * data".
 */
export function envelopeOf(event: EventOfMail, { isUntagged = false } = {}) {
  const { id, kind, account, region, occursAt, detail } = event
  const set = detail.configurationSet
  return {
    version: '0',
    id,
    'detail-type': DETAIL_TYPES[kind] ?? 'Email Sent',
    source: 'aws.ses',
    account,
    time: `${occursAt.slice(0, 19)}Z`,
    region,
    resources: [
      ...(set ? [`arn:aws:ses:${region}:${account}:configuration-set/${set}`] : []),
      identityArn(event),
    ],
    detail: {
      eventType: kind,
      mail: isUntagged ? untagged(event) : mailOf(event),
      ...partOf(event),
    },
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

const identityArn = ({ region, account, sender }: EventOfMail): string =>
  `arn:aws:ses:${region}:${account}:identity/${domainOf(bareAddress(sender))}`

/** Recipients in this event: all of them in a Send, one in others. */
function destinationOf({ kind, recipient, detail }: EventOfMail): string[] {
  const all = [...(detail.to ?? [recipient]), ...(detail.cc ?? []), ...(detail.bcc ?? [])]
  return kind === 'Send' ? all.map(bareAddress) : [recipient]
}

function untagged(event: EventOfMail) {
  const { tags: _tags, ...mail } = mailOf(event)
  return mail
}

function mailOf(event: EventOfMail) {
  const { account, region, mailId, acceptedAt, sender, subject, detail, kind } = event
  const id = messageId(region, mailId)
  const to = detail.to ?? [event.recipient]
  const headers: Pair[] = [
    ['From', sender],
    ...(detail.replyTo?.length ? [['Reply-To', detail.replyTo.join(', ')] satisfies Pair] : []),
    ...(to.length > 0 ? [['To', to.join(', ')] satisfies Pair] : []),
    ['Subject', subject],
    ['MIME-Version', '1.0'],
    ...(detail.headers ?? []),
  ]
  const tags: Record<string, string[]> = {
    'ses:source-tls-version': ['TLSv1.3'],
    'ses:operation': [detail.operation ?? 'SendEmail'],
    ...(detail.configurationSet ? { 'ses:configuration-set': [detail.configurationSet] } : {}),
    'ses:source-ip': ['127.0.0.1'],
    'ses:from-domain': [domainOf(bareAddress(sender))],
    'ses:caller-identity': [detail.role ?? ''],
    ...(kind === 'Delivery' ? { 'ses:outgoing-ip': ['192.0.2.25'] } : {}),
  }
  for (const [name, value] of detail.tags ?? []) tags[name] = [value]
  return {
    timestamp: acceptedAt,
    source: sender,
    sourceArn: identityArn(event),
    sendingAccountId: account,
    messageId: id,
    destination: destinationOf(event),
    headersTruncated: false,
    headers: headers.map(([name, value]) => ({ name, value })),
    commonHeaders: { from: [sender], to, messageId: id, subject },
    tags,
  }
}

function partOf(event: EventOfMail): Record<string, object> {
  const { kind, recipient, occursAt: timestamp, link, acceptedAt, mailId, region } = event
  const feedbackId = messageId(region, event.id)
  const reader = { ipAddress: '192.0.2.80', timestamp, userAgent: userAgentOf(mailId) }
  switch (kind) {
    case 'Delivery':
      return {
        delivery: {
          timestamp,
          processingTimeMillis: Date.parse(timestamp) - Date.parse(acceptedAt),
          recipients: [recipient],
          smtpResponse: '250 2.6.0 Message received',
          reportingMTA: 'a1-25.smtp-out.amazonses.com',
        },
      }
    case 'Bounce':
      return { bounce: { ...bounceOf(event), timestamp, feedbackId } }
    case 'Complaint':
      return {
        complaint: {
          complainedRecipients: [{ emailAddress: recipient }],
          timestamp,
          feedbackId,
          complaintSubType: null,
          userAgent: 'Amazon SES Mailbox Simulator',
          complaintFeedbackType: 'abuse',
          arrivalDate: timestamp,
        },
      }
    case 'Open':
      return { open: reader }
    case 'Click':
      return { click: { ...reader, link: link ?? '', linkTags: null } }
    case 'Rendering Failure':
      return {
        failure: {
          templateName: 'inline',
          errorMessage: 'Attribute of the template is not present in the rendering data.',
        },
      }
    default:
      return { send: {} }
  }
}

function bounceOf({ outcome, recipient }: EventOfMail) {
  const listed = outcome === 'listed'
  const suppressed = outcome === 'suppressed'
  const diagnosticCode = listed
    ? 'Amazon SES did not send the message to this address because it is on the suppression list for your account. For more information about removing addresses from the suppression list, see the Amazon SES Developer Guide at https://docs.aws.amazon.com/ses/latest/DeveloperGuide/sending-email-suppression-list.html'
    : suppressed
      ? 'Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.'
      : 'smtp; 550 5.1.1 user unknown'
  return {
    bounceType: 'Permanent',
    bounceSubType: listed ? 'OnAccountSuppressionList' : suppressed ? 'Suppressed' : 'General',
    bouncedRecipients: [
      { emailAddress: recipient, action: 'failed', status: '5.1.1', diagnosticCode },
    ],
    reportingMTA: 'dns; amazonses.com',
  }
}

const userAgentOf = (mailId: string): string =>
  READERS[Number.parseInt(mailId.slice(-2), 16) % READERS.length] ?? ''
