import type { Mail, Mailer, Outcome } from '../mailer.ts'
import { PRODUCTION_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { countSesCall } from '../../src/runtime/metrics.ts'
import { createSendEndpoints } from './endpoint.ts'
import { bodyOf } from './mail-body.ts'
import { isOfSender } from './sender-refusals.ts'
import { SES } from './signature.ts'
import { createTransport, isAboutCredentials, type Sessions } from './transport.ts'

/**
 * Sends mails: SES v2 SendEmail, one call for each recipient, at most once.
 *
 * The SDK's own call costs eight times the processor time.
 */
export function createMailer({
  roles,
  callMs,
  beginMs = PRODUCTION_TIMINGS.beginMs,
}: {
  roles: Sessions
  callMs: number
  /** Latest beginning of a call, counted from its claim. */
  beginMs?: number
}): Mailer {
  const { call, close } = createTransport<Mail>({
    roles,
    callMs,
    beginMs,
    purpose: 'send',
    endpointOf: createSendEndpoints(),
    ...SES,
    bodyOf: (mail, { configurationSet }) => bodyOf(mail, configurationSet),
    read: ({ status, type, body }, mail) => read(status, type, body, mail),
    onCall: countSesCall,
  })
  return { send: call, close }
}

const THROTTLED = ['TooManyRequestsException', 'ThrottlingException', 'Throttling']
const REFUSED = [
  'MessageRejected',
  'BadRequestException',
  'NotFoundException',
  'ValidationException',
]
const UNAVAILABLE: Record<string, string> = {
  AccountSuspendedException: 'account_suspended',
  SendingPausedException: 'sending_paused',
  MailFromDomainNotVerifiedException: 'mail_from_not_verified',
  AccessDeniedException: 'access_denied',
  LimitExceededException: 'limit_exceeded',
}
/**
 * Every answer except a 5xx is certain. SES may have accepted a mail before it failed with a 5xx.
 */
export function read(
  status: number,
  type: string | string[] | undefined,
  body: string,
  mail: Pick<Mail, 'from' | 'to'>,
): Outcome {
  const answer = parse(body)
  if (status >= 200 && status < 300) {
    return answer.messageId
      ? { kind: 'sent', messageId: answer.messageId }
      : { kind: 'unknown', error: 'an answer without a message id' }
  }
  const header = Array.isArray(type) ? type[0] : type
  const name =
    (header ?? answer.type ?? '').replace(/^.*#/, '').split(':', 1)[0] || `status ${status}`
  const error = `${name}: ${answer.message}`
  const reason = UNAVAILABLE[name]
  if (THROTTLED.includes(name) || status === 429) {
    return { kind: 'throttled', scope: /daily/i.test(answer.message) ? 'quota' : 'rate' }
  }
  const ofSender = isOfSender(name, answer.message, mail) ? { ofSender: true as const } : {}
  if (reason !== undefined) return { kind: 'unavailable', reason, error, ...ofSender }
  if (isAboutCredentials(name))
    return { kind: 'unreachable', error: `credentials ${error}`, own: true }
  // Only SES' own 503 is certain. A proxy's says nothing about the request behind it.
  if (status === 503 && name.startsWith('ServiceUnavailable')) return { kind: 'unreachable', error }
  if (status >= 500 || status === 408 || name.startsWith('RequestTimeout')) {
    return { kind: 'unknown', error }
  }
  return {
    kind: 'refused',
    reason: REFUSED.includes(name) ? snake(name) : 'provider_refused',
    error,
    ...ofSender,
  }
}

function parse(body: string): { messageId?: string; message: string; type?: string } {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null) return { message: '' }
    const field = (name: string): string | undefined => {
      const property: unknown = Reflect.get(value, name)
      return typeof property === 'string' ? property : undefined
    }
    const messageId = field('MessageId')
    const type = field('__type')
    return {
      message: field('message') ?? field('Message') ?? '',
      ...(messageId === undefined ? {} : { messageId }),
      ...(type === undefined ? {} : { type }),
    }
  } catch {
    return { message: '' }
  }
}

/** `MessageRejected` → `message_rejected`. */
const snake = (name: string): string =>
  name
    .replace(/Exception$/, '')
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase()
