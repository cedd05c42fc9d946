import { eventQueueName, roleName } from '../domain/accounts/iam-role.ts'
import { attribute, reference, substituted } from './cloudformation-words.ts'
import {
  eventRate,
  EVENT_PATTERN,
  HIDDEN_SECONDS,
  KEPT_SECONDS,
  MOST_RECEIVES,
  rateDescription,
  RETRY,
  SECRET_HEADER,
  WAIT_SECONDS,
} from './events.ts'
import { eventsPolicy, eventsTrustPolicy, queuePolicy, type Setup } from './policies.ts'

interface Way {
  Parameters?: object
  Resources: object
  Outputs: object
}

const RULE_ARN = '${Rule.Arn}'
const DESTINATION_ARN = '${ApiDestination.Arn}'

export const eventWay = (setup: Setup): Way =>
  setup.events === 'queue' ? queueWay(setup) : webhookWay(setup)

function queueWay(setup: Setup): Way {
  const { externalId } = setup
  return {
    Resources: {
      EventQueue: {
        Type: 'AWS::SQS::Queue',
        DeletionPolicy: 'Delete',
        UpdateReplacePolicy: 'Delete',
        Properties: {
          QueueName: eventQueueName(externalId),
          MessageRetentionPeriod: KEPT_SECONDS,
          VisibilityTimeout: HIDDEN_SECONDS,
          ReceiveMessageWaitTimeSeconds: WAIT_SECONDS,
          SqsManagedSseEnabled: true,
          RedrivePolicy: {
            deadLetterTargetArn: attribute('DeadLetterQueue', 'Arn'),
            maxReceiveCount: MOST_RECEIVES,
          },
        },
      },
      EventQueuePolicy: policyOf('EventQueue'),
      ...common(externalId, { Arn: attribute('EventQueue', 'Arn') }),
    },
    Outputs: {
      EventQueueUrl: {
        Description: 'The eventQueueUrl of the connection: PATCH /v1/connections/{id}',
        Value: reference('EventQueue'),
      },
      ...undelivered,
    },
  }
}

/**
 * The webhook secret is a parameter that CloudFormation never shows (NoEcho), so it is not part of
 * the template.
 */
function webhookWay(setup: Setup): Way {
  const name = roleName(setup.externalId)
  const rate = eventRate(setup.maxSendRate)
  return {
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
          InvocationEndpoint: setup.webhookEndpoint,
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
      ...common(setup.externalId, {
        Arn: attribute('ApiDestination', 'Arn'),
        RoleArn: attribute('EventsRole', 'Arn'),
      }),
    },
    Outputs: undelivered,
  }
}

const common = (externalId: string, target: object): object => ({
  DeadLetterQueue: {
    Type: 'AWS::SQS::Queue',
    DeletionPolicy: 'Delete',
    UpdateReplacePolicy: 'Delete',
    Properties: {
      QueueName: `${roleName(externalId)}-undelivered`,
      MessageRetentionPeriod: KEPT_SECONDS,
      SqsManagedSseEnabled: true,
    },
  },
  DeadLetterQueuePolicy: policyOf('DeadLetterQueue'),
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: {
      Name: roleName(externalId),
      Description: 'Delivery events of SES to Letterloom',
      EventPattern: EVENT_PATTERN,
      Targets: [
        {
          Id: 'letterloom',
          ...target,
          RetryPolicy: {
            MaximumEventAgeInSeconds: RETRY.maximumSeconds,
            MaximumRetryAttempts: RETRY.maximumAttempts,
          },
          DeadLetterConfig: { Arn: attribute('DeadLetterQueue', 'Arn') },
        },
      ],
    },
  },
})

const policyOf = (queue: string): object => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [reference(queue)],
    PolicyDocument: substituted(queuePolicy({ queue: `\${${queue}.Arn}`, rule: RULE_ARN })),
  },
})

const undelivered = {
  Undelivered: {
    Description: 'Events that could not be delivered; an alarm on it is a good idea',
    Value: reference('DeadLetterQueue'),
  },
}
