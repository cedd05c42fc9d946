import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { bucketStart, uuidv7 } from '../../src/runtime/ids.ts'
import * as health from '../../src/store/accounts/health.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import { FIGURES, type HealthFixture, startHealthFixture } from '../support/health.ts'

const HOUR_MS = 3_600_000
type Connected = Awaited<ReturnType<HealthFixture['connect']>>

let fixture: HealthFixture

beforeAll(async () => {
  fixture = await startHealthFixture()
  await createPartitions(fixture.sql, Date.now() - 8 * 24 * HOUR_MS)
})
afterEach(() => fixture.control.resetFaults())
afterAll(() => fixture.close())

const found = async ({ organizationId, connectionId }: Connected) => {
  const record = await health.find(fixture.sql, { organizationId, connectionId })
  if (!record) throw new Error('no such account')
  return record
}
const refusalOf = async ({ connectionId }: Connected) => {
  const [row] = await fixture.sql<{ refusal: string | null }[]>`
    select refusal from account_health where connection_id = ${connectionId}`
  return row?.refusal
}
const noticesOf = ({ organizationId }: Connected) => fixture.sql<
  { status: string; mails: number }[]
>`
  select n.data ->> 'status' as status,
    (select count(*) from notice_mails m where m.notice_id = n.id) as mails
  from notices n
  where n.organization_id = ${organizationId}
  order by n.id`

interface Sent {
  count: number
  connectionId?: string
  delivered?: boolean
  bounce?: [type: string, subType: string]
  complained?: boolean
  daysAgo?: number
}

/** Mail of the ledger, sent some days ago. */
async function sent({ organizationId, connectionId }: Connected, mail: Sent): Promise<void> {
  const at = Date.now() - (mail.daysAgo ?? 0) * 24 * HOUR_MS
  const time = new Date(at).toISOString()
  const ids = Array.from({ length: mail.count }, () => uuidv7(at))
  const [type = null, subType = null] = mail.bounce ?? []
  await fixture.sql`
    insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id, state,
      status, sent_at, delivered_at, bounced_at, bounce_type, bounce_sub_type, complained_at)
    select ${organizationId}, ${bucketStart(at)}, id, id, 'transactional',
      ${mail.connectionId ?? connectionId}, 'sent', 'sent', ${time}::timestamptz,
      case when ${mail.delivered ?? false} then ${time}::timestamptz end,
      case when ${type}::text is not null then ${time}::timestamptz end, ${type}, ${subType},
      case when ${mail.complained ?? false} then ${time}::timestamptz end
    from unnest(${ids}::uuid[]) as given (id)`
}

it('stores what the provider says, the verdict and its reasons, and how fast we may send', async () => {
  const account = await fixture.connect({
    enforcementStatus: 'PROBATION',
    max24Hour: 1_000,
    sentLast24Hours: 900,
    maxSendRate: 21,
    reputation: { bounceRate: 0.12, complaintRate: 0.002 },
  })
  const at = fixture.setTime(Date.now())
  expect(await fixture.activities().checkAccount(account)).toBe('checked')
  expect(await found(account)).toEqual({
    id: account.connectionId,
    accountNumber: account.accountId,
    region: 'eu-west-1',
    status: 'in_danger',
    checkedAt: new Date(at).toISOString(),
    productionAccessEnabled: true,
    sendingEnabled: true,
    enforcementStatus: 'PROBATION',
    max24Hour: 1_000,
    sentLast24Hours: 900,
    maxSendRate: 21,
    bounceRate: 0.12,
    complaintRate: 0.002,
    reasons: ['bounce_pause', 'enforcement_probation', 'complaint_review', 'quota_high'],
    eventProblems: [],
  })
  const sender = await senders.find(fixture.sql, account.organizationId, account.connectionId)
  expect(sender?.maxSendRate).toBe(21)
})

it('an account that stops sending, and one in SES’ own sandbox', async () => {
  const account = await fixture.connect({ sendingEnabled: false, productionAccess: false })
  await fixture.activities().checkAccount(account)
  expect(await found(account)).toMatchObject({
    status: 'in_danger',
    reasons: ['sending_disabled'],
    productionAccessEnabled: false,
  })
})

it('where CloudWatch has no point yet, the ledger’s last week gives the rates', async () => {
  const account = await fixture.connect({ reputation: { bounceRate: null, complaintRate: null } })
  await sent(account, { count: 99, delivered: true })
  const check = () => fixture.activities().checkAccount(account)
  fixture.setTime(Date.now())
  await check()
  // Below a hundred mails a rate says nothing.
  expect(await found(account)).toMatchObject({ bounceRate: null, complaintRate: null })

  await sent(account, { count: 101, bounce: ['Transient', 'MailboxFull'] })
  await sent(account, { count: 10, bounce: ['Permanent', 'General'] })
  // Suppressed by the provider itself: no bounce there either.
  await sent(account, { count: 20, bounce: ['Permanent', 'OnAccountSuppressionList'] })
  await sent(account, { count: 1, delivered: true, complained: true })
  // Too long ago, and through another account.
  await sent(account, { count: 200, bounce: ['Permanent', 'General'], daysAgo: 8 })
  await sent(account, { count: 200, bounce: ['Permanent', 'General'], connectionId: uuidv7() })
  fixture.setTime(Date.now() + 1)
  await check()
  expect(await found(account)).toMatchObject({
    bounceRate: 10 / 231,
    complaintRate: 1 / 100,
    status: 'in_danger',
    reasons: ['complaint_pause'],
  })
})

it('a role that may not read CloudWatch is judged by the rest', async () => {
  const account = await fixture.connect(FIGURES.in_danger)
  const [role] = (await fixture.control.account(account.accountId)).roles
  await account.put({ roles: [{ ...role!, lacks: ['cloudwatch:GetMetricData'] }] })
  expect(await fixture.activities().checkAccount(account)).toBe('checked')
  expect(await found(account)).toMatchObject({
    status: 'healthy',
    bounceRate: null,
    enforcementStatus: 'HEALTHY',
  })
})

it.each([
  ['denied', { denyAssumeRole: true }],
  ['throttled', { readThrottlePercent: 100 }],
  ['failed', { readLatencyMs: 60_000 }],
])(
  'without an answer (%s) the verdict stands for a day, then nothing is known',
  async (refusal, faults) => {
    const account = await fixture.connect(FIGURES.at_risk)
    // Each time the role is assumed anew: what was assumed an hour ago must not hide a refusal.
    const check = (readingMs = 30_000) => fixture.activities({ readingMs }).checkAccount(account)
    const checkInVain = () => check(refusal === 'failed' ? 300 : undefined)
    const at = fixture.setTime(Date.now())
    expect(await check()).toBe('checked')
    await fixture.control.setFaults(faults, account.accountId)

    fixture.pass(23 * HOUR_MS)
    expect(await checkInVain()).toBe('unanswered')
    expect(await refusalOf(account)).toBe(refusal)
    expect(await found(account)).toMatchObject({
      status: 'at_risk',
      checkedAt: new Date(at).toISOString(),
      bounceRate: 0.06,
    })

    fixture.pass(HOUR_MS)
    expect(await checkInVain()).toBe('unanswered')
    expect(await found(account)).toMatchObject({
      status: 'unknown',
      reasons: [],
      checkedAt: new Date(at).toISOString(),
      bounceRate: null,
      enforcementStatus: null,
    })
    // That nothing is known is no worse than the danger they were told of.
    expect(await noticesOf(account)).toEqual([{ status: 'at_risk', mails: 1 }])

    await fixture.control.resetFaults(account.accountId)
    fixture.pass(HOUR_MS)
    expect(await check()).toBe('checked')
    expect(await refusalOf(account)).toBeNull()
    expect(await found(account)).toMatchObject({ status: 'at_risk' })
  },
)

it('an account that was never answered is unknown, and nobody is told', async () => {
  const account = await fixture.connect()
  await fixture.control.setFaults({ denyAssumeRole: true }, account.accountId)
  expect(await fixture.activities().checkAccount(account)).toBe('unanswered')
  expect(await found(account)).toMatchObject({ status: 'unknown', checkedAt: null })
  expect(await noticesOf(account)).toEqual([])
})

it('a disconnected account is neither asked nor judged', async () => {
  const account = await fixture.connect(FIGURES.in_danger)
  await fixture.sql`
    update connections set disconnected_at = now() where id = ${account.connectionId}`
  expect(await fixture.activities().checkAccount(account)).toBe('gone')
  expect(await fixture.control.calls(account.accountId)).toEqual({})
  expect(await refusalOf(account)).toBeUndefined()
  const { listAccounts } = fixture.activities()
  const ids = (await listAccounts({ after: null, limit: 1_000 })).map((each) => each.connectionId)
  expect(ids).not.toContain(account.connectionId)
})

it('one that is disconnected while the provider is asked is not judged', async () => {
  const account = await fixture.connect()
  const activities = fixture.activities({
    health: {
      read: async (role, signal) => {
        await fixture.sql`
          update connections set disconnected_at = now() where id = ${account.connectionId}`
        return fixture.reader.read(role, signal)
      },
    },
  })
  await activities.checkAccount(account)
  expect(await refusalOf(account)).toBeUndefined()
})

it('a verdict that worsens is told once to each owner, one that comes twice at once is one', async () => {
  const account = await fixture.connect(FIGURES.at_risk, { owners: 3 })
  const stranger = await fixture.connect(FIGURES.healthy)
  const { checkAccount } = fixture.activities()
  await Promise.all(Array.from({ length: 8 }, () => checkAccount(account)))
  await checkAccount(stranger)
  expect(await noticesOf(account)).toEqual([{ status: 'at_risk', mails: 3 }])
  expect(await noticesOf(stranger)).toEqual([])
  const [promises] = await fixture.sql<{ count: number }[]>`
    select count(*) as count from outbox
    where organization_id = ${account.organizationId} and kind = 'send_notice'`
  expect(promises?.count).toBe(1)
})

it('a verdict that goes to and fro is told once a day; one that gets worse still is told', async () => {
  const account = await fixture.connect()
  const { checkAccount } = fixture.activities()
  fixture.setTime(Date.parse('2026-03-01T00:30:00Z'))
  const become = async (status: keyof typeof FIGURES) => {
    await account.put(FIGURES[status])
    fixture.pass(HOUR_MS)
    await checkAccount(account)
  }
  for (let hour = 0; hour < 24; hour++) await become(hour % 2 === 0 ? 'at_risk' : 'healthy')
  expect(await noticesOf(account)).toEqual([{ status: 'at_risk', mails: 1 }])
  await become('in_danger')
  const worse = [
    { status: 'at_risk', mails: 1 },
    { status: 'in_danger', mails: 1 },
  ]
  expect(await noticesOf(account)).toEqual(worse)
  // Down to at risk is better; up again was told of.
  for (const status of ['at_risk', 'healthy', 'at_risk', 'in_danger'] as const) await become(status)
  expect(await noticesOf(account)).toEqual(worse)
  for (let hour = 0; hour < 24; hour++) await become('healthy')
  await become('in_danger')
  expect(await noticesOf(account)).toEqual([...worse, { status: 'in_danger', mails: 1 }])
})

it('an older answer does not replace a newer one', async () => {
  const account = await fixture.connect(FIGURES.at_risk)
  const { checkAccount } = fixture.activities()
  const now = fixture.setTime(Date.now())
  await checkAccount(account)
  await account.put(FIGURES.in_danger)
  fixture.setTime(now - HOUR_MS)
  await checkAccount(account)
  expect(await found(account)).toMatchObject({
    status: 'at_risk',
    checkedAt: new Date(now).toISOString(),
  })
})

it('a failing daily check does not fail the others', async () => {
  const account = await fixture.connect()
  const seen: string[] = []
  const activities = fixture.activities({
    daily: [
      async () => {
        throw new Error('verification is down')
      },
      async ({ connectionId }) => void seen.push(connectionId),
    ],
  })
  fixture.setTime(Date.now())
  expect(await activities.checkAccount(account)).toBe('checked')
  expect(seen).toEqual([account.connectionId])
  expect(fixture.warnings).toContain('the sweep leaves something undone')
})

it('pages go over all connected accounts once, in the order of their ids', async () => {
  const { listAccounts } = fixture.activities()
  const all = await listAccounts({ after: null, limit: 1_000 })
  const paged: typeof all = []
  for (let after: string | null = null; ; ) {
    const page = await listAccounts({ after, limit: 3 })
    paged.push(...page)
    if (page.length < 3) break
    after = page.at(-1)?.connectionId ?? null
  }
  expect(paged).toEqual(all)
  expect(all.length).toBeGreaterThan(5)
})
