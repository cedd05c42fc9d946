import { addressed } from '../../keys/addresses.ts'
import { keptUntil, refusalOfReceipt } from '../../domain/mails/single-mail.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { EmailAccepted } from '../../schemas/mails/email.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { enqueueAll } from '../../store/mails/enqueue-mails.ts'
import * as transactionalMails from '../../store/mails/transactional-mails.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { sealContent } from '../content/mail-content.ts'
import type { PreparedMail } from './prepare-mails.ts'

/**
 * Writes mails into the ledger and the mail queue, with encrypted contents. A mail to a suppressed
 * address has a row in the log and is not sent. The suppression list is read again before the
 * claim.
 */
export async function acceptMails(
  tx: Transaction,
  organizationId: Uuid,
  mails: readonly PreparedMail[],
  { keyring, now }: { keyring: Keyring; now: number },
): Promise<EmailAccepted[]> {
  if (mails.length === 0) return []
  const addresses = mails.map(({ mail }) => addressed(keyring, organizationId, mail.to))
  const reasonOf = await suppressions.lookUp(tx, organizationId, addresses)
  const decided = mails.map((prepared, index) => {
    const address = addresses[index]
    const refused = address && refusalOfReceipt(reasonOf(address))
    return { ...prepared, id: uuidv7(), refused }
  })
  await enqueueAll(
    tx,
    decided.map(({ id, connectionId, contactId, templateId, mail, sendAt, refused }) => ({
      organizationId,
      id,
      source: 'transactional',
      connectionId,
      ...(contactId === undefined ? {} : { contactId }),
      ...(templateId === undefined ? {} : { templateId }),
      recipient: mail.to,
      from: mail.from,
      replyTo: mail.replyTo,
      subject: mail.subject,
      ...(sendAt === undefined ? {} : { sendAt: new Date(sendAt).toISOString() }),
      refused,
    })),
  )
  const rows: transactionalMails.NewTransactionalMail[] = []
  for (const { id, mail, attachments, tags, sendAt = now, retainBody, refused } of decided) {
    const row = { id, tags, retainBody }
    if (refused !== undefined) {
      rows.push({ ...row, sealed: null, sealedUntil: null })
      continue
    }
    const sealed = await sealContent(keyring, organizationId, id, { ...mail, attachments })
    const until = keptUntil(Math.max(sendAt, now), retainBody)
    rows.push({ ...row, sealed, sealedUntil: new Date(until).toISOString() })
  }
  await transactionalMails.insertAll(tx, organizationId, rows)
  return decided.map(({ id, sendAt = now, refused }) => ({
    id,
    status: refused !== undefined ? 'suppressed' : sendAt > now ? 'scheduled' : 'queued',
  }))
}
