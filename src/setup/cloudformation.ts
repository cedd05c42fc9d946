import { configurationSetName, roleName } from '../domain/accounts/iam-role.ts'
import { eventWay } from './cloudformation-events.ts'
import { attribute, reference } from './cloudformation-words.ts'
import { busArn, defaultSetCommand, EVENT_TYPES } from './events.ts'
import { rolePolicies, type Setup, trustPolicy } from './policies.ts'

export function cloudformation(setup: Setup): string {
  const { accountId, region } = setup
  const name = roleName(setup.externalId)
  const way = eventWay(setup)
  const template = {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `Letterloom: sends mail through account ${accountId} in ${region}. Create the stack there, with CAPABILITY_NAMED_IAM.`,
    ...(way.Parameters && { Parameters: way.Parameters }),
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
      ...(setup.smsEnabled && {
        TextConfigurationSet: {
          Type: 'AWS::SMSVOICE::ConfigurationSet',
          Properties: { ConfigurationSetName: configurationSetName(setup.externalId) },
        },
      }),
      ...way.Resources,
    },
    Outputs: {
      RoleArn: {
        Description: 'The role that Letterloom assumes',
        Value: attribute('Role', 'Arn'),
      },
      ...way.Outputs,
      OtherMail: {
        Description:
          'Makes the configuration set the default for mail of other programs. Letterloom does not need it',
        Value: defaultSetCommand(name, region),
      },
    },
  }
  return `${JSON.stringify(template, undefined, 2)}\n`
}
