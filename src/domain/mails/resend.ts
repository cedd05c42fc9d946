import type { AppError } from '../errors.ts'
import type { LogStatus } from '../status.ts'
import type { SINGLE_MAIL_STATUSES } from './single-mail.ts'

/** Resend's names of errors (https://resend.com/docs/api-reference/errors). */
export const RESEND_ERRORS = [
  'validation_error',
  'missing_required_field',
  'invalid_attachment',
  'invalid_from_address',
  'invalid_idempotency_key',
  'invalid_idempotent_request',
  'concurrent_idempotent_requests',
  'missing_api_key',
  'invalid_api_key',
  'restricted_api_key',
  'invalid_access',
  'not_found',
  'method_not_allowed',
  'monthly_quota_exceeded',
  'rate_limit_exceeded',
  'internal_server_error',
] as const
export type ResendErrorName = (typeof RESEND_ERRORS)[number]

/** Resend's names of a mail's events. It shows the last one. */
export const RESEND_EVENTS = [
  'scheduled',
  'canceled',
  'queued',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'suppressed',
  'failed',
] as const
type ResendEvent = (typeof RESEND_EVENTS)[number]

const EVENTS: Record<LogStatus | (typeof SINGLE_MAIL_STATUSES)[number], ResendEvent> = {
  scheduled: 'scheduled',
  cancelled: 'canceled',
  queued: 'queued',
  pending: 'queued',
  sent: 'sent',
  delivered: 'delivered',
  opened: 'opened',
  clicked: 'clicked',
  bounced: 'bounced',
  complained: 'complained',
  suppressed: 'suppressed',
  opted_out: 'suppressed',
  failed: 'failed',
}

export const resendEventOf = (status: keyof typeof EVENTS): ResendEvent => EVENTS[status]

/** Returns Resend's name of a refusal. `hasKey`: the request had credentials. */
export function resendNameOf(refusal: AppError, hasKey: boolean): ResendErrorName {
  const { code, reason, details: [first] = [] } = refusal
  switch (code) {
    case 'UNAUTHORIZED':
      return hasKey ? 'invalid_api_key' : 'missing_api_key'
    case 'FORBIDDEN':
      return reason === 'insufficient_scope' ? 'restricted_api_key' : 'invalid_access'
    case 'NOT_FOUND':
      return 'not_found'
    case 'PAYMENT_REQUIRED':
      return 'monthly_quota_exceeded'
    case 'RATE_LIMITED':
      return 'rate_limit_exceeded'
    case 'INTERNAL_ERROR':
      return 'internal_server_error'
    case 'CONFLICT':
      return reason === 'idempotency_in_progress'
        ? 'concurrent_idempotent_requests'
        : 'validation_error'
    case 'REQUEST_FAILED':
      return reason === 'method_not_allowed' ? 'method_not_allowed' : 'validation_error'
    case 'BAD_REQUEST':
    case 'MALFORMED_REQUEST':
    case 'PAYLOAD_TOO_LARGE':
    case 'VALIDATION_FAILED':
      if (reason === 'idempotency_key_reused') return 'invalid_idempotent_request'
      return first === undefined ? 'validation_error' : nameOfField(first)
  }
}

function nameOfField({ path, message }: { path: string; message: string }): ResendErrorName {
  // Rows of a batch are spelled `[1].from`.
  const field = path.replace(/^\[\d+\]\.?/, '')
  if (field === 'idempotency-key') return 'invalid_idempotency_key'
  if (/^is (?:required|needed)/.test(message)) return 'missing_required_field'
  if (field.startsWith('attachments')) return 'invalid_attachment'
  return field === 'from' ? 'invalid_from_address' : 'validation_error'
}
