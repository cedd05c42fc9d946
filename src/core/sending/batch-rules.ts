import { badRequest, type ErrorDetail, NOT_YET, refuse } from '../../domain/errors.ts'
import type { BatchInput } from '../../schemas/sending/batch.ts'
import { toUtc } from '../../domain/times.ts'

/** A caller's clock may be a little behind: its "now" is not refused. */
const PAST_MS = 60_000

/** What the interface has and this version does not do yet: refused, never ignored. */
function refuseUnsupported(input: BatchInput): void {
  const details: ErrorDetail[] = []
  const refuse = (path: string, isUsed: boolean) => {
    if (isUsed) details.push({ path, message: NOT_YET.message })
  }
  const { exclude } = input
  refuse('exclude', (exclude?.topicIds ?? exclude?.segmentIds ?? []).length > 0)
  refuse('timezoneAware', input.timezoneAware === true)
  refuse('throttlePerSecond', input.throttlePerSecond !== undefined)
  const [first] = details
  if (first) throw badRequest(`${first.path} ${first.message}`, details, NOT_YET.reason)
}

/**
 * The rules that need no storage: which fields go together, and the clock. Throws a 400 that names
 * the field. Returns the time to send at, or null for at once.
 */
export function applyBatchRules(input: BatchInput, now: number): string | null {
  if (input.channel === 'sms') {
    refuse('channel', 'cannot be sms: no SMS transport is configured', NOT_YET.reason)
  }
  refuseUnsupported(input)
  refuseAudience(input)
  if (input.templateId === undefined && input.htmlContent === undefined) {
    refuse('htmlContent', 'or templateId is needed')
  }
  if (input.templateId !== undefined && input.htmlContent !== undefined) {
    refuse('htmlContent', 'cannot go with templateId')
  }
  if (input.templateId !== undefined && input.textContent !== undefined) {
    refuse('textContent', 'goes with htmlContent only')
  }
  for (const [i, { source }] of (input.variableMappings ?? []).entries()) {
    const wanted = source.type === 'static' ? 'value' : 'field'
    if (source[wanted] === undefined) {
      refuse(`variableMappings[${i}].source.${wanted}`, `is needed for type ${source.type}`)
    }
  }
  return sendingTime(input.scheduledFor, now)
}

function refuseAudience({ audienceType, topicId, segmentId, contactIds }: BatchInput): void {
  switch (audienceType) {
    case 'topic':
      if (topicId === undefined) refuse('topicId', 'is needed')
      if (contactIds !== undefined) refuse('contactIds', 'goes with audienceType contacts only')
      break
    case 'contacts':
      if (contactIds === undefined) refuse('contactIds', 'is needed')
      break
    case 'segment':
      if (segmentId === undefined) refuse('segmentId', 'is needed')
      if (contactIds !== undefined) refuse('contactIds', 'goes with audienceType contacts only')
      return
    case 'all':
      if (contactIds !== undefined) refuse('contactIds', 'goes with audienceType contacts only')
      break
  }
  if (segmentId !== undefined) refuse('segmentId', 'goes with audienceType segment only')
}

function sendingTime(scheduledFor: string | undefined, now: number): string | null {
  if (scheduledFor === undefined) return null
  const utc = toUtc(scheduledFor) ?? refuse('scheduledFor', 'is not a time we can keep')
  const time = Date.parse(utc)
  if (time < now - PAST_MS) refuse('scheduledFor', 'lies in the past')
  return time > now ? utc : null
}
