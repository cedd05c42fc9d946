import { AppError, badRequest } from '../../domain/errors.ts'
import { normalAddress } from '../../domain/text.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Contents } from '../../mail/content-checks.ts'
import type { TemplateTest, TemplateTestInput } from '../../schemas/content/template-preview.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { previewTemplate } from '../content/preview-template.ts'
import { acceptMails } from './accept-mails.ts'
import { type PreparedMail, prepareMails } from './prepare-mails.ts'
import type { MailDeps } from './single-mail-contents.ts'

/** Marks the subject, so that nobody takes the test for the mail itself. */
const MARK = '[Test]'
const LONGEST_SUBJECT = 998

/**
 * Renders the mails of a test, before the transaction that writes them: the template as it is now,
 * for one contact, to the addresses of the people who look at it. They are single mail: no contact
 * with one of these addresses is counted as mailed, and the links to unsubscribe are disabled.
 */
export async function prepareTest(
  sql: Executor,
  organizationId: Uuid,
  idOrSlug: string,
  { to, from, fromName, replyTo, cloudAccountId, awsAccountId, ...sample }: TemplateTestInput,
  { contents, maySeeContacts, ...deps }: MailDeps & { contents: Contents; maySeeContacts: boolean },
): Promise<PreparedMail[]> {
  const previewing = { sql, contents, maySeeContacts, ...deps }
  const preview = await previewTemplate(previewing, organizationId, idOrSlug, sample)
  const { templateId, subject, html, text, problem } = preview
  if (html === null || text === null) {
    const { message, reason } = problem ?? {}
    const details = [{ path: 'variables', message: message ?? 'are not enough' }]
    throw badRequest(`The mail cannot be rendered: ${message}`, details, reason)
  }
  const mailInput = {
    from,
    ...(fromName === undefined ? {} : { fromName }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(cloudAccountId === undefined ? {} : { cloudAccountId }),
    ...(awsAccountId === undefined ? {} : { awsAccountId }),
    subject: `${MARK} ${subject ?? ''}`.slice(0, LONGEST_SUBJECT),
    html,
    text,
    // A contact's data is in it, and who looks at it has the mail.
    retainBody: false,
  }
  const addresses = [...new Set(to.map(normalAddress))]
  const inputs = addresses.map((address) => ({ ...mailInput, to: address }))
  const preparedMails = await prepareMails(sql, organizationId, inputs, deps)
  return preparedMails.map((mail) => {
    if (mail instanceof AppError) throw mail
    return { ...mail, contactId: undefined, templateId }
  })
}

export async function sendTest(
  tx: Transaction,
  organizationId: Uuid,
  mails: readonly PreparedMail[],
  deps: Parameters<typeof acceptMails>[3],
): Promise<TemplateTest> {
  const accepted = await acceptMails(tx, organizationId, mails, deps)
  return {
    subject: mails[0]?.mail.subject ?? '',
    mails: accepted.map(({ id, status }, index) => ({
      id,
      to: mails[index]?.mail.to ?? '',
      status: status === 'suppressed' ? status : 'queued',
    })),
  }
}
