import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { createTexter, readTextAnswer } from '../../activities/aws/texter.ts'
import type { Text, Texter } from '../../activities/texter.ts'
import { ACCOUNT, type Fixture, REGION, startFixture } from '../dev/sandbox-fixture.ts'

/** The transport of text messages against the stand-in for the service, by its wire protocol. */

const SENDER = '+12065550100'
const PERSON = '+12065550199'

let fixture: Fixture
let texter: Texter
const before = process.env['AWS_ENDPOINT_URL']
beforeAll(async () => {
  fixture = await startFixture()
  process.env['AWS_ENDPOINT_URL'] = fixture.url
  const credentials = async () => ({ ...fixture.credentials })
  texter = createTexter({ roles: { credentials, forget: () => {} }, callMs: 60_000 })
  await fixture.control.putAccount(ACCOUNT, {
    region: REGION,
    sms: {
      tier: 'PRODUCTION',
      spendLimit: 1_000,
      senders: [
        {
          identity: SENDER,
          id: 'phone-1',
          type: 'TEN_DLC',
          country: 'US',
          status: 'ACTIVE',
          messageType: 'TRANSACTIONAL',
          partsPerSecond: 10_000,
          optOutList: 'Default',
          selfManagedOptOuts: false,
          twoWay: false,
        },
      ],
      configurationSets: [{ name: 'letterloom-1a2b3c4d', topic: 'texts' }],
    },
  })
})
beforeEach(async () => {
  await fixture.control.resetFaults()
  await fixture.control.clearTexts()
})
afterAll(async () => {
  if (before === undefined) delete process.env['AWS_ENDPOINT_URL']
  else process.env['AWS_ENDPOINT_URL'] = before
  await texter.close()
  await fixture.stop()
})

const iamRole = {
  organizationId: 'organization',
  connectionId: 'connection',
  accountId: ACCOUNT,
  region: REGION,
  externalId: '1a2b3c4d-external',
}
const send = (text: Partial<Text> = {}, { agoMs = 0, leftMs = 60_000 } = {}) =>
  texter.send(
    {
      to: PERSON,
      body: 'Your code is 1234: “ok”',
      sender: SENDER,
      context: { 'letterloom-message': 'bucket_id' },
      configurationSet: 'letterloom-1a2b3c4d',
      ...text,
    },
    {
      iamRole,
      signedAt: new Date(Date.now() - agoMs),
      beginBy: performance.now() + leftMs,
    },
  )
const texts = () => fixture.control.texts({ account: ACCOUNT })

test('a text is sent as it is, with its context, its set and as transactional', async () => {
  const outcome = await send()
  const [text] = await texts()
  expect(outcome).toEqual({ kind: 'sent', messageId: text?.id })
  expect(text).toMatchObject({
    sender: SENDER,
    destination: PERSON,
    body: 'Your code is 1234: “ok”',
    messageType: 'TRANSACTIONAL',
    context: { 'letterloom-message': 'bucket_id' },
    configurationSet: 'letterloom-1a2b3c4d',
  })
})

it.each([
  ['20', { kind: 'refused', reason: 'opted_out' }],
  ['21', { kind: 'refused', reason: 'number_not_verified' }],
  ['22', { kind: 'refused', reason: 'number_protected' }],
  ['23', { kind: 'refused', reason: 'number_protected' }],
  ['24', { kind: 'refused', reason: 'invalid_number' }],
  ['25', { kind: 'refused', reason: 'country_not_enabled' }],
  ['26', { kind: 'refused', reason: 'destination_country_blocked' }],
  ['27', { kind: 'refused', reason: 'invalid_identity_for_destination_country' }],
  ['28', { kind: 'refused', reason: 'price_over_threshold' }],
  ['29', { kind: 'refused', reason: 'sender_refused', ofSender: true }],
  ['30', { kind: 'refused', reason: 'sender_refused', ofSender: true }],
  ['31', { kind: 'refused', reason: 'sender_refused', ofSender: true }],
  ['32', { kind: 'refused', reason: 'sender_refused', ofSender: true }],
  ['33', { kind: 'throttled', scope: 'rate' }],
  ['34', { kind: 'unknown' }],
  ['35', { kind: 'unavailable', reason: 'account_suspended' }],
])('the answer of a number that ends in %s is %o', async (digits, outcome) => {
  const to = `+155501000${digits}`
  const { error: _error, ...found } = { error: '', ...(await send({ to })) }
  expect(found).toEqual(outcome)
})

it.each([
  ['the month’s money', { spendLimit: 0 }, {}, { kind: 'throttled', scope: 'quota' }],
  [
    'a set that does not exist',
    {},
    { configurationSet: 'other' },
    { kind: 'unavailable', reason: 'no_configuration_set' },
  ],
  ['a sender that does not exist', {}, { sender: 'phone-9' }, { ofSender: true }],
])('%s ends a call without a text', async (_what, sms, text, outcome) => {
  await fixture.control.putAccount(ACCOUNT, { sms })
  expect(await send(text)).toMatchObject(outcome)
  expect(await texts()).toEqual([])
  await fixture.control.putAccount(ACCOUNT, { sms: { spendLimit: 1_000 } })
})

describe('a text leaves once', () => {
  test('although the connection breaks after it was accepted: nobody repeats the call', async () => {
    await fixture.control.setFaults({ acceptThenResetPercent: 100 })
    expect(await send()).toMatchObject({ kind: 'unknown' })
    expect(await texts()).toHaveLength(1)
  })

  test('or not at all: a call that is late does not begin', async () => {
    expect(await send({}, { leftMs: 0 })).toEqual({ kind: 'not_begun' })
    expect(await texts()).toEqual([])
  })

  test('or not at all: the service refuses a call whose claim is old', async () => {
    expect(await send({}, { agoMs: 600_000 })).toMatchObject({ kind: 'unreachable', own: true })
    expect(await texts()).toEqual([])
  })
})

it.each([
  [502, '<html>Bad Gateway</html>', { kind: 'unknown' }],
  [503, '{"__type":"ServiceUnavailable"}', { kind: 'unknown' }],
  [200, '{}', { kind: 'unknown' }],
  [429, '', { kind: 'throttled', scope: 'rate' }],
  [400, '', { kind: 'refused', reason: 'provider_refused' }],
  [400, '[]', { kind: 'refused', reason: 'provider_refused' }],
  [
    400,
    '{"__type":"com.amazonaws.smsvoice#ExpiredTokenException"}',
    { kind: 'unreachable', own: true },
  ],
  [400, '{"__type":"AccessDeniedException"}', { kind: 'unavailable', reason: 'access_denied' }],
  [
    400,
    '{"__type":"ValidationException","Fields":[null,{"Name":7}]}',
    { kind: 'refused', reason: 'provider_refused' },
  ],
])('of %i %s the outcome is certain or unknown', (status, body, outcome) => {
  expect(readTextAnswer(status, body)).toMatchObject(outcome)
})
