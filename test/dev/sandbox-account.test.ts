import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import {
  DeleteSuppressedDestinationCommand,
  GetAccountCommand,
  GetEmailIdentityCommand,
  GetSuppressedDestinationCommand,
  ListEmailIdentitiesCommand,
  ListSuppressedDestinationsCommand,
  PutSuppressedDestinationCommand,
} from '@aws-sdk/client-sesv2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNT, failure, type Fixture, REGION, startFixture } from './sandbox-fixture.ts'

let sandbox: Fixture
beforeAll(async () => {
  sandbox = await startFixture()
})
afterAll(() => sandbox.stop())

const ask = () => sandbox.ses.send(new GetAccountCommand({}))

describe('GetAccount', () => {
  test('tells quota, use and standing', async () => {
    await sandbox.send({ Destination: { ToAddresses: ['a@example.com', 'b@example.com'] } })
    expect(await ask()).toMatchObject({
      EnforcementStatus: 'HEALTHY',
      ProductionAccessEnabled: true,
      SendingEnabled: true,
      SendQuota: { Max24HourSend: 1_000_000, MaxSendRate: 10_000, SentLast24Hours: 2 },
      PricingAttributes: { CurrentPlan: 'NONE' },
    })
  })

  test('shows what is switched on', async () => {
    await sandbox.control.setFaults({ suspended: true })
    expect(await ask()).toMatchObject({ EnforcementStatus: 'SHUTDOWN', SendingEnabled: false })
    await sandbox.control.resetFaults()
    await sandbox.control.putAccount(ACCOUNT, {
      enforcementStatus: 'PROBATION',
      pricingPlan: 'PRO',
    })
    expect(await ask()).toMatchObject({
      EnforcementStatus: 'PROBATION',
      SendingEnabled: true,
      PricingAttributes: { CurrentPlan: 'PRO' },
    })
    await sandbox.control.putAccount(ACCOUNT, { enforcementStatus: 'HEALTHY', pricingPlan: 'NONE' })
  })

  test('of a region nobody set up is that of a new account', async () => {
    const elsewhere = sandbox.client({ region: 'us-east-1' })
    expect(await elsewhere.send(new GetAccountCommand({}))).toMatchObject({
      ProductionAccessEnabled: false,
      SendQuota: { Max24HourSend: 200, MaxSendRate: 1, SentLast24Hours: 0 },
    })
  })
})

describe('identities', () => {
  test('are listed in pages, with a filter', async () => {
    const list = (input = {}) => sandbox.ses.send(new ListEmailIdentitiesCommand(input))
    const first = await list({ PageSize: 1 })
    expect(first.EmailIdentities).toEqual([
      {
        IdentityType: 'DOMAIN',
        IdentityName: 'letterloom.example',
        SendingEnabled: true,
        VerificationStatus: 'SUCCESS',
      },
    ])
    const second = await list({ PageSize: 1, NextToken: first.NextToken })
    expect(second.EmailIdentities?.map(({ IdentityName }) => IdentityName)).toEqual([
      'pending.example',
    ])
    expect(second.NextToken).toBeUndefined()
    const pending = await list({ Filter: { VERIFICATION_STATUS: 'PENDING' } })
    expect(pending.EmailIdentities).toHaveLength(1)
    expect((await failure(list({ PageSize: 1_001 }))).name).toBe('BadRequestException')
  })

  test('tell their state, or that they are not there', async () => {
    const get = (EmailIdentity: string) =>
      sandbox.ses.send(new GetEmailIdentityCommand({ EmailIdentity }))
    expect(await get('letterloom.example')).toMatchObject({
      IdentityType: 'DOMAIN',
      VerifiedForSendingStatus: true,
      DkimAttributes: { SigningEnabled: true, Status: 'SUCCESS' },
    })
    expect(await get('pending.example')).toMatchObject({ VerifiedForSendingStatus: false })
    const missing = await failure(get('me@nowhere.example'))
    expect(missing).toMatchObject({
      name: 'NotFoundException',
      $metadata: { httpStatusCode: 404 },
    })
  })
})

test('the suppression list takes, shows, filters, pages and forgets addresses', async () => {
  const put = (EmailAddress: string, Reason: 'BOUNCE' | 'COMPLAINT') =>
    sandbox.ses.send(new PutSuppressedDestinationCommand({ EmailAddress, Reason }))
  const list = (input = {}) => sandbox.ses.send(new ListSuppressedDestinationsCommand(input))
  const get = (EmailAddress: string) =>
    sandbox.ses.send(new GetSuppressedDestinationCommand({ EmailAddress }))

  await put('Gone+1@example.com', 'BOUNCE')
  await put('angry@example.com', 'COMPLAINT')
  expect((await get('gone+1@example.com')).SuppressedDestination).toMatchObject({
    EmailAddress: 'gone+1@example.com',
    Reason: 'BOUNCE',
    LastUpdateTime: expect.any(Date),
  })
  const complaints = await list({ Reasons: ['COMPLAINT'] })
  expect(complaints.SuppressedDestinationSummaries).toMatchObject([
    { EmailAddress: 'angry@example.com', Reason: 'COMPLAINT' },
  ])
  const first = await list({ PageSize: 1 })
  expect(first.SuppressedDestinationSummaries).toHaveLength(1)
  const rest = await list({ PageSize: 1, NextToken: first.NextToken })
  expect(rest.SuppressedDestinationSummaries?.[0]?.EmailAddress).toBe('angry@example.com')
  const later = await list({ StartDate: new Date(Date.now() + 60_000) })
  expect(later.SuppressedDestinationSummaries).toEqual([])

  await sandbox.restart()
  const remove = () =>
    sandbox.ses.send(new DeleteSuppressedDestinationCommand({ EmailAddress: 'GONE+1@example.com' }))
  await remove()
  expect((await failure(remove())).name).toBe('NotFoundException')
  expect((await failure(get('gone+1@example.com'))).name).toBe('NotFoundException')
})

test('CloudWatch tells the shares of bounces and complaints, and nothing without mail', async () => {
  await sandbox.control.clear()
  const client = new CloudWatchClient({
    region: REGION,
    endpoint: sandbox.url,
    credentials: sandbox.credentials,
  })
  const ask = async () => {
    const { MetricDataResults: results = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(Date.now() - 86_400_000),
        EndTime: new Date(Date.now() + 60_000),
        MetricDataQueries: ['Reputation.BounceRate', 'Reputation.ComplaintRate'].map(
          (MetricName, n) => ({
            Id: `m${n}`,
            MetricStat: {
              Metric: { Namespace: 'AWS/SES', MetricName },
              Period: 3_600,
              Stat: 'Average',
            },
          }),
        ),
      }),
    )
    return results.map(({ Id, Values, Timestamps }) => [Id, Values, Timestamps?.length])
  }
  expect(await ask()).toEqual([
    ['m0', [], 0],
    ['m1', [], 0],
  ])
  const boxes = [
    'bounce+1',
    'complaint',
    'success',
    'success',
    'bounce+2',
    'ooto',
    'success',
    'success',
  ]
  for (const box of boxes) {
    await sandbox.send({ Destination: { ToAddresses: [`${box}@simulator.amazonses.com`] } })
  }
  expect(await ask()).toEqual([
    ['m0', [0.25], 1],
    ['m1', [0.125], 1],
  ])
})
