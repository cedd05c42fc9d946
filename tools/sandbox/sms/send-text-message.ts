import { randomUUID } from 'node:crypto'
import type { SmsCall } from './call.ts'
import { conflict, notFound, quotaExceeded, smsRefusal, validation } from './errors.ts'
import { refusalOf, reportOf } from './magic.ts'
import { countParts } from './parts.ts'
import type { SmsSender } from './settings.ts'
import { readSendTextMessage, type SendTextMessage } from './wire.ts'

/** Longest texts that are accepted, in septets and in UTF-16 units. */
const MOST_GSM = 1_530
const MOST_UNICODE = 630

/** SendTextMessage: one text to one number. It has no token that makes it safe to repeat. */
export async function sendTextMessage({ deps, account, body }: SmsCall): Promise<object> {
  const request = readSendTextMessage(body)
  const { DestinationPhoneNumber: given, MessageBody: text = '', DryRun: isTrial = false } = request
  const destination = given.startsWith('+') ? given : `+${given}`
  const counted = countParts(text)
  if (text === '') throw validation('INVALID_PARAMETER', 'MessageBody')
  if (counted.length > (counted.encoding === 'GSM' ? MOST_GSM : MOST_UNICODE)) {
    throw validation('MAXIMUM_SIZE_EXCEEDED', 'MessageBody')
  }
  const refused = refusalOf(destination)
  if (refused) throw refused
  const { sms } = account
  const set = request.ConfigurationSetName ?? null
  if (set !== null && !sms.configurationSets.some(({ name }) => name === set)) {
    throw notFound('configuration-set')
  }
  const sender = findSender(sms.senders, request)
  if (sms.tier === 'SANDBOX' && !sms.verifiedDestinations.includes(destination)) {
    throw conflict('DESTINATION_PHONE_NUMBER_NOT_VERIFIED', 'verified-destination-number')
  }
  const { optOutList, selfManagedOptOuts } = sender
  const { texts, rates } = deps.sms
  if (!selfManagedOptOuts && (await texts.optedOut.has(account, optOutList, destination))) {
    throw conflict('DESTINATION_PHONE_NUMBER_OPTED_OUT', 'opted-out-number')
  }
  const price = (sms.price + sms.carrierFee) * counted.parts
  if (request.MaxPrice !== undefined && sms.price > Number(request.MaxPrice)) {
    throw validation('PRICE_OVER_THRESHOLD', 'MaxPrice')
  }
  if (isTrial) return { MessageId: randomUUID() }
  if ((await texts.spent(account)) + price > sms.spendLimit) {
    throw quotaExceeded('MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT')
  }
  if (!rates.take(account.accountNumber, sender, counted.parts)) {
    throw smsRefusal(400, 'ThrottlingException', 'Rate exceeded')
  }
  const id = await texts.accept({
    ...counted,
    account,
    sender,
    destination,
    body: text,
    messageType: request.MessageType ?? 'PROMOTIONAL',
    context: request.Context ?? {},
    configurationSet: set,
    report: reportOf(destination),
  })
  return { MessageId: id }
}

/** The sender that is named by its number, its id, its ARN or a pool of it; else any. */
function findSender(
  senders: readonly SmsSender[],
  { OriginationIdentity: wanted, MessageType: messageType }: SendTextMessage,
): SmsSender {
  const name = wanted?.replace(/^arn:[^/]+\//, '')
  const named = senders.filter(
    ({ identity, id, pool }) =>
      name === undefined || name === identity || name === id || name === pool,
  )
  if (named.length === 0) {
    if (name === undefined) throw conflict('NO_ORIGINATION_IDENTITIES_FOUND', 'phone-number')
    throw notFound(name.startsWith('pool-') ? 'pool' : 'phone-number')
  }
  const active = named.filter(({ status }) => status === 'ACTIVE')
  if (active.length === 0) throw conflict('RESOURCE_NOT_ACTIVE', 'phone-number')
  const [sender] = active.filter(
    (each) => messageType === undefined || each.messageType === messageType,
  )
  if (sender === undefined) throw conflict('MESSAGE_TYPE_MISMATCH', 'phone-number')
  return sender
}
