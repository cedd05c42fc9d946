import { type Refusal, refusal } from '../aws/errors.ts'

/** An error answer of the service, with the members that tell it from others of its name. */
export interface SmsRefusal extends Refusal {
  members: Record<string, unknown>
}

export const smsRefusal = (
  status: number,
  code: string,
  message: string,
  members: Record<string, unknown> = {},
): SmsRefusal => Object.assign(refusal(status, code, message), { members })

export const conflict = (reason: string, resource: string): SmsRefusal =>
  smsRefusal(400, 'ConflictException', `Conflict: ${reason}`, {
    Reason: reason,
    ResourceType: resource,
  })

export const notFound = (resource: string): SmsRefusal =>
  smsRefusal(400, 'ResourceNotFoundException', `The ${resource} was not found.`, {
    ResourceType: resource,
  })

export const validation = (reason: string, field?: string): SmsRefusal =>
  smsRefusal(400, 'ValidationException', `The request is invalid: ${reason}`, {
    Reason: reason,
    ...(field === undefined ? {} : { Fields: [{ Name: field, Message: 'is invalid' }] }),
  })

export const quotaExceeded = (reason: string): SmsRefusal =>
  smsRefusal(400, 'ServiceQuotaExceededException', `The quota is exceeded: ${reason}`, {
    Reason: reason,
  })

export const membersOf = (error: Refusal): Record<string, unknown> =>
  'members' in error ? (error as SmsRefusal).members : {}
