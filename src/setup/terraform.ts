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
  queuePolicy,
  rolePolicies,
  type Setup,
  trustPolicy,
} from './policies.ts'

/**
 * A Terraform file (HCL) for one connection: the role that we assume, and the way of its delivery
 * events to us. The webhook secret is a sensitive variable, no part of the file. The provider has a
 * name of its own, so that the file can join a project that has one already, and refuses any other
 * account.
 */
export function terraform(setup: Setup): string {
  const { accountId, region, webhookEndpoint } = setup
  const name = roleName(setup.externalId)
  const id = name.replaceAll('-', '_')
  const secret = `${id}_webhook_secret`
  const rate = eventRate(setup.maxSendRate)
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
      version = ">= 5.60"
    }
  }
}

provider "aws" {
  alias = "${id}"
  region = ${text(region)}
  allowed_account_ids = [${text(accountId)}]
}

variable "${secret}" {
  description = "The webhookSecret that registering the account answered"
  type = string
  sensitive = true
}

variable "${id}_events_per_second" {
  description = ${text(rateDescription(rate))}
  type = number
  default = ${rate.perSecond}
}

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

resource "aws_cloudwatch_event_connection" "${id}" {
  provider = aws.${id}
  name = ${text(name)}
  authorization_type = "API_KEY"

  auth_parameters {
    api_key {
      key = ${text(SECRET_HEADER)}
      value = var.${secret}
    }
  }
}

resource "aws_cloudwatch_event_api_destination" "${id}" {
  provider = aws.${id}
  name = ${text(name)}
  connection_arn = aws_cloudwatch_event_connection.${id}.arn
  http_method = "POST"
  invocation_endpoint = ${text(webhookEndpoint)}
  invocation_rate_limit_per_second = var.${id}_events_per_second
}

resource "aws_iam_role" "${id}_events" {
  provider = aws.${id}
  name = ${text(`${name}-events`)}
  description = "EventBridge hands delivery events to Letterloom"
  assume_role_policy = ${json(eventsTrustPolicy(setup))}
}

resource "aws_iam_role_policy" "${id}_events" {
  provider = aws.${id}
  name = "letterloom-events"
  role = aws_iam_role.${id}_events.id
  policy = ${json(eventsPolicy('DESTINATION')).replace('"DESTINATION"', `aws_cloudwatch_event_api_destination.${id}.arn`)}
}

resource "aws_sqs_queue" "${id}_undelivered" {
  provider = aws.${id}
  name = ${text(`${name}-undelivered`)}
  message_retention_seconds = ${DEAD_LETTER_SECONDS}
  sqs_managed_sse_enabled = true
}

resource "aws_sqs_queue_policy" "${id}_undelivered" {
  provider = aws.${id}
  queue_url = aws_sqs_queue.${id}_undelivered.id
  policy = ${json(queuePolicy({ queue: 'QUEUE', rule: 'RULE' }))
    .replace('"QUEUE"', `aws_sqs_queue.${id}_undelivered.arn`)
    .replace('"RULE"', `aws_cloudwatch_event_rule.${id}.arn`)}
}

resource "aws_cloudwatch_event_rule" "${id}" {
  provider = aws.${id}
  name = ${text(name)}
  description = "Delivery events of SES to Letterloom"
  event_pattern = ${json(EVENT_PATTERN)}
}

resource "aws_cloudwatch_event_target" "${id}" {
  provider = aws.${id}
  rule = aws_cloudwatch_event_rule.${id}.name
  target_id = "letterloom"
  arn = aws_cloudwatch_event_api_destination.${id}.arn
  role_arn = aws_iam_role.${id}_events.arn

  retry_policy {
    maximum_event_age_in_seconds = ${RETRY.maximumSeconds}
    maximum_retry_attempts = ${RETRY.maximumAttempts}
  }

  dead_letter_config {
    arn = aws_sqs_queue.${id}_undelivered.arn
  }
}

output "${id}_undelivered" {
  description = "Events that could not be delivered for a day; an alarm on it is a good idea"
  value = aws_sqs_queue.${id}_undelivered.url
}

output "${id}_other_mail" {
  description = "Mail of Letterloom names the set itself; run it where events of mail of other programs are wanted"
  value = ${text(defaultSetCommand(name, region))}
}
`)
}

/** A JSON value is an HCL expression, but for what HCL takes for a template. */
const escaped = (value: string): string => value.replaceAll(/[$%](?=\{)/g, (sign) => sign + sign)

const text = (value: string): string => escaped(JSON.stringify(value))

/** A setting on one line; what goes on over several is set apart. */
const SETTING = /^( *"?[\w-]+"?) = (.*[^([{])$/

/** Equals signs of neighbouring settings stand in one column, as `terraform fmt` wants it. */
function aligned(file: string): string {
  const lines = file.split('\n').map((line) => ({ line, name: SETTING.exec(line)?.[1] }))
  let width = 0
  return lines
    .map(({ line, name }, index) => {
      if (name === undefined) return line
      if (lines[index - 1]?.name === undefined) width = widthFrom(lines, index)
      return `${name.padEnd(width)}${line.slice(name.length)}`
    })
    .join('\n')
}

function widthFrom(lines: readonly { name: string | undefined }[], first: number): number {
  let width = 0
  for (let index = first; lines[index]?.name !== undefined; index++) {
    width = Math.max(width, lines[index]?.name?.length ?? 0)
  }
  return width
}

/** A policy, with `=` instead of `:` as Terraform's own formatter wants it. */
const json = (value: object): string => `jsonencode(${expression(value, '  ')})`

function expression(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    const items = value.map((each) => expression(each, `${indent}  `))
    if (items.every((each) => !each.includes('\n'))) return `[${items.join(', ')}]`
    return `[\n${items.map((each) => `${indent}  ${each}`).join(',\n')}\n${indent}]`
  }
  if (typeof value !== 'object' || value === null) return escaped(JSON.stringify(value))
  const lines = Object.entries(value).map(
    ([key, each]) => `${indent}  ${text(key)} = ${expression(each, `${indent}  `)}`,
  )
  return `{\n${lines.join('\n')}\n${indent}}`
}
