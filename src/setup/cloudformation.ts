import { configurationSetName, roleName } from '../domain/accounts/iam-role.ts'
import {
  busArn,
  DEAD_LETTER_SECONDS,
  defaultSetCommand,
  eventRate,
  EVENT_PATTERN,
  EVENT_TYPES,
  rateDescription,
  RETRY,
  SECRET_HEADER,
} from './events.ts'
import {
  eventsPolicy,
  eventsTrustPolicy,
  type PolicyDocument,
  queuePolicy,
  rolePolicies,
  type Setup,
  trustPolicy,
} from './policies.ts'

const attribute = (resource: string, name: string) => ({ 'Fn::GetAtt': [resource, name] })
const reference = (name: string) => ({ Ref: name })

/** ARNs that only CloudFormation knows, in its own spelling. */
const DESTINATION_ARN = '${ApiDestination.Arn}'
const QUEUE = { queue: '${DeadLetterQueue.Arn}', rule: '${Rule.Arn}' }

/**
 * A CloudFormation template, as JSON, for one connection: the role that we assume, and the way of
 * its delivery events to us. The webhook secret is a parameter that CloudFormation never shows
 * (NoEcho); it is not part of the template.
 */
export function cloudformation(setup: Setup): string {
  const { accountId, region, webhookEndpoint } = setup
  const name = roleName(setup.externalId)
  const rate = eventRate(setup.maxSendRate)
  const template = {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `Letterloom: sends mail through account ${accountId} in ${region}. Create the stack there, with CAPABILITY_NAMED_IAM.`,
    Parameters: {
      WebhookSecret: {
        Type: 'String',
        NoEcho: true,
        MinLength: 1,
        Description: 'The webhookSecret that registering the account answered',
      },
      EventsPerSecond: {
        Type: 'Number',
        MinValue: 1,
        Default: rate.perSecond,
        Description: rateDescription(rate),
      },
    },
    Resources: {
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          RoleName: name,
          Description: 'Letterloom sends mail and reads how sending goes',
          MaxSessionDuration: 3_600,
          AssumeRolePolicyDocument: trustPolicy(setup),
          Policies: rolePolicies(setup).map((policy) => ({
            PolicyName: policy.name,
            PolicyDocument: policy.document,
          })),
        },
      },
      ConfigurationSet: {
        Type: 'AWS::SES::ConfigurationSet',
        Properties: { Name: configurationSetName(setup.externalId) },
      },
      EventDestination: {
        Type: 'AWS::SES::ConfigurationSetEventDestination',
        Properties: {
          ConfigurationSetName: reference('ConfigurationSet'),
          EventDestination: {
            Name: 'letterloom',
            Enabled: true,
            MatchingEventTypes: EVENT_TYPES,
            EventBridgeDestination: { EventBusArn: busArn(setup) },
          },
        },
      },
      WebhookConnection: {
        Type: 'AWS::Events::Connection',
        Properties: {
          Name: name,
          AuthorizationType: 'API_KEY',
          AuthParameters: {
            ApiKeyAuthParameters: {
              ApiKeyName: SECRET_HEADER,
              ApiKeyValue: reference('WebhookSecret'),
            },
          },
        },
      },
      ApiDestination: {
        Type: 'AWS::Events::ApiDestination',
        Properties: {
          Name: name,
          ConnectionArn: attribute('WebhookConnection', 'Arn'),
          HttpMethod: 'POST',
          InvocationEndpoint: webhookEndpoint,
          InvocationRateLimitPerSecond: reference('EventsPerSecond'),
        },
      },
      EventsRole: {
        Type: 'AWS::IAM::Role',
        Properties: {
          RoleName: `${name}-events`,
          Description: 'EventBridge hands delivery events to Letterloom',
          AssumeRolePolicyDocument: eventsTrustPolicy(setup),
          Policies: [
            {
              PolicyName: 'letterloom-events',
              PolicyDocument: substituted(eventsPolicy(DESTINATION_ARN)),
            },
          ],
        },
      },
      DeadLetterQueue: {
        Type: 'AWS::SQS::Queue',
        DeletionPolicy: 'Delete',
        UpdateReplacePolicy: 'Delete',
        Properties: {
          QueueName: `${name}-undelivered`,
          MessageRetentionPeriod: DEAD_LETTER_SECONDS,
          SqsManagedSseEnabled: true,
        },
      },
      DeadLetterQueuePolicy: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: {
          Queues: [reference('DeadLetterQueue')],
          PolicyDocument: substituted(queuePolicy(QUEUE)),
        },
      },
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: {
          Name: name,
          Description: 'Delivery events of SES to Letterloom',
          EventPattern: EVENT_PATTERN,
          Targets: [
            {
              Id: 'letterloom',
              Arn: attribute('ApiDestination', 'Arn'),
              RoleArn: attribute('EventsRole', 'Arn'),
              RetryPolicy: {
                MaximumEventAgeInSeconds: RETRY.maximumSeconds,
                MaximumRetryAttempts: RETRY.maximumAttempts,
              },
              DeadLetterConfig: { Arn: attribute('DeadLetterQueue', 'Arn') },
            },
          ],
        },
      },
    },
    Outputs: {
      RoleArn: {
        Description: 'The role that Letterloom assumes',
        Value: attribute('Role', 'Arn'),
      },
      Undelivered: {
        Description: 'Events that could not be delivered for a day; an alarm on it is a good idea',
        Value: reference('DeadLetterQueue'),
      },
      OtherMail: {
        Description:
          'Mail of Letterloom names the set itself; run it where events of mail of other programs are wanted',
        Value: defaultSetCommand(name, region),
      },
    },
  }
  return `${JSON.stringify(template, undefined, 2)}\n`
}

/** The document with what CloudFormation fills in. */
const substituted = ({ Version, Statement }: PolicyDocument) => ({
  Version,
  Statement: Statement.map(({ Resource = [], Condition, ...statement }) => ({
    ...statement,
    Resource: Resource.map(substitute),
    ...(Condition && { Condition: mapValues(Condition, (each) => mapValues(each, substitute)) }),
  })),
})

const substitute = (text: string) => ({ 'Fn::Sub': text })

const mapValues = <T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
