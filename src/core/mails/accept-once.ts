import { anotherRequest, stillRunning } from '../../domain/idempotency.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { EmailAccepted } from '../../schemas/mails/email.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as idempotencyKeys from '../../store/platform/idempotency-keys.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { acceptMails } from './accept-mails.ts'
import type { PreparedMail } from './prepare-mails.ts'

/** Status of the API's answer to a mail that it accepted. */
const ACCEPTED = 202

/** A mail with the key that identifies it for a day. */
export interface KeyedMail {
  mail: PreparedMail
  /** Undefined: a repetition cannot be told from a new mail. */
  key: string | undefined
  /** A mail with the same key and another fingerprint is refused. */
  fingerprint: Buffer
}

/**
 * Accepts those mails of one message that were not accepted under their keys in the last 24 hours,
 * all of them or none. Returns the accepted mails, new and earlier ones, in the order of `mails`.
 */
export async function acceptOnce(
  tx: Transaction,
  organizationId: Uuid,
  mails: readonly KeyedMail[],
  deps: { keyring: Keyring; now: number },
): Promise<EmailAccepted[]> {
  const keys = mails.flatMap(({ key }) => key ?? [])
  const { isBusy, keptByKey } = await idempotencyKeys.takeAll(tx, organizationId, keys)
  if (isBusy) throw stillRunning()
  const newMails: KeyedMail[] = []
  const earlier = mails.map((keyed): EmailAccepted | undefined => {
    const earlierAnswer = keyed.key === undefined ? undefined : keptByKey.get(keyed.key)
    if (earlierAnswer && !earlierAnswer.fingerprint.equals(keyed.fingerprint))
      throw anotherRequest()
    if (earlierAnswer?.answered) return JSON.parse(earlierAnswer.answered.body)
    newMails.push(keyed)
    return undefined
  })
  const accepted = await acceptMails(
    tx,
    organizationId,
    newMails.map(({ mail }) => mail),
    deps,
  )
  const answers = newMails.flatMap(({ key, fingerprint }, index) =>
    key === undefined
      ? []
      : [{ key, fingerprint, status: ACCEPTED, body: JSON.stringify(accepted[index]) }],
  )
  if (answers.length > 0) await idempotencyKeys.keepAll(tx, organizationId, answers)
  const rest = accepted.values()
  return earlier.map((each) => {
    const mail = each ?? rest.next().value
    if (!mail) throw new Error('a mail is accepted or refused')
    return mail
  })
}
