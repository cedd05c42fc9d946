import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../tools/sandbox/settings.ts'
import { ACCOUNT, type Fixture, startFixture, startReceiver, until } from './sandbox-fixture.ts'

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
    engagement: { openPercent: 0, clickPercent: 0, deliveryDelayMs: 0 },
    lostRecipients: [],
  })
})
afterEach(async () => {
  await sandbox.control.clear()
  await sandbox.control.resetFaults()
  await sandbox.control.setSettings(DEFAULT_SETTINGS)
  await receiver.stop()
})

const sendTo = async (address: string): Promise<string> => {
  const { MessageId } = await sandbox.send({ Destination: { ToAddresses: [address] } })
  return MessageId ?? ''
}
const stats = () => sandbox.control.eventStats()
const settled = () => until('all events', async () => (await stats()).pending === 0)
const recipients = () => receiver.received.map(({ detail }) => detail.mail.destination[0])

describe('after an outage', () => {
  test('a new event overtakes those that wait, also after a restart of the sandbox', async () => {
    await sandbox.control.setSettings({ eventRetryFirstMs: 360_000 })
    receiver.state.status = 503
    const old = await sendTo('old@example.com')
    await until('a refusal each', async () => (await stats()).retried === 2)
    receiver.state.status = 200
    await sandbox.restart()
    await sendTo('new@example.com')
    await until('the new events', () => receiver.received.length === 2)
    expect(recipients()).toEqual(['new@example.com', 'new@example.com'])
    const { events } = await sandbox.control.mail(old)
    const waits = events.map(({ dueAt, occursAt }) => Date.parse(dueAt) - Date.parse(occursAt))
    expect(events.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['pending', 1],
      ['pending', 1],
    ])
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(270_000)
  })

  test('everything comes in the end, in short form too', async () => {
    await sandbox.control.setSettings({ eventTimeScale: 1 / 60 })
    receiver.state.status = 500
    await Promise.all(Array.from({ length: 10 }, (_, n) => sendTo(`r${n}@example.com`)))
    // Five gaps: 31 s of the real bus.
    await until('five refusals each', async () => (await stats()).retried >= 100)
    receiver.state.status = 200
    await settled()
    expect(receiver.received).toHaveLength(20)
    expect(await stats()).toMatchObject({ delivered: 20, dropped: 0 })
  })
})

describe('a webhook that', () => {
  test('answers later than the timeout is asked again', async () => {
    await sandbox.control.setSettings({ eventTimeoutMs: 300, eventTimeScale: 0.1 })
    receiver.state.delayMs = 5_000
    await sendTo('ada@example.com')
    await until('a repetition', async () => (await stats()).retried >= 3)
    receiver.state.delayMs = 0
    await settled()
    expect(await stats()).toMatchObject({ delivered: 2, dropped: 0 })
  })

  test('says Retry-After is left alone so long', async () => {
    await sandbox.control.setSettings({ eventTimeScale: 0.01 })
    Object.assign(receiver.state, { status: 429, answerHeaders: { 'retry-after': '600' } })
    const id = await sendTo('ada@example.com')
    const waitsMs = async () =>
      (await sandbox.control.mail(id)).events.map(
        ({ dueAt, occursAt }) => Date.parse(dueAt) - Date.parse(occursAt),
      )
    // A refusal is counted before what it means is written.
    await until('a refusal each', async () => (await waitsMs()).every((ms) => ms >= 600_000))
    expect(await waitsMs()).toHaveLength(2)
    expect(await stats()).toMatchObject({ delivered: 0, retried: 2 })
  })

  test('never takes an event loses it after so many repetitions', async () => {
    await sandbox.control.setSettings({ eventTimeScale: 0.01, eventMaxRetries: 3 })
    receiver.state.status = 503
    await sendTo('ada@example.com')
    await settled()
    expect(await stats()).toMatchObject({ delivered: 0, dropped: 2, retried: 6 })
    expect(receiver.state.paths).toHaveLength(8)
  })
})

describe('the rate of the destination', () => {
  test('holds events back, which leave in the order they came', async () => {
    await sandbox.control.setSettings({ eventRatePerSecond: 20 })
    await sandbox.control.setFaults({ eventsStopped: true })
    for (let n = 0; n < 15; n++) await sendTo(`r${n}@example.com`)
    await sandbox.control.resetFaults()
    const startedAt = performance.now()
    await settled()
    // 30 posts, the first two at once.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_350)
    expect(receiver.received).toHaveLength(30)
    const sends = receiver.received.filter(({ detail }) => detail.eventType === 'Send')
    const order = sends.map(({ detail }) => detail.mail.destination[0])
    // Neighbours are in flight together, so one may pass the other.
    for (const [index, address] of order.entries()) {
      expect(Math.abs(Number(/\d+/.exec(address ?? '')?.[0]) - index)).toBeLessThanOrEqual(2)
    }
  })

  test('of one does not hold back another', async () => {
    await sandbox.control.putAccount(ACCOUNT, {
      webhooks: [
        { url: `${receiver.url}/slow`, secret: 'one' },
        { url: `${receiver.url}/quick`, secret: 'two' },
      ],
    })
    await sandbox.control.setSettings({ eventRatePerSecond: 1 })
    for (let n = 0; n < 5; n++) await sendTo(`r${n}@example.com`)
    await until('one of each', () =>
      ['slow', 'quick'].every((name) => receiver.state.paths.some((path) => path.endsWith(name))),
    )
    expect((await stats()).pending).toBeGreaterThan(0)
  })
})

describe('events are lost', () => {
  test('of one recipient, and of nobody else', async () => {
    await sandbox.control.putAccount(ACCOUNT, { lostRecipients: ['ada@example.com'] })
    const lost = await sendTo('Ada@example.com')
    await sendTo('bob@example.com')
    await settled()
    expect(recipients()).toEqual(['bob@example.com', 'bob@example.com'])
    expect((await sandbox.control.mail(lost)).events).toEqual([])
  })

  test('of one mail that is still to be reported', async () => {
    await sandbox.control.setFaults({ eventsStopped: true })
    const lost = await sendTo('ada@example.com')
    await sendTo('bob@example.com')
    expect(await sandbox.control.loseEvents(lost)).toEqual({ lost: 2 })
    await sandbox.control.resetFaults()
    await settled()
    expect(recipients()).toEqual(['bob@example.com', 'bob@example.com'])
    expect(await stats()).toMatchObject({ delivered: 2, dropped: 2 })
  })

  test('of everybody while nothing publishes them', async () => {
    await sandbox.control.setFaults({ eventsOff: true })
    const lost = await sendTo('ada@example.com')
    await sandbox.control.resetFaults()
    await sendTo('bob@example.com')
    await settled()
    expect(recipients()).toEqual(['bob@example.com', 'bob@example.com'])
    expect((await sandbox.control.mail(lost)).events).toEqual([])
  })
})

test('any order: each within the window after its mail', async () => {
  await sandbox.control.setFaults({ eventShuffle: true, eventShuffleMs: 600_000 })
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => sendTo(`r${n}@example.com`)))
  const mails = await Promise.all(ids.map((id) => sandbox.control.mail(id)))
  const waits = mails.flatMap(({ acceptedAt, events }) =>
    events.map(({ dueAt }) => Date.parse(dueAt) - Date.parse(acceptedAt)),
  )
  expect(waits).toHaveLength(40)
  expect(Math.max(...waits)).toBeLessThanOrEqual(600_000)
  expect(Math.max(...waits)).toBeGreaterThan(200_000)
  const passed = mails.filter(({ events }) => {
    const due = (kind: string) => Date.parse(events.find((each) => each.kind === kind)?.dueAt ?? '')
    return due('Delivery') < due('Send')
  })
  expect(passed.length).toBeGreaterThan(0)
})
