import { AppError, badRequest, type ErrorDetail } from '../../domain/errors.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import {
  type Attachment,
  decodedBytes,
  MOST_ATTACHED_BYTES,
} from '../../domain/mails/attachments.ts'
import { isRefusedHeader } from '../../domain/mails/custom-headers.ts'
import { isOurTag } from '../../domain/delivery/ses-event.ts'
import { timeProblem } from '../../domain/mails/single-mail.ts'
import { normalAddress, shown } from '../../domain/text.ts'
import { toUtc } from '../../domain/times.ts'
import { givenAccount } from '../../domain/accounts/account-names.ts'
import { breather } from '../../runtime/breather.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { type Header, headerProblem } from '../../mail/headers.ts'
import type { EmailInput } from '../../schemas/mails/email.ts'
import * as namedContacts from '../../store/contacts/named-contacts.ts'
import type { Executor } from '../../store/db/sql.ts'
import { rememberAccounts, type ResolvedSender, resolveSender } from '../accounts/resolve-sender.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { isBase64 } from '../content/mail-content.ts'
import { compose, type OutgoingMail } from '../content/compose.ts'
import { type AddressedMail, type MailDeps, renderedContents } from './single-mail-contents.ts'

/** A mail that was checked and rendered. */
export interface PreparedMail {
  connectionId: Uuid
  /** Undefined: no contact has the address. */
  contactId: Uuid | undefined
  templateId: Uuid | undefined
  mail: OutgoingMail
  attachments: readonly Attachment[]
  tags: readonly { name: string; value: string }[]
  /** Milliseconds since 1970. Undefined: the mail is sent at once. */
  sendAt: number | undefined
  retainBody: boolean
}

/**
 * Checks and renders mails. Each result is a mail or the refusal that it would get alone. Needs few
 * statements, however many mails there are, and no transaction. Throws a 503 if there was no time
 * to render.
 */
export async function prepareMails(
  sql: Executor,
  organizationId: Uuid,
  inputs: readonly EmailInput[],
  deps: MailDeps,
): Promise<(PreparedMail | AppError)[]> {
  const accountOf = rememberAccounts()
  const contactOf = await contactsOf(sql, organizationId, inputs)
  const rows: (AddressedMail | AppError)[] = []
  const breathe = breather()
  for (const input of inputs) {
    await breathe()
    const refusal = refusalOf(input, deps.now)
    const sender = refusal ?? (await senderOf(sql, organizationId, input, accountOf))
    const to = normalAddress(input.to)
    rows.push(sender instanceof AppError ? sender : { input, sender, to, contact: contactOf(to) })
  }
  const rendered = await renderedContents(sql, organizationId, rows, deps)
  return Promise.all(
    rows.map(async (row, index) => {
      if (row instanceof AppError) return row
      const content = rendered[index]
      if (content instanceof AppError) return content
      return finish(row, content)
    }),
  )
}

async function finish(
  { input, sender, to, contact }: AddressedMail,
  rendered: Parameters<typeof compose>[2]['rendered'],
): Promise<PreparedMail | AppError> {
  const from: Mailbox = { address: sender.address, name: sender.name }
  const composition = await compose(
    'transactional',
    { from, replyTo: sender.replyTo },
    { rendered, isMarketing: false, headers: headersOf(input) },
    { email: to },
  )
  if ('failed' in composition) {
    const { reason, error: message } = composition.failed
    const path = PATHS[reason] ?? (input.templateId === undefined ? 'html' : 'variables')
    return badRequest(`The mail cannot be rendered: ${message}`, [{ path, message }], reason)
  }
  const { scheduledFor, tags = [], attachments = [], retainBody = true, templateId } = input
  return {
    connectionId: sender.connectionId,
    contactId: contact?.id,
    templateId,
    mail: composition.mail,
    attachments,
    tags,
    sendAt: scheduledFor === undefined ? undefined : Date.parse(scheduledFor),
    retainBody,
  }
}

const headersOf = ({ headers = {} }: EmailInput): Header[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

/** Fields that failures are about, by reason. Other failures are about the content. */
const PATHS: Readonly<Record<string, string>> = { bad_subject: 'subject', bad_sender: 'from' }

/** Returns the refusal of a mail by its own fields and the time. */
function refusalOf(input: EmailInput, now: number): AppError | undefined {
  const problems = [
    ...contentProblems(input),
    ...timeAndTagProblems(input, now),
    ...headerProblems(input),
  ]
  const attached = attachedBytes(input, problems)
  const [first] = problems
  if (first) return badRequest(`${first.path} ${first.message}`, problems)
  if (attached <= MOST_ATTACHED_BYTES) return undefined
  const message = `have more than ${MOST_ATTACHED_BYTES} bytes in all, decoded`
  return new AppError('PAYLOAD_TOO_LARGE', `The attachments ${message}`, {
    details: [{ path: 'attachments', message }],
  })
}

/** Returns the decoded bytes of all attachments. Adds those that are not base64 to `problems`. */
function attachedBytes({ attachments = [] }: EmailInput, problems: ErrorDetail[]): number {
  let bytes = 0
  for (const [index, { content }] of attachments.entries()) {
    if (isBase64(content)) bytes += decodedBytes(content)
    else problems.push({ path: `attachments[${index}].content`, message: 'is not base64' })
  }
  return bytes
}

function headerProblems(input: EmailInput): ErrorDetail[] {
  const earlierNames = new Set<string>()
  return headersOf(input).flatMap(({ name, value }) => {
    const isTwice = earlierNames.has(name.toLowerCase())
    earlierNames.add(name.toLowerCase())
    const message = isRefusedHeader(name)
      ? 'is a header that you cannot set'
      : isTwice
        ? 'occurs twice'
        : headerProblem({ name, value })
    return message === undefined ? [] : [{ path: `headers.${shown(name)}`, message }]
  })
}

/** Checks which fields can be combined. */
function contentProblems(input: EmailInput): ErrorDetail[] {
  const { templateId, html, text, subject, variables } = input
  const problems: ErrorDetail[] = []
  const report = (path: string, message: string) => problems.push({ path, message })
  if (templateId === undefined) {
    if (html === undefined && text === undefined) report('html', 'or text or templateId is needed')
    if (subject === undefined) report('subject', 'is needed')
    if (variables !== undefined) report('variables', 'goes with templateId only')
  } else {
    if (html !== undefined) report('html', 'cannot go with templateId')
    if (text !== undefined) report('text', 'cannot go with templateId')
    if (subject !== undefined) report('subject', 'cannot go with templateId, which has one')
  }
  return problems
}

function timeAndTagProblems({ scheduledFor, tags = [] }: EmailInput, now: number): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  const report = (path: string, message: string) => problems.push({ path, message })
  if (scheduledFor !== undefined) {
    const utc = toUtc(scheduledFor)
    const problem =
      utc === undefined
        ? 'must be a time between the years 1 and 9999'
        : timeProblem(Date.parse(utc), now)
    if (problem !== undefined) report('scheduledFor', problem)
  }
  for (const [index, { name }] of tags.entries()) {
    if (isOurTag(name)) report(`tags[${index}].name`, 'is reserved')
    else if (tags.findIndex((tag) => tag.name === name) < index) {
      report(`tags[${index}].name`, 'occurs twice')
    }
  }
  return problems
}

async function senderOf(
  sql: Executor,
  organizationId: Uuid,
  input: EmailInput,
  accountOf: ReturnType<typeof rememberAccounts>,
): Promise<ResolvedSender | AppError> {
  const sender = await resolveSender(sql, organizationId, input, accountOf)
  if (!('problem' in sender)) return sender
  const { path, message, problem } = sender
  if (problem === 'unknown') {
    try {
      await refuseForeign(sql, 'connection', organizationId, givenAccount(input).id ?? '')
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }
  return badRequest(`${path} ${message}`, [{ path, message }])
}

async function contactsOf(sql: Executor, organizationId: Uuid, inputs: readonly EmailInput[]) {
  const addresses = inputs.map(({ to }) => normalAddress(to))
  const contacts = await namedContacts.listByEmail(sql, organizationId, addresses)
  const byEmail = new Map(contacts.map((contact) => [contact.email, contact]))
  return (address: string) => byEmail.get(address)
}
