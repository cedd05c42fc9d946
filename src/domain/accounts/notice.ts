import type { EventThreshold } from '../events/event-quota.ts'
import type { Role } from '../access/access.ts'
import type { HealthStatus } from './health.ts'

/** Notices to owners, and to invited people, with the data that each kind needs. */
export type Notice =
  | AccountHealth
  | EventsMissing
  | EventQuota
  | WorkflowBraked
  | WebhookFailing
  | WebhookDisabled
  | Invitation

interface AccountHealth {
  kind: 'account_health'
  data: {
    connectionId: string
    accountNumber: string
    region: string
    status: HealthStatus
    reasons: string[]
  }
}

interface EventsMissing {
  kind: 'events_missing'
  data: {
    connectionId: string
    accountNumber: string
    region: string
    /** Events are read from a queue. False: they are posted to our webhook. */
    hasQueue: boolean
  }
}

interface EventQuota {
  kind: 'event_quota'
  data: {
    percent: EventThreshold
    limit: number
    /** ISO time. */
    resetsAt: string
  }
}

interface WorkflowBraked {
  kind: 'workflow_braked'
  data: {
    workflowId: string
    workflowName: string
    mostAnHour: number
    mostADay: number
    /** ISO time. */
    until: string
  }
}

interface WebhookFailing {
  kind: 'webhook_failing'
  data: {
    endpointId: string
    host: string
    /** ISO time. */
    since: string
  }
}

interface WebhookDisabled {
  kind: 'webhook_disabled'
  data: WebhookFailing['data'] & { reason: 'failing' | 'gone' }
}

interface Invitation {
  kind: 'invitation'
  data: {
    invitationId: string
    generation: number
    role: Role
    /** ISO time. */
    expiresAt: string
  }
}

export type DataOf<Kind extends Notice['kind']> = Extract<Notice, { kind: Kind }>['data']

export interface NoticeText {
  subject: string
  text: string
}

/**
 * Returns the text of a notice from `organization`. `link`: the page that accepts the invitation.
 */
export function noticeText(notice: Notice, organization: string, link = ''): NoticeText {
  switch (notice.kind) {
    case 'account_health':
      return accountHealth(notice.data, organization)
    case 'events_missing':
      return eventsMissing(notice.data, organization)
    case 'event_quota':
      return eventQuota(notice.data, organization)
    case 'workflow_braked':
      return workflowBraked(notice.data, organization)
    case 'webhook_failing':
      return webhookFailing(notice.data, organization)
    case 'webhook_disabled':
      return webhookDisabled(notice.data, organization)
    case 'invitation':
      return invitation(notice.data, organization, link)
  }
}

function accountHealth(
  { accountNumber, region, connectionId, status, reasons }: DataOf<'account_health'>,
  organization: string,
): NoticeText {
  const account = `${accountNumber} (${region})`
  return {
    subject: `Your sending account ${account} ${HEADLINES[status]}`,
    text: [
      'Hello,',
      `the AWS account ${account}, through which ${organization} sends, ${HEADLINES[status]}.`,
      ...(reasons.length > 0 ? [reasons.map((reason) => `- ${explain(reason)}`).join('\n')] : []),
      `See GET /v1/account/health/${connectionId} for the figures. You get this mail because you own ${organization}; you are told about an account again only when it gets worse, at most once a day for each verdict.`,
    ].join('\n\n'),
  }
}

function eventsMissing(
  { accountNumber, region, connectionId, hasQueue }: DataOf<'events_missing'>,
  organization: string,
): NoticeText {
  const account = `${accountNumber} (${region})`
  const where = hasQueue
    ? 'the rule of EventBridge, its queue, and the permission to read it'
    : 'the rule of EventBridge, and that it may call us'
  return {
    subject: `Nothing is heard of mail sent through ${account}`,
    text: [
      'Hello,',
      `the AWS account ${account}, through which ${organization} sends, accepts mail, but for 15 minutes no delivery event has come. Until they come, bounces and complaints are not known, and such addresses are mailed again.`,
      `Look at the configuration set, ${where}. POST /v1/connections/${connectionId}/verify tries out what can be tried, and GET /v1/connections shows when the last event came.`,
      `You get this mail because you own ${organization}; you are told once until events come again.`,
    ].join('\n\n'),
  }
}

function eventQuota(
  { percent, limit, resetsAt }: DataOf<'event_quota'>,
  organization: string,
): NoticeText {
  const day = resetsAt.slice(0, 'YYYY-MM-DD'.length)
  const isOver = percent === '125'
  const sentence = isOver
    ? `${organization} has used 125 % of its ${limit} events a month: no more events are accepted until ${day} (UTC).`
    : `${organization} has used all of its ${limit} events a month. Up to 25 % more are accepted; then events are refused until ${day} (UTC).`
  return {
    subject: isOver ? 'Your events are refused' : 'Your monthly event limit is used up',
    text: [
      'Hello,',
      sentence,
      `Refused events trigger no workflows. A larger plan takes more. You get this mail because you own ${organization}; you are told once a month.`,
    ].join('\n\n'),
  }
}

function workflowBraked(
  { workflowId, workflowName, mostAnHour, mostADay, until }: DataOf<'workflow_braked'>,
  organization: string,
): NoticeText {
  const day = until.slice(0, 'YYYY-MM-DD'.length)
  return {
    subject: 'A workflow starts again and again for the same contact',
    text: [
      'Hello,',
      `the workflow "${workflowName}" of ${organization} was started by a segment or a topic more than ${mostAnHour} times in an hour or ${mostADay} times in a day for one contact. More starts for such contacts are dropped until ${day} (UTC).`,
      `Usually two workflows change what starts the other one. Look at what its steps change, and at what starts it: GET /v1/workflows/${workflowId}. Enabling such a workflow warns of it (\`workflow_ring\`).`,
      `You get this mail because you own ${organization}; you are told once for each version of the workflow.`,
    ].join('\n\n'),
  }
}

const minuteOf = (time: string): string =>
  time.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')

function webhookFailing(
  { endpointId, host, since }: DataOf<'webhook_failing'>,
  organization: string,
): NoticeText {
  return {
    subject: `Your webhook endpoint at ${host} does not answer`,
    text: [
      'Hello,',
      `since ${minuteOf(since)} (UTC) every call of the webhook endpoint at ${host} of ${organization} has failed. Events wait, and nothing is lost yet. After 72 hours without a success the endpoint is disabled.`,
      `GET /v1/webhook-endpoints/${endpointId}/deliveries shows what it answered. POST /v1/webhook-endpoints/${endpointId}/test calls it at once; if that succeeds, the waiting events follow.`,
      `You get this mail because you own ${organization}; you are told once until a call succeeds.`,
    ].join('\n\n'),
  }
}

function webhookDisabled(
  { endpointId, host, reason, since }: DataOf<'webhook_disabled'>,
  organization: string,
): NoticeText {
  const cause =
    reason === 'gone'
      ? 'it answered 410, which means that it is gone for good'
      : `every call since ${minuteOf(since)} (UTC) has failed`
  return {
    subject: `Your webhook endpoint at ${host} is disabled`,
    text: [
      'Hello,',
      `the webhook endpoint at ${host} of ${organization} is disabled: ${cause}. Events are held for three days from now.`,
      `When the receiver is repaired, PATCH /v1/webhook-endpoints/${endpointId} with {"enabled": true} sends the held events, and with {"enabled": true, "held": "drop"} it does not.`,
      `You get this mail because you own ${organization}.`,
    ].join('\n\n'),
  }
}

function invitation(
  { role, expiresAt }: DataOf<'invitation'>,
  organization: string,
  link: string,
): NoticeText {
  const day = expiresAt.slice(0, 'YYYY-MM-DD'.length)
  return {
    subject: `Invitation to ${organization}`,
    text: [
      'Hello,',
      `you are invited to work with ${organization} on Letterloom, with the role ${role}. Accept here:`,
      link,
      `The link works once, until ${day} (UTC). If you do not know ${organization}, ignore this mail: nothing happens.`,
    ].join('\n\n'),
  }
}

const HEADLINES: Record<HealthStatus, string> = {
  healthy: 'is healthy',
  unknown: 'could not be checked for a day',
  at_risk: 'is at risk',
  in_danger: 'is in danger',
}

const EXPLANATIONS: Record<string, string> = {
  sending_disabled: 'Sending is disabled for this account.',
  enforcement_shutdown: 'Amazon SES has shut down sending for this account.',
  enforcement_probation: 'Amazon SES has put this account under review.',
  bounce_pause: 'The bounce rate is at 10 % or above: Amazon SES may pause sending.',
  bounce_review: 'The bounce rate is at 5 % or above: Amazon SES may review the account.',
  complaint_pause: 'The complaint rate is at 0.5 % or above: Amazon SES may pause sending.',
  complaint_review: 'The complaint rate is at 0.1 % or above: Amazon SES may review the account.',
  quota_high: 'At least 80 % of the 24-hour sending quota is used.',
}

const explain = (reason: string): string => EXPLANATIONS[reason] ?? reason.replaceAll('_', ' ')
