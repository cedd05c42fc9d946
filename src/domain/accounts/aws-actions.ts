import { partition, roleArn } from './iam-role.ts'

/** Why we act in a customer's account; each has credentials of its own that can do nothing else. */
export const PURPOSES = ['send', 'read', 'health', 'policy', 'queue'] as const
export type Purpose = (typeof PURPOSES)[number]

/**
 * What each purpose calls, as IAM names it: the one table that session policies, the policies in a
 * customer's role and the probes of a verification are made of. A test compares it with the calls
 * in activities/aws. SendRawEmail has no call of its own: IAM asks for it when SendEmail carries
 * attachments (SES developer guide, "Permissions for sending"); DeleteMessageBatch asks for
 * DeleteMessage (SQS developer guide, "API permissions").
 */
export const ACTIONS: Readonly<Record<Purpose, readonly string[]>> = {
  send: ['ses:SendEmail', 'ses:SendRawEmail'],
  read: ['ses:GetAccount', 'ses:ListEmailIdentities', 'ses:GetEmailIdentity'],
  health: ['ses:GetAccount', 'cloudwatch:GetMetricData'],
  policy: ['iam:GetRolePolicy'],
  queue: ['sqs:GetQueueAttributes', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'],
}

/** The inline policies of the role that we assume. */
export const SENDING_POLICY = 'letterloom-sending'
export const CONSOLE_POLICY = 'letterloom-console'
export const QUEUE_POLICY = 'letterloom-queue'

/** Raised with every change of what the role's policies allow; the console policy carries it. */
export const POLICY_VERSION = 2

/** The statement id that carries the version: IAM takes letters and digits only. */
export const versionSid = (version: number): string => `LetterloomV${version}`

/** A role and where it is: what its ARN is made of. */
export interface RoleName {
  accountId: string
  region: string
  externalId: string
}

/**
 * What a session may do, whatever the role itself allows (STS, AssumeRole, `Policy`; at most 2,048
 * characters).
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
