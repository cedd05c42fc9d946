import { GetRolePolicyCommand, IAMClient } from '@aws-sdk/client-iam'
import { GetEmailIdentityCommand, ListEmailIdentitiesCommand } from '@aws-sdk/client-sesv2'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ACCOUNT, failure, type Fixture, REGION, startFixture } from './sandbox-fixture.ts'

let sandbox: Fixture
beforeAll(async () => {
  sandbox = await startFixture()
})
beforeEach(() => sandbox.control.resetFaults())
afterAll(() => sandbox.stop())

const list = () => sandbox.ses.send(new ListEmailIdentitiesCommand({}))
const readPolicy = () => {
  const { credentials, url: endpoint } = sandbox
  const iam = new IAMClient({ region: 'us-east-1', endpoint, credentials, maxAttempts: 1 })
  const names = { RoleName: 'letterloom-1a2b3c4d', PolicyName: 'letterloom-console' }
  return iam.send(new GetRolePolicyCommand(names))
}

test('calls that send nothing can be throttled, while mail goes on', async () => {
  await sandbox.control.setFaults({ readThrottlePercent: 100 }, ACCOUNT)
  expect((await failure(list())).name).toBe('TooManyRequestsException')
  expect((await failure(readPolicy())).name).toBe('Throttling')
  expect((await sandbox.send()).MessageId).toEqual(expect.any(String))
})

test('it can be slow, while mail is not', async () => {
  await sandbox.control.setFaults({ readLatencyMs: 3_000 }, ACCOUNT)
  const startedAt = performance.now()
  await sandbox.send()
  expect(performance.now() - startedAt).toBeLessThan(3_000)
  await Promise.all([list(), readPolicy()])
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2_990)
})

test('calls are counted by account and action, refused ones too', async () => {
  const before = await sandbox.control.calls(ACCOUNT)
  await sandbox.control.setFaults({ readThrottlePercent: 100 }, ACCOUNT)
  await failure(list())
  await sandbox.control.resetFaults()
  await list()
  await readPolicy()
  const after = await sandbox.control.calls(ACCOUNT)
  const more = (action: string) => (after[action] ?? 0) - (before[action] ?? 0)
  expect([more('ses:ListEmailIdentities'), more('iam:GetRolePolicy')]).toEqual([2, 1])
  expect(await sandbox.control.calls('999999999999')).toEqual({})
})

test('an identity can have a MAIL FROM domain and a configuration set', async () => {
  const identity = { identity: 'own.example', verified: true }
  await sandbox.control.putAccount(ACCOUNT, {
    region: REGION,
    identities: [{ ...identity, mailFromDomain: 'm.own.example', configurationSet: 'news' }],
  })
  const command = new GetEmailIdentityCommand({ EmailIdentity: 'own.example' })
  expect(await sandbox.ses.send(command)).toMatchObject({
    MailFromAttributes: { MailFromDomain: 'm.own.example', MailFromDomainStatus: 'SUCCESS' },
    ConfigurationSetName: 'news',
  })
})
