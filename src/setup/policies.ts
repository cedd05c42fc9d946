import {
  ACTIONS,
  CONSOLE_POLICY,
  POLICY_VERSION,
  QUEUE_POLICY,
  SENDING_POLICY,
  TEXTS_POLICY,
  versionSid,
} from '../domain/accounts/aws-actions.ts'
import type { EventWay } from '../domain/accounts/event-ways.ts'
import {
  configurationSetName,
  eventQueueName,
  partition,
  roleArn,
} from '../domain/accounts/iam-role.ts'

export interface Setup {
  accountId: string
  region: string
  externalId: string
  /** The operator's own user or role. Nobody else may assume the customer's role. */
  principalArn: string
  webhookEndpoint: string
  /** Mails a second that the account may send. Null: unknown. */
  maxSendRate: number | null
  events: EventWay
  /** Text messages are sent through the account, too. */
  smsEnabled: boolean
}

interface Statement {
  Sid?: string
  Effect: 'Allow'
  Principal?: Record<string, string>
  Action: readonly string[]
  Resource?: readonly string[]
  Condition?: Record<string, Record<string, string>>
}

interface QueueNames {
  queue: string
  rule: string
}

/** An IAM policy document (IAM user guide, "Grammar of the IAM JSON policy language"). */
export interface PolicyDocument {
  Version: '2012-10-17'
  Statement: readonly Statement[]
}

const document = (...statements: Statement[]): PolicyDocument => ({
  Version: '2012-10-17',
  Statement: statements,
})

/** Allows the operator to assume the role, with this connection's external id only. */
export const trustPolicy = ({ principalArn, externalId }: Setup): PolicyDocument =>
  document({
    Effect: 'Allow',
    Principal: { AWS: principalArn },
    Action: ['sts:AssumeRole'],
    Condition: { StringEquals: { 'sts:ExternalId': externalId } },
  })

export const eventsTrustPolicy = ({ accountId }: Setup): PolicyDocument =>
  document({
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: ['sts:AssumeRole'],
    Condition: { StringEquals: { 'aws:SourceAccount': accountId } },
  })

export const eventsPolicy = (resource: string): PolicyDocument =>
  document({
    Effect: 'Allow',
    Action: ['events:InvokeApiDestination'],
    Resource: [resource],
  })

/** Allows EventBridge to queue what this one rule delivers or could not deliver. */
export const queuePolicy = ({ queue, rule }: QueueNames): PolicyDocument =>
  document({
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: ['sqs:SendMessage'],
    Resource: [queue],
    Condition: { ArnEquals: { 'aws:SourceArn': rule } },
  })

const sendingPolicy = (setup: Setup): PolicyDocument =>
  document({
    Sid: 'LetterloomSending',
    Effect: 'Allow',
    Action: ACTIONS.send,
    // The identity's own configuration set is asked for as well.
    Resource: [ses(setup, 'identity/*'), ses(setup, 'configuration-set/*')],
  })

/** Actions that IAM can only allow for all resources (Service Authorization Reference). */
const WITHOUT_RESOURCES = ['ses:GetAccount', 'ses:ListEmailIdentities', 'cloudwatch:GetMetricData']

/** Allows reading only. The first statement's id carries the version of the policy. */
function consolePolicy(setup: Setup): PolicyDocument {
  const { accountId, region, externalId } = setup
  const actions = [...new Set([...ACTIONS.read, ...ACTIONS.health])]
  return document(
    {
      Sid: versionSid(POLICY_VERSION),
      Effect: 'Allow',
      Action: actions.filter((action) => WITHOUT_RESOURCES.includes(action)),
      Resource: ['*'],
    },
    {
      Sid: 'LetterloomIdentities',
      Effect: 'Allow',
      Action: actions.filter((action) => !WITHOUT_RESOURCES.includes(action)),
      Resource: [ses(setup, 'identity/*')],
    },
    {
      Sid: 'LetterloomOwnPolicy',
      Effect: 'Allow',
      Action: ACTIONS.policy,
      Resource: [roleArn(accountId, region, externalId)],
    },
  )
}

const ses = ({ region, accountId }: Setup, resource: string): string =>
  `arn:${partition(region)}:ses:${region}:${accountId}:${resource}`

/** Allows reading delivery events from the queue, whichever way events are delivered now. */
const pollingPolicy = ({ accountId, region, externalId }: Setup): PolicyDocument =>
  document({
    Sid: 'LetterloomQueue',
    Effect: 'Allow',
    Action: ACTIONS.queue,
    Resource: [`arn:${partition(region)}:sqs:${region}:${accountId}:${eventQueueName(externalId)}`],
  })

/** Senders, and the configuration set without which nothing is heard of a text. */
const textsPolicy = ({ accountId, region, externalId }: Setup): PolicyDocument => {
  const arn = `arn:${partition(region)}:sms-voice:${region}:${accountId}`
  const senders = ['phone-number/*', 'pool/*', 'sender-id/*/*']
  const set = `configuration-set/${configurationSetName(externalId)}`
  return document({
    Sid: 'LetterloomTexts',
    Effect: 'Allow',
    Action: ACTIONS.texts,
    Resource: [...senders, set].map((resource) => `${arn}:${resource}`),
  })
}

/** The role's inline policies by name. Each allows the calls of one purpose and no more. */
export const rolePolicies = (setup: Setup): { name: string; document: PolicyDocument }[] => [
  { name: SENDING_POLICY, document: sendingPolicy(setup) },
  { name: CONSOLE_POLICY, document: consolePolicy(setup) },
  { name: QUEUE_POLICY, document: pollingPolicy(setup) },
  ...(setup.smsEnabled ? [{ name: TEXTS_POLICY, document: textsPolicy(setup) }] : []),
]
