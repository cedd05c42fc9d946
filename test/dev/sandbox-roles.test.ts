import { GetRolePolicyCommand, IAMClient } from '@aws-sdk/client-iam'
import { GetAccountCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSigner } from '../../activities/aws/signature.ts'
import {
  ACCOUNT,
  failure,
  type Fixture,
  OPERATOR,
  REGION,
  ROLE,
  startFixture,
} from './sandbox-fixture.ts'

let sandbox: Fixture
beforeAll(async () => {
  sandbox = await startFixture()
})
afterAll(() => sandbox.stop())

const askAccount = (client: SESv2Client) => client.send(new GetAccountCommand({}))

describe('AssumeRole', () => {
  test('gives credentials that act as the role in its account', async () => {
    const credentials = await sandbox.assume({ DurationSeconds: 900 })
    const left = credentials.expiration.getTime() - Date.now()
    expect(left).toBeGreaterThan(800_000)
    expect(left).toBeLessThanOrEqual(900_000)
    const client = new STSClient({ region: REGION, endpoint: sandbox.url, credentials })
    expect(await client.send(new GetCallerIdentityCommand({}))).toMatchObject({
      Account: ACCOUNT,
      Arn: `arn:aws:sts::${ACCOUNT}:assumed-role/letterloom-1a2b3c4d/letterloom-test`,
    })
  })

  test.each([
    ['a wrong external id', { ExternalId: 'wrong-id' }],
    ['no external id', { ExternalId: undefined }],
    ['a role that is not there', { RoleArn: `arn:aws:iam::${ACCOUNT}:role/nobody` }],
    ['an account that is not there', { RoleArn: 'arn:aws:iam::999999999999:role/open' }],
  ])('refuses %s', async (_what, input) => {
    const error = await failure(sandbox.assume(input))
    expect(error).toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } })
  })

  test('needs no external id where the role does not ask for one', async () => {
    const open = { RoleArn: `arn:aws:iam::${ACCOUNT}:role/open`, ExternalId: undefined }
    expect((await sandbox.assume(open)).accessKeyId).toMatch(/^ASIA/)
  })

  test('only the operator may assume roles', async () => {
    const client = new STSClient({
      region: REGION,
      endpoint: sandbox.url,
      credentials: sandbox.credentials,
    })
    expect((await failure(client.send(new AssumeRoleCommand(ROLE)))).name).toBe('AccessDenied')
  })

  test('a switch denies it, for one account alone too', async () => {
    await sandbox.control.setFaults({ denyAssumeRole: true }, ACCOUNT)
    expect((await failure(sandbox.assume())).name).toBe('AccessDenied')
    await sandbox.control.resetFaults(ACCOUNT)
    await sandbox.assume()
  })

  test('a session policy narrows what the credentials can do', async () => {
    const policy = (Action: string[]) =>
      JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action, Resource: '*' }],
      })
    const credentials = await sandbox.assume({ Policy: policy(['ses:Send*']) })
    const error = await failure(askAccount(sandbox.client({ credentials })))
    expect(error).toMatchObject({ name: 'AccessDeniedException' })
    const reader = await sandbox.assume({ Policy: policy(['ses:GetAccount']) })
    await askAccount(sandbox.client({ credentials: reader }))
    const malformed = await failure(sandbox.assume({ Policy: '{' }))
    expect(malformed.name).toMatch(/MalformedPolicyDocument/)
  })

  test('works with nothing but AWS_ENDPOINT_URL set', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL', sandbox.url)
    try {
      const client = new SESv2Client({ region: REGION, credentials: sandbox.credentials })
      expect((await askAccount(client)).ProductionAccessEnabled).toBe(true)
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe('credentials', () => {
  test('expired', async () => {
    await sandbox.control.setSettings({ sessionMaxMs: 50 })
    const credentials = await sandbox.assume()
    await sandbox.control.setSettings({ sessionMaxMs: 3_600_000 })
    await new Promise((resolve) => setTimeout(resolve, 60))
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    const client = sandbox.client({ credentials: { accessKeyId, secretAccessKey, sessionToken } })
    expect((await failure(askAccount(client))).name).toBe('ExpiredTokenException')
  })

  test('unknown, or without their session token', async () => {
    const unknown = { accessKeyId: 'ASIAUNKNOWN', secretAccessKey: 'x' }
    const { accessKeyId, secretAccessKey } = sandbox.credentials
    for (const credentials of [unknown, { accessKeyId, secretAccessKey }]) {
      const error = await failure(askAccount(sandbox.client({ credentials })))
      expect(error).toMatchObject({
        name: 'UnrecognizedClientException',
        $metadata: { httpStatusCode: 403 },
      })
    }
  })

  test('a wrong secret', async () => {
    const credentials = { ...sandbox.credentials, secretAccessKey: 'wrong' }
    expect((await failure(askAccount(sandbox.client({ credentials })))).name).toBe(
      'InvalidSignatureException',
    )
    const sts = new STSClient({
      region: REGION,
      endpoint: sandbox.url,
      credentials: { ...OPERATOR, secretAccessKey: 'wrong' },
      maxAttempts: 1,
    })
    expect((await failure(sts.send(new GetCallerIdentityCommand({})))).name).toBe(
      'SignatureDoesNotMatch',
    )
  })

  test('outlive a restart of the sandbox', async () => {
    await sandbox.restart()
    expect((await askAccount(sandbox.ses)).SendQuota?.MaxSendRate).toBe(10_000)
  })
})

describe('a signature', () => {
  const body = JSON.stringify({
    FromEmailAddress: 'news@letterloom.example',
    Destination: { ToAddresses: ['ada@example.com'] },
    Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } } },
  })
  const path = '/v2/email/outbound-emails'
  const post = async (signedAt: Date, change: Record<string, string> = {}, sent = body) => {
    const sign = createSigner(sandbox.credentials, REGION)
    const host = new URL(sandbox.url).host
    const headers = sign({ method: 'POST', host, path, body }, signedAt)
    const { host: _host, ...rest } = { ...headers, ...change }
    const response = await fetch(`${sandbox.url}${path}`, {
      method: 'POST',
      headers: rest,
      body: sent,
    })
    return {
      status: response.status,
      name: response.headers.get('x-amzn-errortype'),
      body: (await response.json()) as { message?: string; MessageId?: string },
    }
  }
  const ago = (ms: number): Date => new Date(Date.now() - ms)

  test('of four minutes ago is taken, of six minutes ago not', async () => {
    expect((await post(ago(240_000))).status).toBe(200)
    const late = await post(ago(360_000))
    expect(late).toMatchObject({ status: 403, name: 'InvalidSignatureException' })
    expect(late.body.message).toMatch(/^Signature expired: \d{8}T\d{6}Z is now earlier than/)
    const early = await post(ago(-360_000))
    expect(early.body.message).toMatch(/^Signature not yet current/)
  })

  test('may be told to be older only by the settings', async () => {
    await sandbox.control.setSettings({ signatureMaxAgeMs: 60_000 })
    expect((await post(ago(30_000))).status).toBe(200)
    expect((await post(ago(62_000))).status).toBe(403)
    await sandbox.control.setSettings({ signatureMaxAgeMs: 300_000 })
  })

  test('covers the body and the headers', async () => {
    expect((await post(new Date(), {}, body.replace('ada', 'eve'))).name).toBe(
      'InvalidSignatureException',
    )
    expect((await post(new Date(), { 'content-type': 'text/plain' })).status).toBe(403)
    expect((await post(new Date(), { authorization: 'AWS4-HMAC-SHA256 nonsense' })).name).toBe(
      'IncompleteSignatureException',
    )
    const unsigned = await fetch(`${sandbox.url}/v2/email/account`)
    expect(unsigned.headers.get('x-amzn-errortype')).toBe('MissingAuthenticationTokenException')
  })

  test('for another service is refused', async () => {
    const { authorization = '' } = createSigner(sandbox.credentials, REGION)(
      { method: 'POST', host: new URL(sandbox.url).host, path, body },
      new Date(),
    )
    const wrong = await post(new Date(), { authorization: authorization.replace('/ses/', '/sns/') })
    expect(wrong.body.message).toMatch(/correct service: 'ses'/)
  })
})

test('GetRolePolicy tells the version in a statement id', async () => {
  const client = new IAMClient({
    region: 'us-east-1',
    endpoint: sandbox.url,
    credentials: sandbox.credentials,
  })
  const input = { RoleName: 'letterloom-1a2b3c4d', PolicyName: 'letterloom' }
  const { PolicyDocument } = await client.send(new GetRolePolicyCommand(input))
  const document = JSON.parse(decodeURIComponent(PolicyDocument ?? ''))
  expect(document.Statement[0].Sid).toBe('LetterloomV7')
  const missing = await failure(
    client.send(new GetRolePolicyCommand({ ...input, RoleName: 'nobody' })),
  )
  expect(missing.name).toMatch(/^NoSuchEntity/)
})
