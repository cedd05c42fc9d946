import { configurationSetName, roleName } from '../domain/accounts/iam-role.ts'
import { busArn, defaultSetCommand, EVENT_TYPES } from './events.ts'
import { rolePolicies, type Setup, trustPolicy } from './policies.ts'
import { eventWay } from './terraform-events.ts'
import { aligned, json, text } from './terraform-words.ts'

/** The provider's versions that know all resources of a file, without and with text messages. */
const VERSION = '5.60'
const TEXTS_VERSION = '5.80'

/**
 * Returns a Terraform file (HCL) for one connection: the role that we assume, and the delivery of
 * its events to us. Its provider has an alias, so that the file can join a project that has one,
 * and refuses any other account.
 */
export function terraform(setup: Setup): string {
  const { accountId, region } = setup
  const name = roleName(setup.externalId)
  const id = name.replaceAll('-', '_')
  const way = eventWay(setup, id)
  const policies = rolePolicies(setup).map(
    (policy) => `
resource "aws_iam_role_policy" "${id}_${policy.name.replaceAll('-', '_')}" {
  provider = aws.${id}
  name = ${text(policy.name)}
  role = aws_iam_role.${id}.id
  policy = ${json(policy.document)}
}
`,
  )
  return aligned(`# Letterloom: sends mail through account ${accountId} in ${region}.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
      version = ">= ${setup.smsEnabled ? TEXTS_VERSION : VERSION}"
    }
  }
}

provider "aws" {
  alias = "${id}"
  region = ${text(region)}
  allowed_account_ids = [${text(accountId)}]
}
${way.variables}
resource "aws_iam_role" "${id}" {
  provider = aws.${id}
  name = ${text(name)}
  description = "Letterloom sends mail and reads how sending goes"
  max_session_duration = 3600
  assume_role_policy = ${json(trustPolicy(setup))}
}
${policies.join('')}
resource "aws_sesv2_configuration_set" "${id}" {
  provider = aws.${id}
  configuration_set_name = ${text(configurationSetName(setup.externalId))}
}

resource "aws_sesv2_configuration_set_event_destination" "${id}" {
  provider = aws.${id}
  configuration_set_name = aws_sesv2_configuration_set.${id}.configuration_set_name
  event_destination_name = "letterloom"

  event_destination {
    enabled = true
    matching_event_types = [${EVENT_TYPES.map(text).join(', ')}]

    event_bridge_destination {
      event_bus_arn = ${text(busArn(setup))}
    }
  }
}
${setup.smsEnabled ? textSet(setup, id) : ''}${way.resources}${way.outputs}
output "${id}_other_mail" {
  description = "Makes the configuration set the default for mail of other programs. Letterloom does not need it"
  value = ${text(defaultSetCommand(name, region))}
}
`)
}

const textSet = ({ externalId }: Setup, id: string): string => `
resource "aws_pinpointsmsvoicev2_configuration_set" "${id}" {
  provider = aws.${id}
  name = ${text(configurationSetName(externalId))}
}
`
