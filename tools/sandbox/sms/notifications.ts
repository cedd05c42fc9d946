import { randomUUID } from 'node:crypto'

/** An event of a text, with the text. */
export interface TextEvent {
  kind: string
  isFinal: boolean
  occursAt: string
  textId: string
  acceptedAt: string
  sender: string
  country: string
  destination: string
  messageType: string
  context: Record<string, string>
  encoding: string
  parts: number
  price: number
  carrierFee: number
}

/** Source: End User Messaging SMS user guide, "Example event data". */
export const textEvent = (event: TextEvent): object => ({
  eventType: `TEXT_${event.kind}`,
  eventVersion: '1.0',
  eventTimestamp: Date.parse(event.occursAt),
  isFinal: event.isFinal,
  originationPhoneNumber: event.sender,
  destinationPhoneNumber: event.destination,
  isoCountryCode: event.country,
  messageId: event.textId,
  messageRequestTimestamp: Date.parse(event.acceptedAt),
  messageEncoding: event.encoding,
  messageType: event.messageType,
  messageStatus: event.kind,
  messageStatusDescription: `The sandbox says ${event.kind}`,
  context: event.context,
  totalMessageParts: event.parts,
  totalMessagePrice: event.price,
  totalCarrierFee: event.carrierFee,
})

/**
 * What a person wrote to a number with a two-way channel. Source: the user guide, "Example two-way
 * SMS message payload".
 */
export const inboundMessage = ({ from, to, body }: { from: string; to: string; body: string }) => ({
  originationNumber: from,
  destinationNumber: to,
  messageKeyword: body.trim().split(/\s+/, 1)[0]?.toUpperCase() ?? '',
  messageBody: body,
  inboundMessageId: randomUUID(),
  previousPublishedMessageId: randomUUID(),
})

interface Notification {
  id: string
  /** ARN. */
  topic: string
  message: object
  at: string
}

/** The envelope of SNS in a queue, without raw message delivery. */
export const notification = ({ id, topic, message, at }: Notification): string =>
  JSON.stringify({
    Type: 'Notification',
    MessageId: id,
    TopicArn: topic,
    Message: JSON.stringify(message),
    Timestamp: at,
    SignatureVersion: '1',
    Signature: 'the sandbox signs nothing',
    SigningCertURL: 'https://sns.invalid/SimpleNotificationService.pem',
    UnsubscribeURL: 'https://sns.invalid/?Action=Unsubscribe',
  })
