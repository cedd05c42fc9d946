import type { FastifyRequest } from 'fastify'
import type { UniqueField } from '../../src/domain/contacts/contact-fields.ts'
import { type AppError, conflict } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { Contact } from '../../src/schemas/contacts/contact.ts'
import type { Refusal, RowResult, Upserted } from '../../src/core/contacts/rows.ts'
import { isLostRace } from '../../src/core/contacts/upsert.ts'
import * as contacts from '../../src/store/contacts/contacts.ts'
import { type Sql, type Transaction, transact } from '../../src/store/db/sql.ts'
import { audit } from '../access/audit.ts'
import { type Caller, insufficient } from '../caller.ts'
import { refused, UNREACHABLE } from '../../src/core/contacts/input-rules.ts'
import type { Deps } from '../deps.ts'

const TRIES = 5

class LostRace extends Error {}

/** Runs `work` in a transaction, and starts again when it loses a race for the contact. */
export async function retryOnConflict<T>(
  sql: Sql,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transact(sql, work)
    } catch (error) {
      if (!(error instanceof LostRace) && !isLostRace(error)) throw error
      if (tries === TRIES) throw lostRace()
    }
  }
}

export type WrittenContact = Extract<RowResult, { id: Uuid }> & {
  /** Statuses of email and text messages from which the person was resubscribed. */
  resubscribedFrom: Upserted['resubscribed'][number]['from'][]
  pendingTopics: Uuid[]
}

export function unwrapWrite(
  { results: [result], resubscribed, pending }: Upserted,
  caller: Caller,
): WrittenContact {
  if (result === undefined) throw new LostRace()
  if (result.status === 'failed') throw refusalError(result.refusal, caller)
  return {
    ...result,
    resubscribedFrom: resubscribed.map(({ from }) => from),
    pendingTopics: pending.map(({ topicId }) => topicId),
  }
}

function refusalError(refusal: Refusal, { actor }: Caller): AppError | LostRace {
  switch (refusal.reason) {
    case 'taken':
      return alreadyTaken(refusal)
    case 'invalid':
      return refused([{ path: refusal.path, message: refusal.message }])
    case 'unreachable':
      return refused([UNREACHABLE])
    case 'forbidden':
      return insufficient(actor, 'full')
    case 'unstorable':
      return refused([{ path: '', message: 'has a value that cannot be stored' }])
    case 'busy':
      return lostRace()
    case 'missing':
      // It was there a moment ago: looked for again, it is a 404.
      return new LostRace()
  }
}

export function rowRefusal(refusal: Refusal, caller: Caller): AppError {
  if (refusal.reason === 'unreachable') return refused([UNKNOWN_AND_UNREACHABLE])
  const error = refusalError(refusal, caller)
  if (error instanceof LostRace) throw error
  return error
}

const UNKNOWN_AND_UNREACHABLE = {
  path: 'email',
  message: 'or phone is required, since there is no contact to update',
}

export const auditResubscription = (
  tx: Transaction,
  request: FastifyRequest,
  now: Deps['now'],
  { id, from }: Upserted['resubscribed'][number],
) =>
  audit(tx, request, now, {
    action: 'contact.resubscribed',
    subject: { kind: 'contact', id },
    detail: { from },
  })

export async function contactResponse(
  tx: Transaction,
  organizationId: Uuid,
  writtenContact: Pick<WrittenContact, 'id' | 'emailStatusKept' | 'smsStatusKept'>,
): Promise<Contact> {
  const { id, emailStatusKept, smsStatusKept } = writtenContact
  const contact = await contacts.find(tx, organizationId, { id })
  if (!contact) throw new LostRace()
  return {
    ...contact,
    ...(emailStatusKept ? { emailStatusKept } : {}),
    ...(smsStatusKept ? { smsStatusKept } : {}),
  }
}

const lostRace = () =>
  conflict('Other requests are changing this contact. Try again', { reason: 'lost_race' })

const REASONS = {
  externalId: 'external_id_taken',
  email: 'email_taken',
  phone: 'phone_taken',
} as const

/** Names the field and never its value, which may be a person's address. */
const alreadyTaken = ({ contactId, field }: { contactId: Uuid; field: UniqueField }) =>
  conflict(`Another contact has this ${field} already`, {
    reason: REASONS[field],
    details: [{ path: field, message: 'is taken', contactId }],
  })
