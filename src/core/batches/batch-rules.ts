import { NOT_YET, refuse } from '../../domain/errors.ts'
import type { AbTestInput } from '../../schemas/batches/ab-test.ts'
import type { BatchInput } from '../../schemas/batches/batch.ts'
import { durationMs } from '../../domain/flows/duration.ts'
import { toUtc } from '../../domain/times.ts'
import { isTimezone } from '../../domain/timezone.ts'

const LONGEST_TEST_MS = 30 * 24 * 3_600_000
const UTC = 'UTC'
/** Tolerance for callers' clocks, so that their "now" is not refused. */
const PAST_MS = 60_000

interface SendingTime {
  /** Null: the batch is sent at once. */
  scheduledFor: string | null
  /**
   * `scheduledFor` is a local time in each contact's zone, this one by default. Null: it is one
   * moment.
   */
  timezone: string | null
}

/** Applies the rules that need no storage: which fields go together, and the clock. */
export function applyBatchRules(input: BatchInput, now: number): SendingTime {
  if (input.channel === 'sms') {
    refuse('channel', 'cannot be sms: no SMS transport is configured', NOT_YET.reason)
  }
  refuseAudience(input)
  const isSaid = input.abTest?.variants.every(({ templateId }) => templateId !== undefined)
  if (input.templateId === undefined && input.htmlContent === undefined && isSaid !== true) {
    refuse('htmlContent', 'or templateId is needed')
  }
  if (input.templateId !== undefined && input.htmlContent !== undefined) {
    refuse('htmlContent', 'cannot go with templateId')
  }
  if (input.templateId !== undefined && input.textContent !== undefined) {
    refuse('textContent', 'goes with htmlContent only')
  }
  if (input.abTest) refuseTest(input, input.abTest)
  for (const [i, { source }] of (input.variableMappings ?? []).entries()) {
    const neededField = source.type === 'static' ? 'value' : 'field'
    if (source[neededField] === undefined) {
      refuse(`variableMappings[${i}].source.${neededField}`, `is needed for type ${source.type}`)
    }
  }
  return sendingTime(input, now)
}

function refuseTest({ timezoneAware, htmlContent }: BatchInput, test: AbTestInput): void {
  const { variants, winnerBy, decideAfter } = test
  if (timezoneAware === true) refuse('abTest', 'cannot go with timezoneAware')
  if (new Set(variants.map(({ name }) => name)).size < variants.length) {
    refuse('abTest.variants', 'must have different names')
  }
  const own = variants.findIndex(({ templateId }) => templateId !== undefined)
  if (own >= 0 && htmlContent !== undefined) {
    refuse(`abTest.variants[${own}].templateId`, 'cannot go with htmlContent')
  }
  if (winnerBy === 'manual') {
    if (decideAfter) refuse('abTest.decideAfter', 'cannot go with winnerBy manual')
  } else if (!decideAfter) {
    refuse('abTest.decideAfter', `is needed with winnerBy ${winnerBy}`)
  } else if (durationMs(decideAfter) > LONGEST_TEST_MS) {
    refuse('abTest.decideAfter', 'must not be longer than 30 days')
  }
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

function sendingTime(
  { scheduledFor, timezoneAware = false, timezone = UTC }: BatchInput,
  now: number,
): SendingTime {
  if (!timezoneAware && timezone !== UTC) refuse('timezone', 'goes with timezoneAware only')
  if (!isTimezone(timezone)) refuse('timezone', 'is not the name of a timezone')
  if (scheduledFor === undefined) {
    if (timezoneAware) refuse('scheduledFor', 'is needed: it is the local time of each contact')
    return { scheduledFor: null, timezone: null }
  }
  const utc =
    toUtc(scheduledFor) ?? refuse('scheduledFor', 'must be a time between the years 1 and 9999')
  const time = Date.parse(utc)
  if (time < now - PAST_MS) refuse('scheduledFor', 'must be in the future')
  // A moment that has passed here is still to come further west.
  if (timezoneAware) return { scheduledFor: utc, timezone }
  return { scheduledFor: time > now ? utc : null, timezone: null }
}
