import { partition, roleArn } from './iam-role.ts'

/**
 * Purposes of calls in a customer's account. Each has its own credentials, which allow nothing
 * else.
 */
export const PURPOSES = ['send', 'read', 'health', 'policy', 'queue', 'texts'] as const
export type Purpose = (typeof PURPOSES)[number]

/**
 * The calls of each purpose, as IAM names them. Session policies, the policies in a customer's role
 * and the probes of a verification are all made from this table. A test compares it with the calls
 * in activities/aws. SendRawEmail has no call of its own: IAM requires it when SendEmail carries
 * attachments (SES developer guide, "Permissions for sending"). DeleteMessageBatch requires
 * DeleteMessage (SQS developer guide, "API permissions").
 */
export const ACTIONS: Readonly<Record<Purpose, readonly string[]>> = {
  send: ['ses:SendEmail', 'ses:SendRawEmail'],
  read: ['ses:GetAccount', 'ses:ListEmailIdentities', 'ses:GetEmailIdentity'],
  health: ['ses:GetAccount', 'cloudwatch:GetMetricData'],
  policy: ['iam:GetRolePolicy'],
  queue: ['sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'],
  texts: ['sms-voice:SendTextMessage'],
}

export const SENDING_POLICY = 'letterloom-sending'
export const CONSOLE_POLICY = 'letterloom-console'
export const QUEUE_POLICY = 'letterloom-queue'
/** The only policy that not every role has: that of accounts that send text messages. */
export const TEXTS_POLICY = 'letterloom-texts'

/** Raised with every change of what the role's policies allow; the console policy carries it. */
export const POLICY_VERSION = 2

/** The statement id that carries the version: IAM takes letters and digits only. */
export const versionSid = (version: number): string => `LetterloomV${version}`

export interface RoleName {
  accountId: string
  region: string
  externalId: string
}

/**
 * Returns the session's policy, which limits what the role itself allows (STS, AssumeRole,
 * `Policy`; at most 2,048 characters).
 */
export const sessionPolicy = (purpose: Purpose, role: RoleName): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: ACTIONS[purpose], Resource: resourceOf(purpose, role) }],
  })

function resourceOf(purpose: Purpose, { accountId, region, externalId }: RoleName): string {
  if (purpose === 'policy') return roleArn(accountId, region, externalId)
  return purpose === 'queue' ? `arn:${partition(region)}:sqs:${region}:${accountId}:*` : '*'
}
