import { PutSuppressedDestinationCommand, SendBulkEmailCommand } from '@aws-sdk/client-sesv2'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../tools/sandbox/settings.ts'
import {
  ACCOUNT,
  type Fixture,
  mail,
  REGION,
  SENDER,
  startFixture,
  startReceiver,
  until,
} from './sandbox-fixture.ts'

let sandbox: Fixture
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => {
  sandbox = await startFixture()
})
afterAll(() => sandbox.stop())
beforeEach(async () => {
  receiver = await startReceiver()
  await sandbox.control.clear()
  await sandbox.control.putAccount(ACCOUNT, {
    webhooks: [{ url: receiver.url, secret: 'whsec-1' }],
    engagement: { openPercent: 0, clickPercent: 0, deliveryDelayMs: 30 },
  })
})
afterEach(async () => {
  await sandbox.control.resetFaults()
  await sandbox.control.setSettings(DEFAULT_SETTINGS)
  await until('all events', async () => (await sandbox.control.eventStats()).pending === 0)
  await receiver.stop()
})

const sendTo = (address: string) =>
  sandbox.send({
    Destination: { ToAddresses: [address] },
    EmailTags: [
      { Name: 'letterloom-message', Value: 'bucket_id' },
      { Name: 'letterloom-batch', Value: 'batch-1' },
    ],
    ConfigurationSetName: 'main',
  })
const settled = () =>
  until('all events', async () => (await sandbox.control.eventStats()).pending === 0)

describe('delivery events', () => {
  test('are EventBridge envelopes with our secret and tags', async () => {
    const { MessageId } = await sendTo('ada@example.com')
    await settled()
    expect(receiver.kinds()).toEqual(['Send', 'Delivery'])
    expect(receiver.headers[0]).toMatchObject({
      'x-webhook-secret': 'whsec-1',
      'content-type': 'application/json; charset=utf-8',
    })
    const [send, delivery] = receiver.received
    expect(send).toMatchObject({
      version: '0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'detail-type': 'Email Sent',
      source: 'aws.ses',
      account: ACCOUNT,
      region: REGION,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      detail: {
        eventType: 'Send',
        send: {},
        mail: {
          messageId: MessageId,
          source: SENDER,
          sendingAccountId: ACCOUNT,
          destination: ['ada@example.com'],
          commonHeaders: { subject: 'Hello' },
          tags: {
            'letterloom-message': ['bucket_id'],
            'letterloom-batch': ['batch-1'],
            'ses:configuration-set': ['main'],
            'ses:from-domain': ['letterloom.example'],
            'ses:caller-identity': ['letterloom-1a2b3c4d'],
          },
        },
      },
    })
    const stored = await sandbox.control.mail(MessageId ?? '')
    expect(send?.detail.mail.timestamp).toBe(stored.acceptedAt)
    expect(delivery).toMatchObject({
      'detail-type': 'Email Delivered',
      detail: { delivery: { recipients: ['ada@example.com'], processingTimeMillis: 30 } },
    })
    expect(delivery?.id).not.toBe(send?.id)
  })

  const bounce = (bounceSubType: string, emailAddress: string) => ({
    bounce: {
      bounceType: 'Permanent',
      bounceSubType,
      bouncedRecipients: [{ emailAddress: `${emailAddress}@simulator.amazonses.com` }],
      feedbackId: expect.any(String) as string,
      timestamp: expect.any(String) as string,
    },
  })
  const complaint = {
    complaint: {
      complainedRecipients: [{ emailAddress: 'complaint@simulator.amazonses.com' }],
      complaintSubType: null,
      complaintFeedbackType: 'abuse',
    },
  }
  test.each<[box: string, kinds: string[], last: object]>([
    ['success', ['Send', 'Delivery'], { delivery: {} }],
    ['bounce+x', ['Send', 'Bounce'], bounce('General', 'bounce+x')],
    ['complaint', ['Send', 'Delivery', 'Complaint'], complaint],
    ['suppressionlist', ['Send', 'Bounce'], bounce('Suppressed', 'suppressionlist')],
    ['ooto', ['Send', 'Delivery'], { delivery: {} }],
  ])('the simulator: %s', async (box, kinds, last) => {
    await sendTo(`${box}@simulator.amazonses.com`)
    await settled()
    expect(receiver.kinds()).toEqual(kinds)
    expect(receiver.received.at(-1)?.detail).toMatchObject(last)
  })

  test('an address on the account suppression list bounces', async () => {
    await sandbox.ses.send(
      new PutSuppressedDestinationCommand({ EmailAddress: 'gone@example.com', Reason: 'BOUNCE' }),
    )
    await sendTo('Gone@example.com')
    await settled()
    expect(receiver.received.at(-1)?.detail).toMatchObject({
      eventType: 'Bounce',
      bounce: { bounceType: 'Permanent', bounceSubType: 'OnAccountSuppressionList' },
    })
  })

  test('opens and clicks follow, with a reader and a link', async () => {
    await sandbox.control.putAccount(ACCOUNT, {
      engagement: { openPercent: 100, clickPercent: 100 },
    })
    const html =
      '<a href="https://x.example/unsubscribe">Leave</a><a href="https://x.example/a?b=1&amp;c=2">Read</a>'
    await sandbox.send({
      Content: { Simple: { Subject: { Data: 's' }, Body: { Html: { Data: html } } } },
    })
    await settled()
    expect(receiver.kinds()).toEqual(['Send', 'Delivery', 'Open', 'Click'])
    const userAgent = expect.stringMatching(/^Mozilla/)
    expect(receiver.received[2]?.detail['open']).toMatchObject({ userAgent })
    expect(receiver.received[3]?.detail['click']).toMatchObject({
      userAgent,
      link: 'https://x.example/a?b=1&c=2',
    })
  })

  test('a template without its data is a rendering failure', async () => {
    await sandbox.ses.send(
      new SendBulkEmailCommand({
        FromEmailAddress: SENDER,
        DefaultContent: {
          Template: { TemplateContent: { Subject: '{{x}}', Text: 't' }, TemplateData: '{}' },
        },
        BulkEmailEntries: [{ Destination: { ToAddresses: ['ada@example.com'] } }],
      }),
    )
    await settled()
    expect(receiver.received[0]).toMatchObject({
      'detail-type': 'Email Rendering Failed',
      detail: { eventType: 'Rendering Failure', failure: { errorMessage: expect.any(String) } },
    })
  })

  test('go to every webhook of the account and region', async () => {
    await sandbox.control.putAccount(ACCOUNT, {
      webhooks: [
        { url: `${receiver.url}/one`, secret: 'one' },
        { url: `${receiver.url}/two`, secret: 'two', region: REGION },
        { url: `${receiver.url}/three`, secret: 'three', region: 'us-east-1' },
      ],
    })
    await sendTo('ada@example.com')
    await settled()
    const secrets = receiver.headers.map((each) => String(each['x-webhook-secret'])).sort()
    expect(secrets).toEqual(['one', 'one', 'two', 'two'])
  })
})

describe('a webhook that', () => {
  test('is down gets everything later, under the same ids', async () => {
    receiver.state.status = 503
    await sandbox.control.setSettings({ eventTimeScale: 0.1 })
    await sendTo('ada@example.com')
    await until('a retry', async () => (await sandbox.control.eventStats()).retried >= 2)
    expect((await sandbox.control.eventStats()).pending).toBe(2)
    await sandbox.restart()
    receiver.state.status = 200
    await settled()
    expect(receiver.kinds().toSorted()).toEqual(['Delivery', 'Send'])
    expect(await sandbox.control.eventStats()).toMatchObject({ delivered: 2, dropped: 0 })
  })

  test('refuses with 403 loses the event', async () => {
    receiver.state.status = 403
    await sendTo('ada@example.com')
    await settled()
    expect(receiver.state.paths).toHaveLength(2)
    expect(await sandbox.control.eventStats()).toMatchObject({ delivered: 0, dropped: 2 })
  })
})

describe('the switches of events', () => {
  test('stopped: they pile up and come when it is off', async () => {
    await sandbox.control.setFaults({ eventsStopped: true }, ACCOUNT)
    await sendTo('ada@example.com')
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(receiver.received).toEqual([])
    expect((await sandbox.control.eventStats()).pending).toBe(2)
    await sandbox.control.resetFaults(ACCOUNT)
    await settled()
    expect(receiver.kinds()).toEqual(['Send', 'Delivery'])
  })

  test('late: they wait that long', async () => {
    await sandbox.control.setFaults({ eventDelayMs: 3_000 })
    const startedAt = Date.now()
    await sendTo('ada@example.com')
    await until('the first', () => receiver.received.length > 0)
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(2_990)
    // The times inside are those of the mail, not of the post.
    const sent = Date.parse(receiver.received[0]?.detail.mail.timestamp ?? '')
    expect(sent - startedAt).toBeLessThan(2_900)
  })

  test('twice: the same envelope again', async () => {
    await sandbox.control.setFaults({ eventDuplicatePercent: 100 })
    await sendTo('ada@example.com')
    await settled()
    expect(receiver.received).toHaveLength(4)
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2)
  })

  test('in any order: nothing is missing', async () => {
    await sandbox.control.setFaults({ eventShuffle: true })
    await Promise.all(Array.from({ length: 20 }, (_, n) => sendTo(`r${n}@example.com`)))
    await settled()
    expect(receiver.kinds().toSorted()).toEqual([
      ...Array<string>(20).fill('Delivery'),
      ...Array<string>(20).fill('Send'),
    ])
    expect(receiver.kinds().slice(0, 20)).toContain('Delivery')
  })
})

test('an account without a webhook makes no events', async () => {
  await sandbox.control.putAccount(ACCOUNT, { webhooks: [] })
  const { MessageId } = await sandbox.send(mail())
  expect((await sandbox.control.mail(MessageId ?? '')).events).toEqual([])
})
