import { badRequest, isRefusal, type Refusal } from '../aws/errors.ts'
import type { Body, NewMail } from '../ledger.ts'
import { missingIn, placesOf, renderTemplate } from '../template.ts'
import type { SesCall } from './call.ts'
import {
  checkConfigurationSet,
  checkHeaders,
  checkSender,
  checkTags,
  checkVerified,
  clean,
  recipientsOf,
} from './checks.ts'
import { accountProblem, QUOTA_EXCEEDED, takeProblem } from './gate.ts'
import { BATCH_TAG, fate, inlineContent, MESSAGE_TAG, readData, tagged } from './send-email.ts'
import { type BulkEntry, readSendBulkEmail, type SendBulkEmail } from './wire.ts'

const MAX_ENTRIES = 50
/** Data of this length is a rendered mail rather than a few values, and is stored rendered. */
const MUCH_DATA = 4_096

interface Result {
  Status: string
  Error?: string
  MessageId?: string
}

interface Common {
  call: SesCall
  request: SendBulkEmail
  sender: string
  configurationSet: string | null
  subject: string
  html: string | null
  text: string | null
  places: string[]
  data: Record<string, unknown>
  headers: ReturnType<typeof checkHeaders>
  tags: ReturnType<typeof checkTags>
}

/**
 * SES v2 SendBulkEmail. Errors of the call refuse the call. Errors of an entry, or of the account,
 * are the status of each entry. Answers 200 with results in the order of the entries.
 */
export async function sendBulkEmail(call: SesCall): Promise<{ BulkEmailEntryResults: Result[] }> {
  const request = readSendBulkEmail(call.body)
  const entries = request.BulkEmailEntries
  if (entries.length === 0) throw badRequest('At least one bulk email entry must be specified.')
  if (entries.length > MAX_ENTRIES) {
    throw badRequest(`Bulk email entry count exceeds ${MAX_ENTRIES}.`)
  }
  const common = commonOf(call, request)
  const mails: NewMail[] = []
  const results = entries.map((entry): Result | undefined => {
    const mail = mailOf(common, entry)
    if ('Status' in mail) return mail
    mails.push(mail)
    return undefined
  })
  const messageIds = await call.deps.ledger.accept(mails)
  let next = 0
  return {
    BulkEmailEntryResults: results.map(
      (result) => result ?? { Status: 'SUCCESS', MessageId: messageIds[next++] ?? '' },
    ),
  }
}

function commonOf(call: SesCall, request: SendBulkEmail): Common {
  const template = request.DefaultContent.Template
  if (!template) throw badRequest('DefaultContent must have a Template.')
  const data = readData(template.TemplateData)
  if (data === undefined) throw badRequest('TemplateData is not a JSON object.')
  const sender = checkSender(request.FromEmailAddress)
  const { Subject: subject = '', Html: html = null, Text: text = null } = inlineContent(template)
  return {
    call,
    request,
    sender: clean(sender),
    configurationSet: checkConfigurationSet(call.deps.accounts, call.account, {
      name: request.ConfigurationSetName,
      sender,
    }),
    subject,
    html,
    text,
    places: [...new Set([subject, html ?? '', text ?? ''].flatMap(placesOf))],
    data,
    headers: checkHeaders(template.Headers),
    tags: checkTags(request.DefaultEmailTags),
  }
}

function mailOf(common: Common, entry: BulkEntry): NewMail | Result {
  const { call, request, sender, subject } = common
  const { deps, account, faults } = call
  try {
    const givenData = entry.ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData
    const own = readData(givenData)
    if (own === undefined) {
      return { Status: 'INVALID_PARAMETER', Error: 'ReplacementTemplateData is not a JSON object.' }
    }
    const data = { ...common.data, ...own }
    const recipients = recipientsOf(entry.Destination)
    const headers = merged(common.headers, checkHeaders(entry.ReplacementHeaders))
    const tags = merged(common.tags, checkTags(entry.ReplacementTags))
    const stopped = accountProblem(account, faults)
    if (stopped) return refused(stopped)
    checkVerified(deps.accounts, account, { sender, recipients })
    const throttled = takeProblem(deps.limiter, account, { count: recipients.length, faults })
    if (throttled) return refused(throttled)
    const unrendered = missingIn(common.places, data) !== undefined
    return {
      account,
      sender,
      recipients: recipients.map((address) => ({
        address,
        outcome: unrendered ? 'unrendered' : fate(call, address),
      })),
      subject: clean(renderTemplate(subject, data)),
      batch: tagged(tags, BATCH_TAG),
      messageTag: tagged(tags, MESSAGE_TAG),
      body: bodyOf(common, data, givenData?.length ?? 0),
      detail: {
        operation: 'SendBulkEmail',
        role: call.role,
        to: entry.Destination.ToAddresses ?? [],
        cc: entry.Destination.CcAddresses ?? [],
        bcc: entry.Destination.BccAddresses ?? [],
        replyTo: request.ReplyToAddresses ?? [],
        headers,
        tags,
        configurationSet: common.configurationSet,
      },
    }
  } catch (error) {
    if (isRefusal(error)) return refused(error)
    throw error
  }
}

function bodyOf({ html, text }: Common, data: Record<string, unknown>, length: number): Body {
  if (length <= MUCH_DATA) return { kind: 'template', html, text, data }
  return {
    kind: 'whole',
    html: html === null ? null : renderTemplate(html, data),
    text: text === null ? null : renderTemplate(text, data),
  }
}

/** Merges pairs. Those of the entry replace common ones of the same name. */
function merged<T extends readonly [string, string]>(common: T[], own: T[]): T[] {
  if (own.length === 0) return common
  if (common.length === 0) return own
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  return [...common.filter(([name]) => !names.has(name.toLowerCase())), ...own]
}

/** SES v2 API reference, BulkEmailEntryResult. */
const STATUS: Record<string, string> = {
  AccountSuspendedException: 'ACCOUNT_SUSPENDED',
  SendingPausedException: 'ACCOUNT_SENDING_PAUSED',
  MailFromDomainNotVerifiedException: 'MAIL_FROM_DOMAIN_NOT_VERIFIED',
  MessageRejected: 'MESSAGE_REJECTED',
  BadRequestException: 'INVALID_PARAMETER',
}

function refused({ code, message }: Refusal): Result {
  if (code === 'TooManyRequestsException') {
    const quota = message === QUOTA_EXCEEDED
    return {
      Status: quota ? 'ACCOUNT_DAILY_QUOTA_EXCEEDED' : 'ACCOUNT_THROTTLED',
      Error: message,
    }
  }
  return { Status: STATUS[code] ?? 'FAILED', Error: message }
}
