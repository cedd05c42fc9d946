import {
  DescribeAccountAttributesCommand,
  DescribeOptedOutNumbersCommand,
  DescribePhoneNumbersCommand,
  DescribePoolsCommand,
  DescribeSenderIdsCommand,
  DescribeSpendLimitsCommand,
  ListPoolOriginationIdentitiesCommand,
  PinpointSMSVoiceV2Client,
  SendTextMessageCommand,
  type SendTextMessageCommandInput,
} from '@aws-sdk/client-pinpoint-sms-voice-v2'
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countParts } from '../../tools/sandbox/sms/parts.ts'
import type { SmsSettings } from '../../tools/sandbox/sms/settings.ts'
import { ACCOUNT, type Fixture, REGION, startFixture } from './sandbox-fixture.ts'

let fixture: Fixture
let sms: PinpointSMSVoiceV2Client
let sqs: SQSClient

const NUMBER = '+12065550100'
const PERSON = '+12065550199'
const QUEUE_URL = `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/letterloom-texts`

const SENDER: SmsSettings['senders'][number] = {
  identity: NUMBER,
  id: 'phone-1',
  type: 'TOLL_FREE',
  country: 'US',
  status: 'ACTIVE',
  messageType: 'PROMOTIONAL',
  partsPerSecond: 1_000,
  optOutList: 'Default',
  selfManagedOptOuts: false,
  pool: 'pool-1',
  twoWay: true,
}
const SMS: SmsSettings = {
  tier: 'PRODUCTION',
  verifiedDestinations: [],
  spendLimit: 1_000,
  price: 0.01,
  carrierFee: 0.002,
  senders: [SENDER],
  configurationSets: [{ name: 'our-set', topic: 'letterloom-sms', queue: 'letterloom-texts' }],
  eventDelayMs: 1,
  finalDelayMs: 1,
}

beforeAll(async () => {
  fixture = await startFixture()
  const { credentials, url: endpoint } = fixture
  sms = new PinpointSMSVoiceV2Client({ region: REGION, endpoint, credentials, maxAttempts: 1 })
  sqs = new SQSClient({ region: REGION, endpoint, credentials, maxAttempts: 1 })
})
beforeEach(async () => {
  await fixture.control.clearTexts()
  await fixture.control.resetFaults()
  await fixture.control.putAccount(ACCOUNT, {
    region: REGION,
    queues: [{ name: 'letterloom-texts' }],
    sms: SMS,
  })
  await drain()
})
afterAll(() => fixture.stop())

const send = (input: Partial<SendTextMessageCommandInput> = {}) =>
  sms.send(
    new SendTextMessageCommand({
      DestinationPhoneNumber: PERSON,
      OriginationIdentity: 'pool-1',
      MessageBody: 'Hello',
      ConfigurationSetName: 'our-set',
      Context: { 'letterloom-message': 'a_b' },
      ...input,
    }),
  )
const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: { name: string; Reason?: string }) => thrown,
  )
  return [error?.name, error?.Reason]
}

interface Notified {
  TopicArn: string
  MessageId: string
  Timestamp: string
  message: Record<string, unknown>
}

async function receive(): Promise<Notified[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: QUEUE_URL, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
  )
  for (const { ReceiptHandle } of Messages) {
    await sqs.send(new DeleteMessageCommand({ QueueUrl: QUEUE_URL, ReceiptHandle }))
  }
  return Messages.map(({ Body = '' }) => {
    const envelope = JSON.parse(Body)
    return { ...envelope, message: JSON.parse(envelope.Message) }
  })
}
/**
 * Receives until there are so many events of a text, and returns the final one last: the queue
 * keeps no order. Other texts' events may come, too.
 */
async function receiveAll(count: number, messageId: string | undefined): Promise<Notified[]> {
  const all: Notified[] = []
  while (all.length < count) {
    all.push(...(await receive()).filter(({ message }) => message['messageId'] === messageId))
  }
  const isFinal = ({ message }: Notified) => Number(message['isFinal'])
  return all.toSorted((one, other) => isFinal(one) - isFinal(other))
}
async function drain(): Promise<void> {
  const queue = { region: REGION, name: 'letterloom-texts' }
  while ((await fixture.control.queue(ACCOUNT, queue)).visible > 0) await receive()
}

describe('a text', () => {
  it('is accepted once, and its events carry its context, parts and price', async () => {
    const { MessageId } = await send({ MessageBody: 'x'.repeat(161) })
    const [text] = await fixture.control.texts({ account: ACCOUNT })
    expect(text).toMatchObject({ id: MessageId, sender: NUMBER, destination: PERSON, parts: 2 })
    const events = await receiveAll(2, MessageId)
    expect(events.map(({ message }) => [message['eventType'], message['isFinal']])).toEqual([
      ['TEXT_QUEUED', false],
      ['TEXT_DELIVERED', true],
    ])
    expect(events[1]).toMatchObject({
      TopicArn: `arn:aws:sns:${REGION}:${ACCOUNT}:letterloom-sms`,
      message: {
        messageId: MessageId,
        destinationPhoneNumber: PERSON,
        context: { 'letterloom-message': 'a_b' },
        messageEncoding: 'GSM',
        totalMessageParts: 2,
        totalMessagePrice: 0.02,
      },
    })
  })

  it('without a configuration set is heard of no more', async () => {
    const { MessageId: silentId } = await send({ ConfigurationSetName: undefined })
    const { MessageId } = await send()
    const received = await receive()
    while (received.filter(({ message }) => message['messageId'] === MessageId).length < 2) {
      received.push(...(await receive()))
    }
    expect(received.filter(({ message }) => message['messageId'] === silentId)).toEqual([])
    expect(await fixture.control.texts()).toHaveLength(2)
  })

  it('that is only a trial is checked and not sent', async () => {
    expect((await send({ DryRun: true })).MessageId).toEqual(expect.any(String))
    expect(await refusal(send({ DryRun: true, ConfigurationSetName: 'other' }))).toEqual([
      'ResourceNotFoundException',
      undefined,
    ])
    expect(await fixture.control.texts()).toEqual([])
  })

  it('is stored although the connection breaks before the answer', async () => {
    await fixture.control.setFaults({ acceptThenResetPercent: 100 })
    await expect(send()).rejects.toMatchObject({ name: expect.any(String) })
    expect(await fixture.control.texts()).toHaveLength(1)
  })

  it.each([
    ['01', 'TEXT_INVALID'],
    ['04', 'TEXT_BLOCKED'],
    ['06', 'TEXT_SPAM'],
    ['10', 'TEXT_UNKNOWN'],
    ['12', 'TEXT_PENDING'],
  ])('to a number that ends in %s becomes %s', async (digits, kind) => {
    const { MessageId } = await send({ DestinationPhoneNumber: `+155501000${digits}` })
    const kinds = (await receiveAll(2, MessageId)).map(({ message }) => message['eventType'])
    expect(new Set(kinds)).toEqual(new Set(['TEXT_QUEUED', kind]))
  })
})

describe('a refusal', () => {
  it.each([
    ['20', 'ConflictException', 'DESTINATION_PHONE_NUMBER_OPTED_OUT'],
    ['24', 'ValidationException', 'INVALID_PARAMETER'],
    ['27', 'ValidationException', 'INVALID_IDENTITY_FOR_DESTINATION_COUNTRY'],
    ['29', 'ConflictException', 'NO_ORIGINATION_IDENTITIES_FOUND'],
    ['32', 'ResourceNotFoundException', undefined],
    ['33', 'ThrottlingException', undefined],
    ['34', 'InternalServerException', undefined],
    ['35', 'AccessDeniedException', 'ACCOUNT_DISABLED'],
  ])('of a number that ends in %s is %s %s', async (digits, name, reason) => {
    const work = send({ DestinationPhoneNumber: `+155501000${digits}` })
    expect(await refusal(work)).toEqual([name, reason])
  })

  it.each([
    ['a body that is too long', { MessageBody: 'x'.repeat(1_531) }, 'MAXIMUM_SIZE_EXCEEDED'],
    ['a long body in Unicode', { MessageBody: 'ж'.repeat(631) }, 'MAXIMUM_SIZE_EXCEEDED'],
    ['no number', { DestinationPhoneNumber: 'nobody' }, 'INVALID_PARAMETER'],
    [
      'six values',
      { Context: { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' } },
      'INVALID_PARAMETER',
    ],
    ['a low price', { MaxPrice: '0.001' }, 'PRICE_OVER_THRESHOLD'],
  ])('is given for %s', async (_what, input, reason) => {
    expect(await refusal(send(input))).toEqual(['ValidationException', reason])
  })

  it('is given beyond the rate of parts, and beyond the month’s money', async () => {
    const slow = { ...SENDER, identity: '+12065550101', id: 'phone-2', partsPerSecond: 1 }
    const { pool: _pool, ...alone } = slow
    await fixture.control.putAccount(ACCOUNT, { sms: { senders: [SENDER, alone] } })
    const burst = await Promise.all(
      Array.from({ length: 4 }, () => refusal(send({ OriginationIdentity: 'phone-2' }))),
    )
    expect(burst.filter(([name]) => name === 'ThrottlingException').length).toBeGreaterThan(1)
    await fixture.control.putAccount(ACCOUNT, { sms: { spendLimit: 0 } })
    expect(await refusal(send())).toEqual([
      'ServiceQuotaExceededException',
      'MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT',
    ])
  })

  it('is given to a sender that is not active, of another kind, or unknown', async () => {
    expect(await refusal(send({ OriginationIdentity: 'phone-9' }))).toEqual([
      'ResourceNotFoundException',
      undefined,
    ])
    expect(await refusal(send({ MessageType: 'TRANSACTIONAL' }))).toEqual([
      'ConflictException',
      'MESSAGE_TYPE_MISMATCH',
    ])
    await fixture.control.putAccount(ACCOUNT, {
      sms: { senders: [{ ...SENDER, status: 'PENDING' }] },
    })
    expect(await refusal(send())).toEqual(['ConflictException', 'RESOURCE_NOT_ACTIVE'])
  })
})

describe('who writes STOP', () => {
  const write = (body: string) =>
    fixture.control.writeText(ACCOUNT, REGION, { from: PERSON, to: NUMBER, body })

  it('is on the list, gets no more, and nobody else hears of it; START is passed on', async () => {
    expect(await write('Stop')).toEqual({ isOptedOut: true, isPublished: false })
    expect(await refusal(send())).toEqual([
      'ConflictException',
      'DESTINATION_PHONE_NUMBER_OPTED_OUT',
    ])
    const list = new DescribeOptedOutNumbersCommand({ OptOutListName: 'Default' })
    const { OptedOutNumbers = [] } = await sms.send(list)
    expect(OptedOutNumbers).toEqual([
      { OptedOutNumber: PERSON, OptedOutTimestamp: expect.any(Date), EndUserOptedOut: true },
    ])
    expect(await write('START')).toEqual({ isOptedOut: false, isPublished: true })
    const received: Notified[] = []
    const isInbound = ({ message }: Notified) => 'messageKeyword' in message
    while (!received.some(isInbound)) received.push(...(await receive()))
    expect(received.find(isInbound)?.message).toMatchObject({
      originationNumber: PERSON,
      destinationNumber: NUMBER,
      messageKeyword: 'START',
    })
    await send()
  })

  it('is passed on where opt-outs are managed by the customer', async () => {
    await fixture.control.putAccount(ACCOUNT, {
      sms: { senders: [{ ...SENDER, selfManagedOptOuts: true }] },
    })
    expect(await write('stop')).toEqual({ isOptedOut: false, isPublished: true })
    await send()
  })
})

it('numbers, sender ids, pools, limits and the tier can be read', async () => {
  const name = { ...SENDER, identity: 'LETTERS', id: 'sender-1', type: 'SENDER_ID' } as const
  const { pool: _pool, ...senderId } = name
  await fixture.control.putAccount(ACCOUNT, { sms: { senders: [SENDER, senderId] } })
  const numbers = await sms.send(new DescribePhoneNumbersCommand({}))
  expect(numbers.PhoneNumbers).toMatchObject([
    { PhoneNumber: NUMBER, NumberType: 'TOLL_FREE', Status: 'ACTIVE', OptOutListName: 'Default' },
  ])
  const senderIds = await sms.send(new DescribeSenderIdsCommand({}))
  expect(senderIds.SenderIds).toMatchObject([{ SenderId: 'LETTERS', IsoCountryCode: 'US' }])
  const pools = await sms.send(new DescribePoolsCommand({}))
  expect(pools.Pools).toMatchObject([{ PoolId: 'pool-1', SelfManagedOptOutsEnabled: false }])
  const members = await sms.send(new ListPoolOriginationIdentitiesCommand({ PoolId: 'pool-1' }))
  expect(members.OriginationIdentities).toMatchObject([{ PhoneNumber: NUMBER }])
  const tier = await sms.send(new DescribeAccountAttributesCommand({}))
  expect(tier.AccountAttributes).toEqual([{ Name: 'ACCOUNT_TIER', Value: 'PRODUCTION' }])
  const limits = await sms.send(new DescribeSpendLimitsCommand({}))
  expect(limits.SpendLimits).toMatchObject([{ EnforcedLimit: 1_000, Overridden: false }])
})

it.each([
  ['', 1, 'GSM'],
  ['x'.repeat(160), 1, 'GSM'],
  ['x'.repeat(161), 2, 'GSM'],
  ['x'.repeat(306), 2, 'GSM'],
  ['x'.repeat(307), 3, 'GSM'],
  ['€'.repeat(80), 1, 'GSM'],
  ['€'.repeat(81), 2, 'GSM'],
  [`${'x'.repeat(152)}€${'x'.repeat(152)}`, 3, 'GSM'],
  ['ç', 1, 'UNICODE'],
  ['ж'.repeat(70), 1, 'UNICODE'],
  ['ж'.repeat(71), 2, 'UNICODE'],
  ['😀'.repeat(35), 1, 'UNICODE'],
  ['😀'.repeat(36), 2, 'UNICODE'],
  [`${'ж'.repeat(66)}😀${'ж'.repeat(66)}`, 3, 'UNICODE'],
])('%s has %i parts in %s', (text, parts, encoding) => {
  expect(countParts(text)).toMatchObject({ parts, encoding })
})
