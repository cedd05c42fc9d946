import type { FastifyRequest } from 'fastify'
import { conflict } from '../src/domain/errors.ts'
import type { EmailStatus } from '../src/domain/status.ts'
import type { Uuid } from '../src/ids.ts'
import type { Contact } from '../src/schemas/contact.ts'
import type { Made, WriteOutcome } from '../src/store/contact-writes.ts'
import * as contacts from '../src/store/contacts.ts'
import { type Sql, type Transaction, transact } from '../src/store/sql.ts'
import { audit } from './audit.ts'
import { type Caller, insufficient } from './auth.ts'
import { refused } from './contact-rules.ts'
import type { Deps } from './deps.ts'

/** More of them are needed only while others write the same contact all the time. */
const TRIES = 5

/** Others changed what was read before the locks. */
class LostRace extends Error {}

/** Runs `work` in a transaction, again from the start when `requireMade` says that it lost. */
export async function untilWritten<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transact(sql, work)
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
      if (tries === TRIES) throw lostRace()
    }
  }
}

/** The contact that was written; every other outcome is a refusal. */
export function requireMade(outcome: WriteOutcome, { actor }: Caller): Made {
  switch (outcome.outcome) {
    case 'written':
      return outcome
    case 'taken':
      throw alreadyTaken(outcome)
    case 'heavy':
      throw insufficient(actor, 'full')
    case 'refused':
      throw refused([{ path: outcome.path, message: outcome.message }])
    case 'lost':
      throw new LostRace()
  }
}

/** Notes that somebody was taken back: whoever vouched for them is on record. */
export const auditResubscription = (
  tx: Transaction,
  request: FastifyRequest,
  now: Deps['now'],
  { id, from }: { id: Uuid; from: EmailStatus | null },
) =>
  audit(tx, request, now, {
    action: 'contact.resubscribed',
    subject: { kind: 'contact', id },
    detail: from === null ? {} : { from },
  })

/** The contact as it is answered, with what was kept although something else was asked for. */
export async function written(
  tx: Transaction,
  organizationId: Uuid,
  { id, emailStatusKept, smsStatusKept }: Pick<Made, 'id' | 'emailStatusKept' | 'smsStatusKept'>,
): Promise<Contact> {
  const contact = await contacts.find(tx, organizationId, { id })
  if (!contact) throw new LostRace()
  return {
    ...contact,
    ...(emailStatusKept ? { emailStatusKept } : {}),
    ...(smsStatusKept ? { smsStatusKept } : {}),
  }
}

export const lostRace = () =>
  conflict('This contact is being written by others: try again', { reason: 'lost_race' })

const REASONS = {
  externalId: 'external_id_taken',
  email: 'email_taken',
  phone: 'phone_taken',
} as const

/** Names the field and never its value, which may be somebody's address. */
const alreadyTaken = ({ id, field }: contacts.Taken) =>
  conflict(`Another contact has this ${field} already`, {
    reason: REASONS[field],
    details: [{ path: field, message: 'is taken', contactId: id }],
  })
