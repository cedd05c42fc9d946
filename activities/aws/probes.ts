import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import { GetRolePolicyCommand, IAMClient } from '@aws-sdk/client-iam'
import {
  GetAccountCommand,
  GetEmailIdentityCommand,
  ListEmailIdentitiesCommand,
  SendEmailCommand,
  SESv2Client,
} from '@aws-sdk/client-sesv2'
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { CONSOLE_POLICY, type Purpose } from '../../src/domain/accounts/aws-actions.ts'
import { type IamRole, iamRegion, roleName } from '../../src/domain/accounts/iam-role.ts'
import { SIMULATOR } from '../../src/domain/delivery/event-recipients.ts'
import type { Credentials } from './signature.ts'
import { signedWith } from './signed-with.ts'

export interface AccountFacts {
  maxSendRate: number | null
  max24Hour: number | null
  sentLast24Hours: number | null
  pricingPlan: string | null
  from: string | null
}

interface Probing {
  iamRole: IamRole
  queueUrl: string
  credentials: Credentials
  signal: AbortSignal
  accountFacts: AccountFacts
}

export interface Probe {
  action: string
  run: (probing: Probing) => Promise<void>
}

/** Names under `.invalid` have no owner (RFC 6761), so this is never a verified identity. */
const UNOWNED_DOMAIN = 'letterloom.invalid'
const DAY_MS = 86_400_000
/** Identities that are searched for a verified one. */
const MOST_IDENTITIES = 1_000

const configOf = ({ iamRole, credentials }: Probing) => {
  return {
    region: iamRole.region,
    ...signedWith(credentials),
    requestHandler: {
      connectionTimeout: 2_000,
      requestTimeout: 5_000,
      throwOnRequestTimeout: true,
    },
  }
}

async function ses(probing: Probing, ask: (client: SESv2Client) => Promise<void>): Promise<void> {
  // SES allows one such call a second and account, so the second and third are likely throttled.
  const client = new SESv2Client({ ...configOf(probing), maxAttempts: 4 })
  try {
    await ask(client)
  } finally {
    client.destroy()
  }
}

/**
 * Sends a mail that cannot be accepted: its sender is not a verified identity, which SES checks
 * after the permission. One attempt, as for all mail.
 */
async function sendNothing(probing: Probing): Promise<void> {
  const client = new SESv2Client({ ...configOf(probing), maxAttempts: 1 })
  try {
    await client.send(
      new SendEmailCommand({
        FromEmailAddress: `probe@${UNOWNED_DOMAIN}`,
        Destination: { ToAddresses: [SIMULATOR] },
        Content: { Simple: { Subject: { Data: 'Probe' }, Body: { Text: { Data: 'Probe' } } } },
      }),
      { abortSignal: probing.signal },
    )
  } finally {
    client.destroy()
  }
}

async function askRate(probing: Probing): Promise<void> {
  await ses(probing, async (client) => {
    const account = await client.send(new GetAccountCommand({}), { abortSignal: probing.signal })
    probing.accountFacts.maxSendRate = account.SendQuota?.MaxSendRate ?? null
    probing.accountFacts.max24Hour = account.SendQuota?.Max24HourSend ?? null
    probing.accountFacts.sentLast24Hours = account.SendQuota?.SentLast24Hours ?? null
    probing.accountFacts.pricingPlan = account.PricingAttributes?.CurrentPlan?.slice(0, 100) ?? null
  })
}

/**
 * Also finds an address that may send mail. A domain may use any address, so a speaking one is
 * taken.
 */
async function listIdentities(probing: Probing): Promise<void> {
  await ses(probing, async (client) => {
    const command = new ListEmailIdentitiesCommand({ PageSize: MOST_IDENTITIES })
    const { EmailIdentities: identities = [] } = await client.send(command, {
      abortSignal: probing.signal,
    })
    const usable = identities.find(
      ({ IdentityName: name, SendingEnabled, VerificationStatus }) =>
        name !== undefined && SendingEnabled === true && VerificationStatus === 'SUCCESS',
    )
    const name = usable?.IdentityName
    if (name !== undefined) probing.accountFacts.from = name.includes('@') ? name : `probe@${name}`
  })
}

async function askMetric(probing: Probing): Promise<void> {
  const client = new CloudWatchClient(configOf(probing))
  try {
    const metric = { Namespace: 'AWS/SES', MetricName: 'Reputation.BounceRate' }
    await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(Date.now() - DAY_MS),
        EndTime: new Date(),
        MetricDataQueries: [
          { Id: 'probe', MetricStat: { Metric: metric, Period: 3_600, Stat: 'Average' } },
        ],
      }),
      { abortSignal: probing.signal },
    )
  } finally {
    client.destroy()
  }
}

async function readPolicy(probing: Probing): Promise<void> {
  const { region, externalId } = probing.iamRole
  const client = new IAMClient({ ...configOf(probing), region: iamRegion(region) })
  try {
    await client.send(
      new GetRolePolicyCommand({ RoleName: roleName(externalId), PolicyName: CONSOLE_POLICY }),
      { abortSignal: probing.signal },
    )
  } finally {
    client.destroy()
  }
}

/** Makes the request as the poller does: the queue's URL is a parameter. */
async function queue(
  probing: Probing,
  ask: (client: SQSClient, names: { QueueUrl: string }) => Promise<unknown>,
): Promise<void> {
  const client = new SQSClient({
    ...configOf(probing),
    maxAttempts: 2,
    useQueueUrlAsEndpoint: false,
  })
  try {
    await ask(client, { QueueUrl: probing.queueUrl })
  } finally {
    client.destroy()
  }
}

/** Receives messages in such a way that others can receive them at once. */
const receiveNothing = (probing: Probing): Promise<void> =>
  queue(probing, (client, names) =>
    client.send(
      new ReceiveMessageCommand({ ...names, MaxNumberOfMessages: 1, VisibilityTimeout: 0 }),
      { abortSignal: probing.signal },
    ),
  )

const deleteNothing = (probing: Probing): Promise<void> =>
  queue(probing, (client, names) =>
    client.send(new DeleteMessageCommand({ ...names, ReceiptHandle: 'none' }), {
      abortSignal: probing.signal,
    }),
  )

const readQueue = (probing: Probing): Promise<void> =>
  queue(probing, (client, names) =>
    client.send(new GetQueueAttributesCommand({ ...names, AttributeNames: ['QueueArn'] }), {
      abortSignal: probing.signal,
    }),
  )

export const PROBES: Readonly<Record<Purpose, readonly Probe[]>> = {
  send: [{ action: 'ses:SendEmail', run: sendNothing }],
  read: [
    { action: 'ses:GetAccount', run: askRate },
    { action: 'ses:ListEmailIdentities', run: listIdentities },
    {
      action: 'ses:GetEmailIdentity',
      run: (probing) =>
        ses(probing, async (client) => {
          await client.send(new GetEmailIdentityCommand({ EmailIdentity: UNOWNED_DOMAIN }), {
            abortSignal: probing.signal,
          })
        }),
    },
  ],
  health: [{ action: 'cloudwatch:GetMetricData', run: askMetric }],
  policy: [{ action: 'iam:GetRolePolicy', run: readPolicy }],
  queue: [
    { action: 'sqs:GetQueueAttributes', run: readQueue },
    { action: 'sqs:ReceiveMessage', run: receiveNothing },
    { action: 'sqs:DeleteMessage', run: deleteNothing },
  ],
  // Nothing of text messages may make an account unfit for mail.
  texts: [],
}
