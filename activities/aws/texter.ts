import { PRODUCTION_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { countTextCall } from '../../src/runtime/metrics.ts'
import type { Outcome } from '../mailer.ts'
import type { Text, Texter } from '../texter.ts'
import { createSendEndpoints } from './endpoint.ts'
import { createTransport, isAboutCredentials, type Sessions } from './transport.ts'

/**
 * Sends text messages: SendTextMessage of AWS End User Messaging SMS (`pinpoint-sms-voice-v2`), one
 * call for each text, at most once. The SDK would repeat a call that failed, and text twice.
 */
export function createTexter({
  roles,
  callMs,
  beginMs = PRODUCTION_TIMINGS.beginMs,
}: {
  roles: Sessions
  callMs: number
  /** Latest beginning of a call, counted from its claim. */
  beginMs?: number
}): Texter {
  const { call, close } = createTransport<Text>({
    roles,
    callMs,
    beginMs,
    purpose: 'texts',
    endpointOf: createSendEndpoints('sms'),
    service: 'sms-voice',
    contentHeaders: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
    },
    bodyOf: ({ to, body, sender, context, configurationSet }) =>
      JSON.stringify({
        DestinationPhoneNumber: to,
        OriginationIdentity: sender,
        MessageBody: body,
        MessageType: 'TRANSACTIONAL',
        ConfigurationSetName: configurationSet,
        Context: context,
      }),
    read: ({ status, body }) => readTextAnswer(status, body),
    onCall: countTextCall,
  })
  return { send: call, close }
}

/** Refusals of the number, by `Reason`. The text fails, and others go on. */
const OF_THE_NUMBER: Readonly<Record<string, string>> = {
  DESTINATION_PHONE_NUMBER_OPTED_OUT: 'opted_out',
  DESTINATION_PHONE_NUMBER_NOT_VERIFIED: 'number_not_verified',
  DESTINATION_COUNTRY_BLOCKED_BY_PROTECT_CONFIGURATION: 'number_protected',
  DESTINATION_PHONE_NUMBER_BLOCKED_BY_PROTECT_NUMBER_OVERRIDE: 'number_protected',
}
/** Refusals of the sender: any other text from there would be refused. */
const OF_THE_SENDER: readonly string[] = [
  'NO_ORIGINATION_IDENTITIES_FOUND',
  'RESOURCE_NOT_ACTIVE',
  'NUMBER_CAPABILITIES_MISMATCH',
  'MESSAGE_TYPE_MISMATCH',
]
const SENDER_RESOURCES: readonly string[] = ['phone-number', 'pool', 'sender-id']
const DISABLED: readonly string[] = ['ACCOUNT_DISABLED', 'INSUFFICIENT_ACCOUNT_REPUTATION']

/**
 * Returns the outcome of a call by its answer. Every answer except a 5xx is certain: the service
 * may have accepted a text before it failed with a 5xx. Names are those of the service's API model.
 */
export function readTextAnswer(status: number, body: string): Outcome {
  const { messageId, name, message, reason, resource, fields } = parse(body)
  if (status >= 200 && status < 300) {
    return messageId
      ? { kind: 'sent', messageId }
      : { kind: 'unknown', error: 'an answer without a message id' }
  }
  const error = [name || `status ${status}`, reason, message].filter(Boolean).join(': ')
  if (isAboutCredentials(name))
    return { kind: 'unreachable', error: `credentials ${error}`, own: true }
  // A proxy's answer says nothing about the request behind it.
  if (status >= 500 || status === 408) return { kind: 'unknown', error }
  if (status === 429) return { kind: 'throttled', scope: 'rate' }
  const refused = (why: string): Outcome => ({ kind: 'refused', reason: why, error })
  const ofSender: Outcome = { kind: 'refused', reason: 'sender_refused', error, ofSender: true }
  switch (name) {
    case 'ThrottlingException':
      return { kind: 'throttled', scope: 'rate' }
    case 'ServiceQuotaExceededException':
      return { kind: 'throttled', scope: 'quota' }
    case 'AccessDeniedException': {
      const isDisabled = DISABLED.includes(reason)
      return {
        kind: 'unavailable',
        reason: isDisabled ? 'account_suspended' : 'access_denied',
        error,
      }
    }
    case 'ResourceNotFoundException':
      if (SENDER_RESOURCES.includes(resource)) return ofSender
      if (resource !== 'configuration-set') return refused('provider_refused')
      return { kind: 'unavailable', reason: 'no_configuration_set', error }
    case 'ConflictException':
      if (OF_THE_SENDER.includes(reason)) return ofSender
      return refused(OF_THE_NUMBER[reason] ?? 'provider_refused')
    case 'ValidationException':
      if (fields.includes('DestinationPhoneNumber')) return refused('invalid_number')
      return refused(reason === '' ? 'provider_refused' : reason.toLowerCase())
    default:
      return refused('provider_refused')
  }
}

interface ParsedAnswer {
  messageId: string
  name: string
  message: string
  reason: string
  resource: string
  fields: string[]
}

function parse(body: string): ParsedAnswer {
  const answer = parsedObject(body)
  const text = (name: string): string => textOf(answer, name)
  const fields: unknown = Reflect.get(answer, 'Fields')
  return {
    messageId: text('MessageId'),
    name: text('__type').replace(/^.*#/, ''),
    message: text('Message') || text('message'),
    reason: text('Reason'),
    resource: text('ResourceType'),
    fields: Array.isArray(fields) ? fields.map((field: unknown) => textOf(field, 'Name')) : [],
  }
}

function parsedObject(body: string): object {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return ''
  const text: unknown = Reflect.get(value, name)
  return typeof text === 'string' ? text : ''
}
