import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { namingConfigurationSets } from '../../activities/aws/configuration-set.ts'
import { createMailer } from '../../activities/aws/mailer.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import { createVerifier } from '../../activities/aws/verifier.ts'
import type { Call, Mail, Outcome, SendingRole } from '../../activities/mailer.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { startSandbox } from '../../tools/sandbox/index.ts'
import { configurationSetName, roleName } from '../../src/domain/accounts/iam-role.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const REGION = 'eu-west-1'
const ACCOUNT = '212121212121'
const SET = configurationSetName('abcdefgh-external-id')

let database: TestDatabase
let sandbox: Awaited<ReturnType<typeof startSandbox>>
let control: ReturnType<typeof sandboxControl>
const roles = createRoles()
const transport = createMailer({ roles, callMs: 3_000 })
let gone: string[]

beforeAll(async () => {
  database = await createDatabase()
  sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: database.url,
    log: pino({ level: 'silent' }),
  })
  process.env['AWS_ENDPOINT_URL'] = sandbox.url
  process.env['AWS_ACCESS_KEY_ID'] = 'LETTERLOOMSANDBOX'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'letterloom-sandbox-secret'
  control = sandboxControl(sandbox.url)
})
afterAll(async () => {
  await transport.close()
  await sandbox.stop()
  await database.drop()
})
beforeEach(async () => {
  gone = []
  await control.clear()
  await control.putAccount(ACCOUNT, {
    region: REGION,
    maxSendRate: 1_000,
    max24Hour: 10_000,
    productionAccess: true,
    identities: [{ identity: 'example.com', verified: true }],
    roles: [{ name: roleName('abcdefgh'), externalId: 'abcdefgh-external-id', policyVersion: 1 }],
    configurationSets: [SET],
  })
})

const roleOf = (configurationSet: string | null): SendingRole => ({
  organizationId: uuidv7(),
  connectionId: uuidv7(),
  accountId: ACCOUNT,
  region: REGION,
  externalId: 'abcdefgh-external-id',
  configurationSet,
})
const mail: Mail = {
  from: 'news@example.com',
  replyTo: null,
  to: 'ada@example.org',
  subject: 'News',
  html: null,
  text: 'News',
  headers: [],
  tags: [],
}
const callOf = (iamRole: SendingRole): Call => ({
  iamRole,
  signedAt: new Date(),
  beginBy: performance.now() + 5_000,
})
const naming = (mailer = transport) =>
  namingConfigurationSets(mailer, (_role, configurationSet) => gone.push(configurationSet))
const setsOfMails = async () => {
  const { mails } = await control.mails()
  const views = await Promise.all(mails.map(({ id }) => control.mail(id)))
  return views.map(({ configurationSet }) => configurationSet)
}

describe('mail of a connection', () => {
  it('names its configuration set, and without one names none', async () => {
    expect(await naming().send(mail, callOf(roleOf(SET)))).toMatchObject({ kind: 'sent' })
    expect(await naming().send(mail, callOf(roleOf(null)))).toMatchObject({ kind: 'sent' })
    expect(await setsOfMails()).toEqual([null, SET])
    expect(gone).toEqual([])
  })

  it('leaves without a set that was deleted, is accepted once, and does not ask each time', async () => {
    await control.putAccount(ACCOUNT, { configurationSets: [] })
    const role = roleOf(SET)
    const mailer = naming()
    for (let n = 0; n < 3; n++) {
      expect(await mailer.send(mail, callOf(role))).toMatchObject({ kind: 'sent' })
    }
    expect(await setsOfMails()).toEqual([null, null, null])
    expect(gone).toEqual([SET])
    // Another connection's set is its own.
    await mailer.send(mail, callOf(roleOf(SET)))
    expect(gone).toEqual([SET, SET])
  })

  it('that is refused for another reason is not sent again', async () => {
    await control.putAccount(ACCOUNT, { identities: [] })
    const before = (await control.calls(ACCOUNT))['ses:SendEmail'] ?? 0
    expect(await naming().send(mail, callOf(roleOf(SET)))).toMatchObject({ kind: 'refused' })
    expect((await control.calls(ACCOUNT))['ses:SendEmail']).toBe(before + 1)
    expect(gone).toEqual([])
  })

  it.each<[Outcome, number]>([
    [
      {
        kind: 'unavailable',
        reason: 'access_denied',
        error:
          'AccessDeniedException: User: x is not authorized to perform: ses:SendEmail on resource: arn:aws:ses:eu-west-1:212121212121:configuration-set/letterloom-abcdefgh',
      },
      2,
    ],
    [
      {
        kind: 'unavailable',
        reason: 'access_denied',
        error: 'AccessDeniedException: not authorized on arn:aws:ses:eu-west-1:2:identity/x',
      },
      1,
    ],
    // Whoever pauses the set wants no mail to leave through it.
    [
      {
        kind: 'unavailable',
        reason: 'sending_paused',
        error: 'SendingPausedException: Sending is paused for configuration set <x>.',
      },
      1,
    ],
    // Perhaps accepted: never again.
    [{ kind: 'unknown', error: 'Configuration set <x> does not exist.' }, 1],
    [{ kind: 'throttled', scope: 'rate' }, 1],
  ])('is called after %j: %i', async (outcome, times) => {
    let calls = 0
    const mailer = {
      send: async () => {
        calls++
        return outcome
      },
      close: async () => {},
    }
    expect(await naming(mailer).send(mail, callOf(roleOf(SET)))).toBe(outcome)
    expect(calls).toBe(times)
  })
})

describe('a verification tries the set out', () => {
  const verifier = createVerifier(roles)
  const accepts = (configurationSet: string) =>
    verifier.acceptsConfigurationSet(roleOf(null), { from: 'probe@example.com', configurationSet })

  test('by one mail that reaches nobody', async () => {
    expect(await accepts(SET)).toBe(true)
    const { mails } = await control.mails()
    expect(mails).toMatchObject([
      { recipient: 'success@simulator.amazonses.com', from: 'probe@example.com' },
    ])
  })

  test('and hears that it does not exist, or nothing', async () => {
    expect(await accepts('another')).toBe(false)
    await control.setFaults({ serverErrorPercent: 100 })
    expect(await accepts(SET)).toBeUndefined()
    await control.setFaults({ serverErrorPercent: 0, throttlePercent: 100 })
    expect(await accepts(SET)).toBeUndefined()
    await control.resetFaults()
    await control.putAccount(ACCOUNT, { identities: [] })
    expect(await accepts(SET)).toBeUndefined()
    expect(await setsOfMails()).toEqual([])
  })
})
