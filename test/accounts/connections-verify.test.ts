import { setTimeout as sleep } from 'node:timers/promises'
import { Client as Temporal, Connection } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAsker } from '../../api/accounts/asker.ts'
import { ACTIONS } from '../../src/domain/accounts/aws-actions.ts'
import { VERIFY_EVERY_MS } from '../../src/domain/accounts/verification.ts'
import { askWorkflowId } from '../../workflows/contract.ts'
import { VERIFICATION } from '../../src/domain/accounts/provider-questions.ts'
import { answered } from '../support/answered.ts'
import { type Api, type Client, connectAccount, startApi, tally } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'
import { REGION } from '../support/seed.ts'
import { sized } from '../support/size.ts'

/**
 * Sooner than a provider answers that takes thirty seconds. The route has a shorter deadline, which
 * a busy machine does not keep.
 */
const DEADLINE_MS = 29_000
const CALLERS = sized(15, 50)

let engine: ProviderEngine
let api: Api

beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi({ asker: engine.asker })
  await engine.work(api.databaseUrl)
})
afterAll(async () => {
  await api.close()
  await engine.stop()
})

type Account = Awaited<ReturnType<ProviderEngine['connect']>>

const verify = (id: string, client: Client = api.alice) =>
  answered(() => client.post(`/v1/connections/${id}/verify`))
const listed = async (id: string) => {
  const { body } = await api.alice.get('/v1/connections')
  return body.connections.find((each: { id: string }) => each.id === id)
}
const roleOf = ({ externalId }: Account) => ({
  name: `letterloom-${externalId.slice(0, 8)}`,
  externalId,
  policyVersion: 1,
})
const failed = (checks: { name: string; ok: boolean; error?: string }[]) =>
  Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, error }) => [name, error]))
/** Lets a verification grow old, so that the next one asks. */
const age = () => api.sql`
  update connections
  set check_begun_at = check_begun_at - interval '1 minute',
    checked_at = checked_at - interval '1 minute'`

describe('a verification', () => {
  test('tries every permission, says that all is well, and keeps the rate', async () => {
    const account = await engine.connect(api.alice, { maxSendRate: 33 })
    const { status, body } = await verify(account.id)
    expect([status, body]).toEqual([
      200,
      {
        isVerified: true,
        verificationError: null,
        warnings: ['no_configuration_set', 'no_events'],
        checkedAt: expect.any(String),
        checks: [
          'role',
          'external_id',
          'ses:SendEmail',
          'ses:GetAccount',
          'ses:ListEmailIdentities',
          'ses:GetEmailIdentity',
          'cloudwatch:GetMetricData',
          'iam:GetRolePolicy',
        ].map((name) => ({ name, ok: true })),
      },
    ])
    expect(await listed(account.id)).toMatchObject({
      isVerified: true,
      verificationError: null,
      lastVerifiedAt: body.checkedAt,
    })
    const rates = await api.sql`
      select l.max_send_rate, c.max_send_rate as of_connection
      from sending_limits l
      join connections c on c.account_id = l.account_id
      where l.account_id = ${account.accountId}`
    expect(rates).toEqual([{ maxSendRate: 33, ofConnection: 33 }])
    // It proved the permission to send without sending.
    expect(await engine.control.counts({ account: account.accountId })).toMatchObject({
      accepted: 0,
    })
  })

  test('sees whether mail is accepted with the configuration set, and says what is missing', async () => {
    const account = await engine.connect(api.alice, {
      maxSendRate: 50,
      identities: [
        { identity: 'pending.example', verified: false },
        { identity: 'own.example', verified: true },
      ],
    })
    const { accountId } = account
    const sets = async () => {
      const { mails } = await engine.control.mails({ account: accountId })
      const views = await Promise.all(mails.map(({ id }) => engine.control.mail(id)))
      return views.map(({ from, recipient, configurationSet }) => [
        from,
        recipient,
        configurationSet,
      ])
    }
    // Nobody has made it yet; nothing was sent.
    expect((await verify(account.id)).body).toMatchObject({
      isVerified: true,
      warnings: ['no_configuration_set', 'no_events'],
    })
    expect(await sets()).toEqual([])

    const name = roleOf(account).name
    await engine.control.putAccount(accountId, { configurationSets: [name] })
    // At most one mail a minute.
    await age()
    expect((await verify(account.id)).body.warnings).toContain('no_configuration_set')
    await age()
    await api.sql`
      update connections
      set configuration_set_tried_at = configuration_set_tried_at - interval '1 minute'
      where id = ${account.id}`
    expect((await verify(account.id)).body.warnings).toEqual(['no_events'])
    const probe = ['probe@own.example', 'success@simulator.amazonses.com', name]
    expect(await sets()).toEqual([probe])
    expect((await listed(account.id)).warnings).toEqual(['no_events'])

    // It is known for the next twelve hours, and the first event ends the other warning.
    await age()
    await api.sql`
      update connections set last_event_received_at = now() where id = ${account.id}`
    expect((await verify(account.id)).body.warnings).toEqual([])
    expect(await sets()).toEqual([probe])
    // What cannot be verified or used has other troubles.
    await api.alice.delete(`/v1/connections/${account.id}`)
    expect((await listed(account.id)).warnings).toEqual([])
  })

  test('needs the role to refuse who does not say the external id', async () => {
    const account = await engine.connect(api.alice)
    const role = { ...roleOf(account), externalId: null }
    await engine.control.putAccount(account.accountId, { region: REGION, roles: [role] })
    const { body } = await verify(account.id)
    expect(body).toMatchObject({
      isVerified: false,
      verificationError: 'external_id_not_required',
    })
    expect(failed(body.checks)).toEqual({ external_id: 'external_id_not_required' })
  })

  test('tries out the queue where there is one; mail can do without', async () => {
    const lacks = ['sqs:DeleteMessage']
    const account = await engine.connect(api.alice)
    const queue = { name: 'events' }
    const { accountId } = account
    const put = (role: object) =>
      engine.control.putAccount(accountId, {
        region: REGION,
        queues: [queue],
        roles: [{ ...roleOf(account), ...role }],
      })
    await put({})
    const eventQueueUrl = `https://sqs.${REGION}.amazonaws.com/${accountId}/events`
    await api.alice.patch(`/v1/connections/${account.id}`, { eventQueueUrl })
    const { body } = await verify(account.id)
    expect(body.isVerified).toBe(true)
    const names = body.checks.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining([...ACTIONS.queue]))
    expect(failed(body.checks)).toEqual({})
    await put({ lacks })
    await age()
    const second = await verify(account.id)
    expect(second.body.isVerified).toBe(true)
    expect(failed(second.body.checks)).toEqual({ 'sqs:DeleteMessage': 'denied' })
  })

  test('of a role that is not there: nothing else can be tried', async () => {
    const account = await engine.connect(api.alice, { roles: [] })
    const { body } = await verify(account.id)
    expect(body).toMatchObject({ isVerified: false, verificationError: 'role_refused' })
    const permissions = new Set(Object.values(ACTIONS).flat())
    permissions.delete('ses:SendRawEmail')
    for (const action of [...ACTIONS.queue, ...ACTIONS.texts]) permissions.delete(action)
    expect(failed(body.checks)).toEqual({
      role: 'role_refused',
      ...Object.fromEntries([...permissions].map((name) => [name, 'not_tried'])),
    })
  })

  const LACKING = [
    ['ses:SendEmail', false, 'ses_send_email_denied'],
    ['ses:GetAccount', false, 'ses_get_account_denied'],
    ['ses:ListEmailIdentities', true, null],
    ['ses:GetEmailIdentity', true, null],
    ['cloudwatch:GetMetricData', true, null],
    ['iam:GetRolePolicy', true, null],
  ] as const

  test('says which permission is missing, and whether mail may go', async () => {
    const looking = LACKING.map(async ([action, isVerified, error]) => {
      const account = await engine.connect(api.alice)
      const role = { ...roleOf(account), lacks: [action] }
      await engine.control.putAccount(account.accountId, { region: REGION, roles: [role] })
      const { body } = await verify(account.id)
      expect(failed(body.checks)).toEqual({ [action]: 'denied' })
      expect(body).toMatchObject({ isVerified, verificationError: error })
      expect(await listed(account.id)).toMatchObject({ isVerified, verificationError: error })
    })
    await Promise.all(looking)
  })

  test('that the provider does not answer decides nothing, and answers in time', async () => {
    const outages = [
      [{ readThrottlePercent: 100 }, 'throttled'],
      [{ readLatencyMs: 30_000 }, 'no_answer'],
      [{ assumeRoleThrottlePercent: 100 }, 'throttled'],
      [{ assumeRoleLatencyMs: 30_000 }, 'no_answer'],
    ] as const
    const accounts = await Promise.all(outages.map(() => engine.connect(api.alice)))
    await Promise.all(accounts.map(({ id }) => verify(id)))
    await age()
    await Promise.all(
      accounts.map(async ({ id, accountId }, place) => {
        const [faults, error] = outages[place] ?? []
        await engine.control.setFaults({ ...faults }, accountId)
        const startedAt = performance.now()
        const { status, body } = await verify(id)
        expect([status, body.isVerified, body.verificationError]).toEqual([200, true, null])
        expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS)
        expect(Object.values(failed(body.checks))).toContain(error)
        await engine.control.resetFaults(accountId)
      }),
    )
    // A clear no is believed at once.
    const [account] = accounts
    await engine.control.setFaults({ denyAssumeRole: true }, account!.accountId)
    await age()
    expect((await verify(account!.id)).body).toMatchObject({
      isVerified: false,
      verificationError: 'role_refused',
    })
  })
})

describe('at most one at a time', () => {
  test('many callers at once, and whoever comes within three seconds: one', async () => {
    const account = await engine.connect(api.alice)
    const startedAt = performance.now()
    const answers = await Promise.all(Array.from({ length: CALLERS }, () => verify(account.id)))
    answers.push(await verify(account.id))
    // A busy machine may have taken longer than that.
    const most = Math.ceil((performance.now() - startedAt) / VERIFY_EVERY_MS)
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: CALLERS + 1 })
    const calls = await engine.control.calls(account.accountId)
    const sent = calls['ses:SendEmail'] ?? 0
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThanOrEqual(most)
    expect(calls['iam:GetRolePolicy']).toBe(sent)
    expect(new Set(answers.map(({ text }) => text)).size).toBeLessThanOrEqual(sent)
    await sleep(VERIFY_EVERY_MS)
    // One that takes long answers with what is known, and is made all the same.
    await verify(account.id)
    await until(
      async () => ((await engine.control.calls(account.accountId))['ses:SendEmail'] ?? 0) > sent,
    )
  })

  test('one that was begun by somebody who is gone is taken up by the next', async () => {
    const account = await engine.connect(api.alice)
    await api.sql`
      update connections set check_begun_at = now() - interval '13 seconds'
      where id = ${account.id}`
    const { status, body } = await verify(account.id)
    expect([status, body.isVerified]).toEqual([200, true])
  })
})

test('an account that is connected again is verified anew at once', async () => {
  const account = await engine.connect(api.alice)
  await verify(account.id)
  await api.alice.delete(`/v1/connections/${account.id}`)
  const { accountId, region } = account
  const { body: again } = await api.alice.post('/v1/connections', { accountId, region })
  expect([again.connectionId, again.externalId]).toEqual([account.id, account.externalId])
  // What was found before it was disconnected makes no batch fail as unverified, unasked.
  expect(await listed(account.id)).toMatchObject({ isVerified: false, lastVerifiedAt: null })
  const { status, body } = await verify(account.id)
  expect([status, body.isVerified]).toEqual([200, true])
})

test('requests that wait for a slow account use few of the places that all share', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const slow = await startApi({ asker: { ask: () => gate } })
  const { connectionId } = await connectAccount(slow.alice, {
    accountId: '131313131313',
    region: REGION,
  })
  let refused = 0
  const asked = Array.from({ length: 100 }, async () => {
    const answer = await slow.alice.post(`/v1/connections/${connectionId}/verify`)
    if (answer.status === 429) refused++
    return answer
  })
  await until(async () => refused === 40)
  open()
  const answers = await Promise.all(asked)
  expect(tally(answers.map(({ body }) => body.reason))).toEqual({
    too_many_questions: 40,
    cannot_ask: 60,
  })
  await slow.close()
})

describe('is refused', () => {
  test('for a stranger’s, an unknown and a disconnected account, and nobody is asked', async () => {
    const account = await engine.connect(api.alice)
    expect((await verify(account.id, api.charlie)).status).toBe(403)
    expect((await verify('0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11')).status).toBe(404)
    await api.alice.delete(`/v1/connections/${account.id}`)
    const { status, body } = await verify(account.id)
    expect([status, body.reason]).toEqual([409, 'disconnected'])
    expect(await engine.control.calls(account.accountId)).toEqual({})
  })

  test('with 503 and when to come back while Temporal is down', async () => {
    const account = await engine.connect(api.alice)
    const connection = Connection.lazy({ address: '127.0.0.1:1' })
    const asker = createAsker({ client: new Temporal({ connection }), log: { warn: () => {} } })
    const lonely = await startApi({ asker, sql: api.deps.sql })
    const { status, headers, body } = await lonely.app
      .inject({
        method: 'POST',
        url: `/v1/connections/${account.id}/verify`,
        headers: { authorization: `Bearer ${api.alice.key}` },
      })
      .then((answer) => ({
        status: answer.statusCode,
        headers: answer.headers,
        body: answer.json(),
      }))
    await lonely.close()
    await connection.close()
    expect([status, body.code]).toEqual([503, 'INTERNAL_ERROR'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })
})

test('nothing that was found is in a history', async () => {
  const account = await engine.connect(api.alice)
  const role = { ...roleOf(account), lacks: ['iam:GetRolePolicy'] }
  await engine.control.putAccount(account.accountId, { region: REGION, roles: [role] })
  await verify(account.id)
  const history = await engine.histories([askWorkflowId(account.id, VERIFICATION)])
  expect(history).toContain(account.id)
  for (const word of ['GetRolePolicy', 'denied', account.externalId, account.accountId]) {
    expect(history).not.toContain(word)
  }
})
