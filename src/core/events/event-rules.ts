import { splitName } from '../../domain/contacts/person-name.ts'
import { writeProperties } from '../../domain/contacts/properties.ts'
import { AppError, badRequest, conflict, forbidden } from '../../domain/errors.ts'
import { normalAddress } from '../../domain/text.ts'
import { toUtc } from '../../domain/times.ts'
import type { EventInput } from '../../schemas/events/event.ts'
import type { IncomingEvent } from './ingest.ts'
import type { Missing } from './resolve-contacts.ts'

const MOST_AHEAD_MS = 5 * 60_000
/** Older events are stored, but start and resume nothing: their mail would come too late. */
const LATE_AFTER_MS = 72 * 3_600_000
const AS_WRITTEN = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Returns the event to store. Throws if a rule beyond the schema refuses it. `now` in milliseconds.
 */
export function toIncomingEvent(input: EventInput, now: number): IncomingEvent | AppError {
  const {
    name,
    contactExternalId: externalId,
    contactName,
    properties: given = {},
    eventId,
  } = input
  if (!input.contactId && !externalId && !input.contactEmail) return NOBODY
  const writtenProperties = writeProperties(given)
  if (writtenProperties.refusal !== undefined) {
    return refused('properties', writtenProperties.refusal, 'properties_refused')
  }
  const { properties, json } = writtenProperties
  const time = timeOf(input.occurredAt, now)
  if (time instanceof AppError) return time
  return {
    name,
    contactId: input.contactId?.toLowerCase(),
    externalId,
    email: input.contactEmail && normalAddress(input.contactEmail),
    createIfMissing: input.createIfMissing ?? false,
    names: contactName === undefined ? {} : splitName(contactName),
    properties,
    propertiesJson: json,
    eventId,
    occurredAt: time.occurredAt,
    isLate: time.isLate,
  }
}

const NO_TIME = ['must be a time between the years 1 and 9999', 'time_refused'] as const
type Timed = Pick<IncomingEvent, 'occurredAt' | 'isLate'>

function timeOf(time: string | undefined, now: number): Timed | AppError {
  if (time === undefined) return { isLate: false }
  // Mostly it has our own form already, and need not be converted.
  const occurredAt = AS_WRITTEN.test(time) ? time : toUtc(time)
  if (occurredAt === undefined) return refused('occurredAt', ...NO_TIME)
  const ageMs = now - Date.parse(occurredAt)
  if (Number.isNaN(ageMs)) return refused('occurredAt', ...NO_TIME)
  if (ageMs < -MOST_AHEAD_MS) {
    return refused('occurredAt', 'must not be more than 5 minutes ahead', 'occurred_in_future')
  }
  return { occurredAt, isLate: ageMs > LATE_AFTER_MS }
}

export function missingContact(why: Missing): AppError {
  switch (why) {
    case 'unknown':
      return new AppError('NOT_FOUND', 'Contact not found', { reason: 'contact_not_found' })
    case 'foreign':
      return forbidden('This contact belongs to another organization', {
        reason: 'contact_of_another_organization',
      })
    case 'no_address':
      return refused('contactEmail', 'is required to create the contact', 'email_needed')
    case 'other_person':
      return conflict('Another contact has this email already', {
        reason: 'email_taken',
        details: [{ path: 'contactEmail', message: 'is taken' }],
      })
    case 'busy':
      return conflict('Other requests are changing this contact. Try again', {
        reason: 'lost_race',
      })
  }
}

const refused = (path: string, message: string, reason: string): AppError =>
  badRequest(`${path} ${message}`, [{ path, message }], reason)

const NOBODY = refused(
  'contactId',
  'or contactExternalId or contactEmail is required',
  'contact_needed',
)
