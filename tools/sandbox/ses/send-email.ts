import { badRequest, notFound } from '../aws/errors.ts'
import type { Body, NewMail, Pair } from '../ledger.ts'
import { type Outcome, outcomeOf } from '../plan.ts'
import { readMessage } from '../mime.ts'
import { isRecord, missingIn, placesOf, renderTemplate } from '../template.ts'
import {
  bareAddress,
  checkConfigurationSet,
  checkHeaders,
  checkSender,
  checkSize,
  checkTags,
  checkVerified,
  clean,
  recipientsOf,
} from './checks.ts'
import { accountProblem, takeProblem } from './gate.ts'
import type { SesCall } from './call.ts'
import { type Destination, readSendEmail, type SendEmail, type Template } from './wire.ts'

interface Message {
  sender: string
  destination: Destination
  subject: string
  headers: Pair[]
  tags: Pair[]
  body: Body
  unrendered: boolean
}

/**
 * SES v2 SendEmail: checks shape, account, identities, rate and quota in this order, then stores.
 * The response is sent after the commit.
 */
export async function sendEmail(call: SesCall): Promise<{ MessageId: string }> {
  const { deps, account, faults, role } = call
  const request = readSendEmail(call.body)
  const { sender, destination, subject, headers, tags, body, unrendered } = await messageOf(request)
  const recipients = recipientsOf(destination)
  for (const each of request.ReplyToAddresses ?? []) checkSender(each)
  const name = request.ConfigurationSetName
  const configurationSet = checkConfigurationSet(deps.accounts, account, { name, sender })

  const stopped = accountProblem(account, faults)
  if (stopped) throw stopped
  checkVerified(deps.accounts, account, { sender, recipients })
  const throttled = takeProblem(deps.limiter, account, { count: recipients.length, faults })
  if (throttled) throw throttled

  const mail: NewMail = {
    account,
    sender: clean(sender),
    recipients: recipients.map((address) => ({
      address,
      outcome: unrendered ? 'unrendered' : fate(call, address),
    })),
    subject: clean(subject),
    batch: tagged(tags, BATCH_TAG),
    messageTag: tagged(tags, MESSAGE_TAG),
    body,
    detail: {
      operation: 'SendEmail',
      role,
      to: destination.ToAddresses ?? [],
      cc: destination.CcAddresses ?? [],
      bcc: destination.BccAddresses ?? [],
      replyTo: request.ReplyToAddresses ?? [],
      headers,
      tags,
      configurationSet,
    },
  }
  const [messageId = ''] = await deps.ledger.accept([mail])
  return { MessageId: messageId }
}

/** The product's own tag, by which the sandbox counts. */
export const MESSAGE_TAG = 'letterloom-message'
export const BATCH_TAG = 'letterloom-batch'

export const tagged = (tags: readonly Pair[], wantedName: string): string | null =>
  tags.find(([name]) => name === wantedName)?.[1] ?? null

export const fate = ({ deps, account }: SesCall, address: string): Outcome =>
  outcomeOf(
    address,
    deps.suppressions.find(account.accountNumber, account.region, address) !== undefined,
  )

async function messageOf(request: SendEmail): Promise<Message> {
  const { Simple, Raw, Template: template } = request.Content
  const tags = checkTags(request.EmailTags)
  const givenContents = [Simple, Raw, template].filter((each) => each !== undefined)
  if (givenContents.length !== 1) {
    throw badRequest('Content must have exactly one of Simple, Raw and Template.')
  }
  if (Raw) return rawMessage(request, Raw.Data, tags)
  const sender = checkSender(request.FromEmailAddress)
  const destination = request.Destination ?? {}
  if (template) return { sender, destination, tags, ...templateMessage(template) }

  const html = Simple?.Body.Html?.Data
  const text = Simple?.Body.Text?.Data
  if (html === undefined && text === undefined) {
    throw badRequest('The body must have at least one of Html and Text.')
  }
  checkSize(Buffer.byteLength(html ?? '') + Buffer.byteLength(text ?? ''))
  return {
    sender,
    destination,
    tags,
    subject: Simple?.Subject.Data ?? '',
    headers: checkHeaders(Simple?.Headers),
    body: { kind: 'whole', html: html ?? null, text: text ?? null },
    unrendered: false,
  }
}

function templateMessage(template: Template): Omit<Message, 'sender' | 'destination' | 'tags'> {
  const content = inlineContent(template)
  const data = readData(template.TemplateData)
  if (data === undefined) throw badRequest('TemplateData is not a JSON object.')
  const { Subject: subject = '', Html: html = null, Text: text = null } = content
  const places = [subject, html ?? '', text ?? ''].flatMap(placesOf)
  return {
    subject: renderTemplate(subject, data),
    headers: checkHeaders(template.Headers),
    body: {
      kind: 'whole',
      html: html === null ? null : renderTemplate(html, data),
      text: text === null ? null : renderTemplate(text, data),
    },
    unrendered: missingIn(places, data) !== undefined,
  }
}

/** The sandbox stores no templates, so a named one does not exist. */
export function inlineContent(template: Template) {
  if (template.TemplateContent) return template.TemplateContent
  const name = template.TemplateName ?? template.TemplateArn
  if (name === undefined) throw badRequest('Template must have TemplateName or TemplateContent.')
  throw notFound(`Template ${name} does not exist`)
}

const MAX_TEMPLATE_DATA = 262_144

/** Data of a template. Undefined: not a JSON object, or too long. */
export function readData(text = '{}'): Record<string, unknown> | undefined {
  if (text.length > MAX_TEMPLATE_DATA) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Fields that the request leaves out are read from the message's header. */
async function rawMessage(request: SendEmail, base64: string, tags: Pair[]): Promise<Message> {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0) throw badRequest('Raw message is empty.')
  checkSize(bytes.length)
  const { headers, list, subject } = await readMessage(bytes)
  const sender = checkSender(request.FromEmailAddress ?? list('from')[0])
  const destination = request.Destination ?? {
    ToAddresses: list('to'),
    CcAddresses: list('cc'),
    BccAddresses: list('bcc'),
  }
  const own = headers.find(([name]) => name.toLowerCase() === 'x-ses-message-tags')?.[1] ?? ''
  const more = own
    .split(',')
    .map((pair) => pair.split('=').map((part) => part.trim()))
    .flatMap(([Name, Value]) => (Name && Value ? [{ Name, Value }] : []))
  return {
    sender,
    destination: {
      ToAddresses: (destination.ToAddresses ?? []).map(bareAddress),
      CcAddresses: (destination.CcAddresses ?? []).map(bareAddress),
      BccAddresses: (destination.BccAddresses ?? []).map(bareAddress),
    },
    subject,
    headers,
    tags: [...tags, ...checkTags(more)],
    body: { kind: 'raw', base64 },
    unrendered: false,
  }
}
