import { eventQueueName, roleName } from '../domain/accounts/iam-role.ts'
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
import { json, text } from './terraform-words.ts'

/** The part of a file that delivers events to us. Each block begins with an empty line. */
interface Way {
  variables: string
  resources: string
  outputs: string
}

/** Mirrors the CloudFormation template. `id` is the prefix of the file's names. */
export const eventWay = (setup: Setup, id: string): Way =>
  setup.events === 'queue' ? queueWay(setup, id) : webhookWay(setup, id)

function queueWay({ externalId }: Setup, id: string): Way {
  const resources = `
resource "aws_sqs_queue" "${id}_events" {
  provider = aws.${id}
  name = ${text(eventQueueName(externalId))}
  message_retention_seconds = ${KEPT_SECONDS}
  visibility_timeout_seconds = ${HIDDEN_SECONDS}
  receive_wait_time_seconds = ${WAIT_SECONDS}
  sqs_managed_sse_enabled = true

  redrive_policy = ${json({ deadLetterTargetArn: 'LETTERS', maxReceiveCount: MOST_RECEIVES }).replace('"LETTERS"', `aws_sqs_queue.${id}_undelivered.arn`)}
}
${policyOf(id, 'events')}${common(externalId, id, `  arn = aws_sqs_queue.${id}_events.arn`)}`
  const outputs = `
output "${id}_event_queue_url" {
  description = "The eventQueueUrl of the connection: PATCH /v1/connections/{id}"
  value = aws_sqs_queue.${id}_events.url
}
${undelivered(id)}`
  return { variables: '', resources, outputs }
}

function webhookWay(setup: Setup, id: string): Way {
  const { webhookEndpoint } = setup
  const name = roleName(setup.externalId)
  const secret = `${id}_webhook_secret`
  const rate = eventRate(setup.maxSendRate)
  const variables = `
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
`
  const target = `  arn = aws_cloudwatch_event_api_destination.${id}.arn
  role_arn = aws_iam_role.${id}_events.arn`
  const resources = `
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
${common(setup.externalId, id, target)}`
  return { variables, resources, outputs: undelivered(id) }
}

function common(externalId: string, id: string, target: string): string {
  const name = roleName(externalId)
  return `
resource "aws_sqs_queue" "${id}_undelivered" {
  provider = aws.${id}
  name = ${text(`${name}-undelivered`)}
  message_retention_seconds = ${KEPT_SECONDS}
  sqs_managed_sse_enabled = true
}
${policyOf(id, 'undelivered')}
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
${target}

  retry_policy {
    maximum_event_age_in_seconds = ${RETRY.maximumSeconds}
    maximum_retry_attempts = ${RETRY.maximumAttempts}
  }

  dead_letter_config {
    arn = aws_sqs_queue.${id}_undelivered.arn
  }
}
`
}

const policyOf = (id: string, queue: string): string => `
resource "aws_sqs_queue_policy" "${id}_${queue}" {
  provider = aws.${id}
  queue_url = aws_sqs_queue.${id}_${queue}.id
  policy = ${json(queuePolicy({ queue: 'QUEUE', rule: 'RULE' }))
    .replace('"QUEUE"', `aws_sqs_queue.${id}_${queue}.arn`)
    .replace('"RULE"', `aws_cloudwatch_event_rule.${id}.arn`)}
}
`

const undelivered = (id: string): string => `
output "${id}_undelivered" {
  description = "Events that could not be delivered; an alarm on it is a good idea"
  value = aws_sqs_queue.${id}_undelivered.url
}
`
