import type { Account, Accounts } from '../accounts.ts'
import { badRequest, notFound, rejected } from '../aws/errors.ts'
import type { Pair } from '../ledger.ts'
import { isSimulator } from '../plan.ts'
import type { Destination } from './wire.ts'

const MAX_DESTINATIONS = 50
const MAX_TAGS = 50
const MAX_TAG_LENGTH = 256
const MAX_HEADERS = 15
const MAX_HEADER_NAME = 126
const MAX_HEADER_VALUE = 995
const MAX_HEADER = 996
const MAX_ADDRESS = 320

/** 40 MB (SES developer guide, "Service quotas"). */
const MAX_MESSAGE_BYTES = 40 * 1024 * 1024

interface NamedValue {
  Name: string
  Value: string
}

/** `Ada <ada@example.com>` → `ada@example.com`. */
export function bareAddress(text: string): string {
  if (!text.endsWith('>')) return text
  return text.slice(text.lastIndexOf('<') + 1, -1)
}

/** Why SES would refuse the address, or undefined. */
export function addressProblem(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  if (at <= 0 || at === address.length - 1) return "Missing final '@domain'"
  // Checked with one pattern first: nearly every address is a plain one.
  if (/^[\w.+=&'*/!#$%?^`{|}~-]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(address)) {
    return address.length > MAX_ADDRESS ? 'Address is too long' : undefined
  }
  const local = address.slice(0, at)
  if (/[\p{Cc} ]/u.test(local)) return 'Local address contains control or whitespace'
  if (/[^\u0021-\u007e]/.test(local)) return 'Local address contains non-ASCII characters'
  if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(address.slice(at + 1))) {
    return 'Domain contains illegal character'
  }
  if (local.startsWith('"') && local.endsWith('"')) return undefined
  return 'Illegal address'
}

export function recipientsOf({
  ToAddresses = [],
  CcAddresses = [],
  BccAddresses = [],
}: Destination): string[] {
  const recipients = [...ToAddresses, ...CcAddresses, ...BccAddresses].map(bareAddress)
  if (recipients.length === 0) throw badRequest('At least one destination must be specified.')
  if (recipients.length > MAX_DESTINATIONS) {
    throw badRequest(`Recipient count exceeds ${MAX_DESTINATIONS}.`)
  }
  for (const each of recipients) {
    const problem = addressProblem(each)
    if (problem !== undefined) throw badRequest(problem)
  }
  return recipients
}

export function checkSender(from: string | undefined): string {
  if (from === undefined || from === '') {
    throw badRequest("1 validation error detected: Value null at 'fromEmailAddress'")
  }
  if (/\p{Cc}/u.test(from)) throw badRequest('Invalid From address')
  const problem = addressProblem(bareAddress(from))
  if (problem !== undefined) throw badRequest(problem)
  return from
}

/** The From identity must be verified, and in SES' sandbox every recipient, too. */
export function checkVerified(
  accounts: Accounts,
  account: Account,
  { sender, recipients }: { sender: string; recipients: readonly string[] },
): void {
  const failed: string[] = []
  if (!accounts.isVerified(account, bareAddress(sender))) failed.push(sender)
  if (!account.productionAccess) {
    for (const each of recipients) {
      if (!isSimulator(each) && !accounts.isVerified(account, each)) failed.push(each)
    }
  }
  if (failed.length === 0) return
  throw rejected(
    `Email address is not verified. The following identities failed the check in region ${account.region.toUpperCase()}: ${failed.join(', ')}`,
  )
}

/** Configuration set of a mail: the named one, which must exist, or its identity's own. */
export function checkConfigurationSet(
  accounts: Accounts,
  account: Account,
  { name, sender }: { name: string | undefined; sender: string },
): string | null {
  if (name === undefined) return accounts.ownConfigurationSet(account, bareAddress(sender))
  if (account.configurationSets !== null && !account.configurationSets.includes(name)) {
    throw notFound(`Configuration set <${name}> does not exist.`)
  }
  return name
}

/** Tags of the Feedback-ID header. No other tag names may contain colons. */
export const FEEDBACK_TAGS = ['ses:feedback-id-a', 'ses:feedback-id-b']

export function checkTags(tags: readonly NamedValue[] = []): Pair[] {
  if (tags.length > MAX_TAGS) throw badRequest(`Too many tags: at most ${MAX_TAGS}`)
  return tags.map(({ Name, Value }) => {
    for (const [what, value] of [
      ['name', Name],
      ['value', Value],
    ] as const) {
      if (!/^[A-Za-z0-9_-]+$/.test(value) && !FEEDBACK_TAGS.includes(value)) {
        throw badRequest(
          `Invalid tag ${what} <${value.slice(0, 100)}>: only alphanumeric ASCII characters, '_', and '-' are allowed.`,
        )
      }
      if (value.length > MAX_TAG_LENGTH) {
        throw badRequest(`Tag ${what} is longer than ${MAX_TAG_LENGTH} characters.`)
      }
    }
    return [Name, Value]
  })
}

/** Headers that SES makes itself. */
const RESERVED = new Set(
  (
    'bcc cc content-disposition content-transfer-encoding content-type date from message-id ' +
    'mime-version reply-to return-path sender subject to'
  ).split(' '),
)

export function checkHeaders(headers: readonly NamedValue[] = []): Pair[] {
  if (headers.length > MAX_HEADERS) throw badRequest(`Too many headers: at most ${MAX_HEADERS}`)
  return headers.map(({ Name, Value }) => {
    if (Name.length > MAX_HEADER_NAME || !/^[!-9;-~]+$/.test(Name)) {
      throw badRequest(`Invalid header name <${Name.slice(0, MAX_HEADER_NAME)}>`)
    }
    if (RESERVED.has(Name.toLowerCase())) throw badRequest(`Header <${Name}> is not allowed`)
    const tooLong = Value.length > MAX_HEADER_VALUE || Name.length + Value.length > MAX_HEADER
    if (tooLong || Value === '' || !/^[ -~]*$/.test(Value)) {
      throw badRequest(
        `Invalid value of header <${Name}>: 1 to ${MAX_HEADER_VALUE} printable ASCII characters`,
      )
    }
    return [Name, Value]
  })
}

export function checkSize(bytes: number): void {
  if (bytes <= MAX_MESSAGE_BYTES) return
  throw badRequest(`Message length is more than ${MAX_MESSAGE_BYTES} bytes long: '${bytes}'.`)
}

/** Removes NUL, which Postgres texts cannot contain. */
export const clean = (text: string): string => text.replaceAll('\u0000', '')
