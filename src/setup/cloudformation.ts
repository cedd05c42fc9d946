import { roleName } from '../domain/role.ts'
import {
  busArn,
  CALLS_PER_SECOND,
  defaultSetCommand,
  EVENT_PATTERN,
  EVENT_TYPES,
  RETRY,
  SECRET_HEADER,
} from './events.ts'
import {
  eventsPolicy,
  eventsTrustPolicy,
  type PolicyDocument,
  rolePolicies,
  type Setup,
  trustPolicy,
} from './policies.ts'

const attribute = (resource: string, name: string) => ({ 'Fn::GetAtt': [resource, name] })
const reference = (name: string) => ({ Ref: name })

/** The one place where a resource's ARN is known to CloudFormation only. */
const DESTINATION_ARN = '${ApiDestination.Arn}'

/**
 * A CloudFormation template, as JSON, for one connection: the role that we assume, and the way of
 * its delivery events to us. The webhook secret is a parameter that CloudFormation never shows
 * (NoEcho); it is no part of the template.
 */
export function cloudformation(setup: Setup): string {
  const { accountId, region, webhookEndpoint } = setup
  const name = roleName(setup.externalId)
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
        Properties: { Name: name },
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
          InvocationRateLimitPerSecond: CALLS_PER_SECOND,
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
      NextStep: {
        Description: 'Makes the events of your domain come; run it for each identity you send from',
        Value: defaultSetCommand(name, region),
      },
    },
  }
  return `${JSON.stringify(template, undefined, 2)}\n`
}

/** The document with resources that CloudFormation fills in. */
const substituted = ({ Version, Statement }: PolicyDocument) => ({
  Version,
  Statement: Statement.map(({ Resource = [], ...statement }) => ({
    ...statement,
    Resource: Resource.map((each) => ({ 'Fn::Sub': each })),
  })),
})
