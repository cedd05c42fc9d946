import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { questionAbout } from '../../src/core/accounts/live-readings.ts'
import type { Answer } from '../../src/domain/accounts/dns-records.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, type Client, startApi } from '../support/api.ts'
import { askWorkflowId } from '../../workflows/contract.ts'
import { until } from '../support/engine.ts'
import { type ProviderEngine, startProviderEngine } from '../support/provider-engine.ts'

const DEADLINE_MS = 20_000
/** An account of three that has not answered by then is waited for no longer. */
const HEAD_START_MS = 1_300
/** Sooner than the slow one is given up, which is at ANSWER_MS. */
const PASSED_OVER_MS = 7_500
const SLOW = { readLatencyMs: 30_000 }

let engine: ProviderEngine
let api: Api
/** Of an organization that has no accounts yet. */
let dora: Client
/** What the domain name system says: `<type> <name>`. */
const zone = new Map<string, Answer>()

beforeAll(async () => {
  engine = await startProviderEngine()
  api = await startApi({ asker: engine.asker })
  await engine.work(api.databaseUrl, {
    resolve: async (name, type) => zone.get(`${type} ${name}`) ?? [],
  })
  // The first question takes longest, on a busy machine too long.
  await engine.connect(api.alice)
  await api.alice.get('/v1/domains/first.example')
})
beforeEach(async () => {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: 'D', plan: 'enterprise' })
  dora = await api.client(id, ['full'])
})
afterAll(async () => {
  await api.close()
  await engine.stop()
})

const verified = (...names: string[]) => ({
  identities: names.map((identity) => ({ identity, verified: true })),
})
const asked = async ({ accountId }: { accountId: string }): Promise<number> =>
  (await engine.control.calls(accountId))['ses:GetEmailIdentity'] ?? 0

test('tells all that the account says, and which DNS records are there', async () => {
  const { id, region } = await engine.connect(dora, {
    identities: [
      {
        identity: 'records.example',
        verified: true,
        mailFromDomain: 'bounce.records.example',
        configurationSet: 'marketing',
      },
    ],
  })
  const mx = `10 feedback-smtp.${region}.amazonses.com`
  zone.set('MX bounce.records.example', [mx])
  zone.set('TXT bounce.records.example', ['v=spf1 include:other.example ~all', 'unrelated'])
  zone.set('TXT _dmarc.records.example', 'unknown')
  const { status, body } = await dora.get('/v1/domains/records.example')
  expect(status).toBe(200)
  const { dnsRecords, dkim, ...rest } = body
  expect(rest).toEqual({
    identity: 'records.example',
    identityType: 'DOMAIN',
    verifiedForSending: true,
    verificationStatus: 'SUCCESS',
    mailFromDomain: { domain: 'bounce.records.example', status: 'SUCCESS' },
    feedbackForwarding: true,
    configurationSet: 'marketing',
    cloudAccountId: id,
    region,
    unreachableAccountIds: [],
  })
  expect(dkim).toEqual({
    status: 'SUCCESS',
    signingAttributesOrigin: 'AWS_SES',
    tokens: [expect.any(String), expect.any(String), expect.any(String)],
  })
  expect(dnsRecords).toEqual([
    ...dkim.tokens.map((token: string) => ({
      purpose: 'dkim',
      type: 'CNAME',
      name: `${token}._domainkey.records.example`,
      value: `${token}.dkim.amazonses.com`,
      state: 'missing',
      found: [],
    })),
    {
      purpose: 'mail_from',
      type: 'MX',
      name: 'bounce.records.example',
      value: mx,
      state: 'found',
      found: [mx],
    },
    {
      purpose: 'mail_from',
      type: 'TXT',
      name: 'bounce.records.example',
      value: 'v=spf1 include:amazonses.com ~all',
      state: 'different',
      found: ['v=spf1 include:other.example ~all'],
    },
    {
      purpose: 'dmarc',
      type: 'TXT',
      name: '_dmarc.records.example',
      value: 'v=DMARC1; p=none;',
      state: 'unknown',
      found: [],
    },
  ])
})

test('the search stops at the first account that has it: the others are not asked', async () => {
  const { first, second, third, answer } = await until(async () => {
    const first = await engine.connect(dora, verified('other.example'))
    const second = await engine.connect(dora, verified('wanted.example'))
    const third = await engine.connect(dora, verified('wanted.example'))
    const startedAt = performance.now()
    const answer = await dora.get('/v1/domains/wanted.example')
    const isQuick = performance.now() - startedAt < HEAD_START_MS
    const isAnyLate = answer.body.unreachableAccountIds?.length !== 0 || (await asked(third)) > 0
    if (isQuick || !isAnyLate) return { first, second, third, answer }
    // A busy machine did not wait for one of them: again, with others.
    for (const { id } of [first, second, third]) await dora.delete(`/v1/connections/${id}`)
    return undefined
  })
  const { status, body } = answer
  expect([status, body.cloudAccountId, body.unreachableAccountIds]).toEqual([200, second.id, []])
  expect([await asked(first), await asked(second), await asked(third)]).toEqual([1, 1, 0])
  const named = await dora.get(`/v1/domains/wanted.example?cloudAccountId=${third.id}`)
  expect(named.body.cloudAccountId).toBe(third.id)
  expect((await dora.get(`/v1/domains/wanted.example?cloudAccountId=${first.id}`)).status).toBe(404)
})

test('an address and a name outside ASCII are found; no name of another organization is', async () => {
  const { id } = await engine.connect(
    dora,
    verified(
      'jane@mixed.example',
      'xn--mnchen-3ya.example',
      'jane@xn--istanbul-o0e.example',
      'xn--istanbul-o0e.example',
    ),
  )
  await engine.connect(api.charlie, verified('theirs.example'))
  const address = await dora.get(`/v1/domains/${encodeURIComponent('jane@Mixed.Example')}`)
  expect(address.body).toMatchObject({
    identity: 'jane@mixed.example',
    identityType: 'EMAIL_ADDRESS',
    dnsRecords: [],
  })
  expect((await dora.get('/v1/domains/jane@mixed.example')).status).toBe(200)
  const city = await dora.get(`/v1/domains/${encodeURIComponent('m\u00fcnchen.example')}`)
  expect([city.body.identity, city.body.cloudAccountId]).toEqual(['xn--mnchen-3ya.example', id])
  // In lower case it has one character more.
  for (const local of ['', 'jane@']) {
    const longer = await dora.get(
      `/v1/domains/${local}${encodeURIComponent('\u0130stanbul.example')}`,
    )
    expect([longer.status, longer.body.identity]).toEqual([200, `${local}xn--istanbul-o0e.example`])
  }
  expect((await dora.get('/v1/domains/theirs.example')).status).toBe(404)
})

test('a name that cannot be an identity is 404 and asks nobody; more than 253 characters are 400', async () => {
  const account = await engine.connect(dora, verified('fine.example'))
  for (const name of [
    '0',
    '0x7f.1',
    '127.0.0.1',
    'localhost',
    '..',
    'a b.example',
    'x@y@z',
    '-',
    '%00',
    'a'.repeat(253),
  ]) {
    const { status } = await dora.get(`/v1/domains/${encodeURIComponent(name)}`)
    expect([name, status]).toEqual([name, 404])
  }
  const { status, body } = await dora.get(`/v1/domains/${'a'.repeat(254)}`)
  expect([status, body.details[0].path]).toEqual([400, 'identity'])
  expect(await asked(account)).toBe(0)
})

test('a slow account is passed over, and named among those that did not answer', async () => {
  const slow = await engine.connect(dora, verified('elsewhere.example'))
  const denied = await engine.connect(dora)
  const quick = await engine.connect(dora, verified('found.example'))
  await engine.control.setFaults(SLOW, slow.accountId)
  await engine.control.setFaults({ denyAssumeRole: true }, denied.accountId)
  const startedAt = performance.now()
  const { status, body } = await dora.get('/v1/domains/found.example')
  expect(performance.now() - startedAt).toBeLessThan(PASSED_OVER_MS)
  expect(status).toBe(200)
  expect(body.cloudAccountId).toBe(quick.id)
  expect(body.unreachableAccountIds).toEqual([slow.id, denied.id])
})

test('404 when those that answer lack it, in time; it names the one that did not', async () => {
  await engine.connect(dora, verified('present.example'))
  const slow = await engine.connect(dora)
  await engine.control.setFaults(SLOW, slow.accountId)
  const startedAt = performance.now()
  const { status, body } = await dora.get('/v1/domains/absent.example')
  expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS)
  expect(status).toBe(404)
  expect(body).toMatchObject({
    code: 'NOT_FOUND',
    reason: 'accounts_unreachable',
    details: [{ path: 'cloudAccountId', message: expect.stringContaining(slow.id) }],
  })
})

test('503 with a message of its own only when no account answers; 404 without accounts', async () => {
  expect((await dora.get('/v1/domains/any.example')).status).toBe(404)
  const one = await engine.connect(dora, verified('any.example'))
  const two = await engine.connect(dora, verified('any.example'))
  await engine.control.setFaults({ denyAssumeRole: true }, one.accountId)
  await engine.control.setFaults({ readThrottlePercent: 100 }, two.accountId)
  const answer = await dora.get('/v1/domains/any.example')
  expect(answer.status).toBe(503)
  expect(answer.headers['retry-after']).toBe('5')
  expect(answer.body).toEqual({
    error: 'None of the connected accounts can be reached',
    message: 'None of the connected accounts can be reached',
    code: 'INTERNAL_ERROR',
    reason: 'accounts_unreachable',
    requestId: expect.any(String),
  })
  await engine.control.resetFaults(two.accountId)
  // A failure is not held against an account for long.
  await api.sql`
    update provider_readings set answered_at = answered_at - interval '6 seconds'
    where connection_id = ${two.id}`
  expect((await dora.get('/v1/domains/any.example')).status).toBe(200)
})

test('nothing that was asked for by name or answered is in a history', async () => {
  const { id, accountId } = await engine.connect(
    dora,
    verified('secret.example', 'ida@secret.example'),
  )
  await dora.get('/v1/domains')
  await dora.get('/v1/domains/secret.example')
  await dora.get('/v1/domains/ida@secret.example')
  await dora.get('/v1/domains/nobody@secret.example')
  const asked = await api.sql<{ what: string }[]>`
    select what from provider_readings where connection_id = ${id}`
  expect(asked.map(({ what }) => what).toSorted()).toEqual(
    [
      questionAbout(),
      ...['secret.example', 'ida@secret.example', 'nobody@secret.example'].map(questionAbout),
    ].toSorted(),
  )
  const histories = await engine.histories(asked.map(({ what }) => askWorkflowId(id, what)))
  const words = ['"what":"identities"', 'secret', 'ida@', 'nobody@', 'VERIFIED', 'dkim', accountId]
  // The first shows that payloads were looked at.
  expect(words.filter((word) => histories.includes(word))).toEqual(['"what":"identities"'])
})
