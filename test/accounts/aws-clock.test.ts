import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createIdentities } from '../../activities/aws/identities.ts'
import { createMailer } from '../../activities/aws/mailer.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'

const MINUTE_MS = 60_000
const IAM_ROLE: IamRole = {
  organizationId: 'the-organization',
  connectionId: 'the-connection',
  accountId: '123456789012',
  region: 'eu-west-1',
  externalId: '1a2b3c4d-external',
}
const MAIL = {
  from: 'news@example.com',
  replyTo: null,
  to: 'ada@example.com',
  subject: 'Hello',
  html: null,
  text: 'Hello',
  headers: [],
  tags: [],
}

/** How far the clock of AWS is ahead of ours, and what it refused. */
let aheadMs = 0
let refused = 0
const server = createServer((request, response) => void answer(request, response))

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
})
afterEach(() => {
  aheadMs = 0
  refused = 0
})
afterAll(async () => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** AWS as far as it matters here: it refuses what was signed more than five minutes from now. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const _ of request);
  const now = Date.now() + aheadMs
  const stamp = String(request.headers['x-amz-date'])
  const signedAt = Date.parse(
    stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  const isSts = request.url === '/'
  response.setHeader('date', new Date(now).toUTCString())
  response.setHeader('content-type', isSts ? 'text/xml' : 'application/json')
  if (Math.abs(signedAt - now) > 5 * MINUTE_MS) {
    refused++
    response.statusCode = 403
    response.setHeader('x-amzn-errortype', 'InvalidSignatureException')
    const error = '<Code>SignatureDoesNotMatch</Code><Message>Signature expired</Message>'
    response.end(
      isSts ? `<ErrorResponse><Error>${error}</Error></ErrorResponse>` : '{"message":"expired"}',
    )
    return
  }
  const expiration = new Date(now + 60 * MINUTE_MS).toISOString()
  response.end(
    isSts
      ? `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA</AccessKeyId>
          <SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
          <Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult>
          </AssumeRoleResponse>`
      : '{"MessageId":"0102-a"}',
  )
}

const find = (roles: ReturnType<typeof createRoles>) =>
  createIdentities(roles).find(IAM_ROLE, 'example.com', AbortSignal.timeout(10_000))

test.each([10, -10])(
  'questions are signed for AWS’ clock when ours is %i minutes off',
  async (minutes) => {
    aheadMs = minutes * MINUTE_MS
    const roles = createRoles()
    expect(await find(roles)).toMatchObject({ kind: 'told' })
    // The first call of the process finds it out, and no other.
    expect(refused).toBe(1)
    expect(await find(roles)).toMatchObject({ kind: 'told' })
    expect(refused).toBe(1)
  },
)

test.each([60, -60])(
  'a clock of AWS that is %i seconds ahead of ours is told once, a smaller difference is not',
  async (seconds) => {
    const warn = vi.fn<() => void>()
    const roles = createRoles({ log: { warn } })
    aheadMs = 20_000
    await roles.assume(IAM_ROLE, 'send')
    expect(warn).not.toHaveBeenCalled()
    aheadMs = seconds * 1_000
    await roles.assume(IAM_ROLE, 'send')
    await roles.assume(IAM_ROLE, 'send')
    expect(warn.mock.calls).toEqual([
      [{ aheadSeconds: expect.any(Number) }, 'our clock differs from that of AWS'],
    ])
    const [[fields]] = warn.mock.calls as unknown as [[{ aheadSeconds: number }]]
    // A busy machine may take some seconds for a call.
    expect(Math.sign(fields.aheadSeconds)).toBe(-Math.sign(seconds))
    expect(Math.abs(fields.aheadSeconds)).toBeGreaterThan(30)
  },
)

test('a clock that is set right in the life of credentials is found out, too', async () => {
  aheadMs = 10 * MINUTE_MS
  let now = Date.now()
  const roles = createRoles({ now: () => now })
  await find(roles)
  aheadMs = 0
  expect(await find(roles)).toMatchObject({ kind: 'failed' })
  // A role that could not be assumed is left alone for two seconds.
  now += 3_000
  expect(await find(roles)).toMatchObject({ kind: 'told' })
})

function openMailer() {
  const roles = {
    credentials: async () => ({ accessKeyId: 'ASIA', secretAccessKey: 'secret' }),
    forget: vi.fn<() => void>(),
  }
  const mailer = createMailer({ roles, callMs: 10_000, beginMs: 10_000 })
  /** A mail whose claim is from now, or from so long ago. */
  const claim = (agoMs = 0) => ({
    iamRole: IAM_ROLE,
    signedAt: new Date(Date.now() - agoMs),
    beginBy: performance.now() + 10_000,
  })
  return { mailer, claim, send: (call = claim()) => mailer.send(MAIL, call) }
}

test.each([10, -10])(
  'mail is signed for AWS’ clock when ours is %i minutes off',
  async (minutes) => {
    aheadMs = minutes * MINUTE_MS
    const { mailer, send } = openMailer()
    expect(await send()).toMatchObject({ kind: 'unreachable', own: true })
    expect(await send()).toMatchObject({ kind: 'sent' })
    expect(await send()).toMatchObject({ kind: 'sent' })
    expect(refused).toBe(1)
    // Ours was set right.
    aheadMs = 0
    expect(await send()).toMatchObject({ kind: 'unreachable' })
    expect(await send()).toMatchObject({ kind: 'sent' })
    await mailer.close()
  },
)

test('calls of a claim that is too old stay refused, whatever the first of them learned', async () => {
  const { mailer, claim, send } = openMailer()
  // As after a machine was suspended between claim and call.
  const old = claim(10 * MINUTE_MS)
  for (let calls = 0; calls < 3; calls++) {
    expect(await send(old)).toMatchObject({ kind: 'unreachable' })
  }
  expect(refused).toBe(3)
  expect(await send()).toMatchObject({ kind: 'unreachable' })
  expect(await send()).toMatchObject({ kind: 'sent' })
  await mailer.close()
})
