import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Outcome } from '../../activities/mailer.ts'
import { OPERATOR_ACCOUNT } from '../../tools/sandbox/credentials.ts'
import { operator } from '../../src/core/access/audit.ts'
import { inviteByMail, resendInvitation } from '../../src/core/access/invitations.ts'
import { noticeText } from '../../src/domain/accounts/notice.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { invitationUrl } from '../../src/keys/invitation-links.ts'
import * as invitations from '../../src/store/access/invitations.ts'
import * as notices from '../../src/store/accounts/notices.ts'
import { transact } from '../../src/store/db/sql.ts'
import { FIGURES, type HealthFixture, startHealthFixture } from '../support/health.ts'
import { fakeMailer } from '../support/mailer.ts'
import { addMember } from '../support/people.ts'
import { isFull } from '../support/size.ts'

const HOUR_MS = 3_600_000
const SOON_MS = 120_000
type Connected = Awaited<ReturnType<HealthFixture['connect']>>

let fixture: HealthFixture

beforeAll(async () => {
  fixture = await startHealthFixture()
})
afterEach(() => fixture.control.resetFaults())
afterAll(() => fixture.close())

/** A notice about an account, as the sweep writes it; answers its place. */
async function tell({ organizationId, connectionId, accountId }: Connected, period = uuidv7()) {
  await transact(fixture.sql, (tx) =>
    notices.put(tx, {
      organizationId,
      kind: 'account_health',
      subject: connectionId,
      period,
      at: new Date(fixture.setTime(Date.now())).toISOString(),
      data: {
        connectionId,
        accountNumber: accountId,
        region: 'eu-west-1',
        status: 'at_risk',
        reasons: ['bounce_review'],
      },
    }),
  )
  const [row] = await fixture.sql<{ id: string }[]>`
    select id from notices where organization_id = ${organizationId} order by id desc limit 1`
  return { organizationId, noticeId: row?.id ?? '' }
}

const statesOf = async ({ noticeId }: { noticeId: string }) => {
  const rows = await fixture.sql<{ state: string; reason: string | null }[]>`
    select state, reason from notice_mails where notice_id = ${noticeId} order by user_id`
  return rows.map(({ state, reason }) => (reason === null ? state : `${state} ${reason}`))
}

/** Comes back as often as the workflow would, without its waits. */
async function finish(place: notices.NoticeKey, activities = fixture.notices()): Promise<void> {
  const until = Date.now() + SOON_MS
  for (;;) {
    const { waitMs } = await activities.sendNotice(place)
    if (waitMs === null) return
    if (Date.now() > until) throw new Error(`still waiting ${waitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, 500)))
  }
}

const mailsTo = async ({ owners }: Connected) => {
  const found = await Promise.all(
    owners.map(({ email }) => fixture.control.mails({ account: OPERATOR_ACCOUNT, search: email })),
  )
  return found.map(({ mails }) => mails.length)
}

it('each owner is mailed once, through the operator’s own sender, and nobody else is', async () => {
  const account = await fixture.connect({}, { owners: 2 })
  const admin = await addMember(fixture.sql, account.organizationId, 'admin')
  const place = await tell(account)
  await finish(place)
  expect(await statesOf(place)).toEqual(['sent', 'sent'])
  expect(await mailsTo(account)).toEqual([1, 1])
  expect((await fixture.control.mails({ search: admin.email })).mails).toEqual([])
  await finish(place)
  expect(await mailsTo(account)).toEqual([1, 1])

  const [first] = (await fixture.control.mails({ search: account.owners[0]!.email })).mails
  const mail = await fixture.control.mail(first!.id)
  expect(mail).toMatchObject({
    from: 'Letterloom <notices@letterloom.example>',
    to: [account.owners[0]!.email],
    subject: `Your sending account ${account.accountId} (eu-west-1) is at risk`,
    html: null,
    headers: [{ name: 'Auto-Submitted', value: 'auto-generated' }],
  })
  expect(mail.text).toContain('The bounce rate is at 5 % or above')
  expect(mail.text).toContain('Alice Ltd')
  // It is no mail of the organization's: the ledger and the customer's limiter know nothing of it.
  const [ledger] = await fixture.sql<{ rows: number }[]>`
    select count(*) as rows from messages where organization_id = ${account.organizationId}`
  expect(ledger?.rows).toBe(0)
  const limits = await fixture.sql<{ accountId: string }[]>`
    select account_id from sending_limits where granted > 0`
  expect(limits.map(({ accountId }) => accountId)).toEqual(['operator'])
})

it('the same thing is not told twice in its period, and one organization’s is not another’s', async () => {
  const [account, other] = [await fixture.connect(), await fixture.connect()]
  const place = await tell(account, 'today')
  await tell(account, 'today')
  await finish(place)
  expect(await mailsTo(account)).toEqual([1])
  expect(await mailsTo(other)).toEqual([0])
  // An id of another organization finds nothing.
  await finish({ organizationId: other.organizationId, noticeId: (await tell(account)).noticeId })
  expect(await mailsTo(account)).toEqual([1])
})

it('a person who no longer owns the organization when the mail is sent is not told', async () => {
  const account = await fixture.connect({}, { owners: 2 })
  const place = await tell(account)
  const [left] = account.owners
  await fixture.sql`
    update memberships set role = 'admin'
    where organization_id = ${account.organizationId} and user_id = ${left!.id}`
  await finish(place)
  expect((await statesOf(place)).sort()).toEqual(['sent', 'skipped not_owner'])
  expect(await mailsTo(account)).toEqual([0, 1])
})

it('two workers at the same notice send one mail to each', async () => {
  const account = await fixture.connect({}, { owners: 5 })
  const place = await tell(account)
  await Promise.all([finish(place), finish(place), finish(place)])
  expect(await mailsTo(account)).toEqual([1, 1, 1, 1, 1])
})

it('a worker lost between claim and call: the owner is not told twice, and not waited for for ever', async () => {
  const account = await fixture.connect()
  const place = await tell(account)
  await notices.claim(fixture.sql, { ...place, claimId: uuidv7(), limit: 10 })
  const age = (seconds: number) => fixture.sql`
    update notice_mails set claimed_at = claimed_at - ${seconds} * interval '1 second'
    where notice_id = ${place.noticeId} and claimed_at is not null`
  // While the claim may be alive, nobody else calls.
  await age(-60)
  const { waitMs } = await fixture.notices().sendNotice(place)
  expect(waitMs).toBeGreaterThan(0)
  expect(await statesOf(place)).toEqual(['claimed'])
  await age(120)
  await finish(place)
  expect(await statesOf(place)).toEqual(['unknown unknown_outcome'])
  expect(await mailsTo(account)).toEqual([0])
})

it('an answer that got lost: accepted once, never sent again', async () => {
  const account = await fixture.connect()
  const place = await tell(account)
  await fixture.control.setFaults({ acceptThenResetPercent: 100 }, OPERATOR_ACCOUNT)
  await finish(place)
  expect(await statesOf(place)).toEqual(['unknown unknown_outcome'])
  await fixture.control.resetFaults()
  await finish(place)
  expect(await mailsTo(account)).toEqual([1])
})

it('a mail that the provider throttles waits and is sent', async () => {
  const account = await fixture.connect()
  const place = await tell(account)
  await fixture.control.setFaults({ throttlePercent: 100 }, OPERATOR_ACCOUNT)
  expect((await fixture.notices().sendNotice(place)).waitMs).not.toBeNull()
  expect(await statesOf(place)).toEqual(['queued'])
  await fixture.control.resetFaults()
  await finish(place)
  expect(await statesOf(place)).toEqual(['sent'])
  expect(await mailsTo(account)).toEqual([1])
})

it.each<Outcome>([
  { kind: 'unavailable', reason: 'sending_paused', error: 'x' },
  { kind: 'refused', reason: 'message_rejected', error: 'not verified', ofSender: true },
])('an operator who may not send ($kind): tried later, set aside after a day', async (outcome) => {
  const account = await fixture.connect()
  const place = await tell(account)
  const mailer = fakeMailer(() => outcome)
  const activities = fixture.notices({ mailer })
  let waitMs: number | null = 0
  // The operator's rate may be used up by the test before.
  for (let look = 0; mailer.calls.length === 0 && look < 50; look++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    waitMs = (await activities.sendNotice(place)).waitMs
  }
  expect(waitMs).toBe(900_000)
  expect(await statesOf(place)).toEqual(['queued'])
  expect(fixture.warnings).toContain('the operator may not send')
  fixture.pass(25 * HOUR_MS)
  await finish(place, activities)
  expect(await statesOf(place)).toEqual(['skipped too_late'])
})

it('without a sender nobody is told, and the log says so', async () => {
  const account = await fixture.connect()
  const place = await tell(account)
  await finish(place, fixture.notices({ hasSender: false }))
  expect(await statesOf(place)).toEqual(['skipped no_sender'])
  expect(fixture.warnings).toContain('a notice was not mailed')
  await finish(place)
  expect(await mailsTo(account)).toEqual([0])
})

/** Invites somebody as a route does; returns the invitation and the place of its notice. */
async function inviteTo({ organizationId, owners }: Connected) {
  const invitee = { email: `${uuidv7()}@example.com`, role: 'viewer' } as const
  const identity = { kind: 'user', id: owners[0]!.id } as const
  const actor = { identity, now: fixture.setTime(Date.now()) }
  const invitation = await transact(fixture.sql, (tx) =>
    inviteByMail(tx, organizationId, invitee, actor, { sendsNotices: true }),
  )
  return { invitation, place: await noticeOf(organizationId, invitation) }
}

async function noticeOf(
  organizationId: string,
  { id, generation }: { id: string; generation: number },
) {
  const [row] = await fixture.sql<{ id: string }[]>`
    select id from notices where subject = ${id} and period = ${String(generation)}`
  return { organizationId, noticeId: row?.id ?? '' }
}

it('an invitation is mailed once, to the invited address alone, with the link that accepts it', async () => {
  const account = await fixture.connect()
  const { invitation, place } = await inviteTo(account)
  await Promise.all([finish(place), finish(place)])
  expect(await statesOf(place)).toEqual(['sent'])
  expect(await mailsTo(account)).toEqual([0])
  const { mails } = await fixture.control.mails({ search: invitation.email })
  expect(mails).toHaveLength(1)
  const mail = await fixture.control.mail(mails[0]!.id)
  expect(mail).toMatchObject({ to: [invitation.email], subject: 'Invitation to Alice Ltd' })
  const { keyring, publicUrl } = fixture.links
  const { organizationId } = account
  expect(mail.text).toContain(invitationUrl(keyring, publicUrl, { ...invitation, organizationId }))
  // The link is made when it is mailed: no row has it.
  const rows = await fixture.sql<{ text: string }[]>`
    select notices::text as text from notices where id = ${place.noticeId}`
  expect(rows[0]?.text).not.toMatch(/invitations\/|@/)
})

it('an invitation that was revoked or sent anew meanwhile is not mailed with its old link', async () => {
  const account = await fixture.connect()
  const { organizationId } = account
  const [revoked, replaced] = [await inviteTo(account), await inviteTo(account)]
  const at = new Date().toISOString()
  await transact(fixture.sql, (tx) =>
    invitations.revoke(tx, { organizationId, id: revoked.invitation.id, at }),
  )
  const next = await transact(fixture.sql, (tx) =>
    resendInvitation(tx, organizationId, replaced.invitation.id, operator(), {
      sendsNotices: true,
    }),
  )
  for (const { place } of [revoked, replaced]) {
    await finish(place)
    expect(await statesOf(place)).toEqual(['skipped invitation_over'])
  }
  const place = await noticeOf(organizationId, next)
  await finish(place)
  expect(await statesOf(place)).toEqual(['sent'])
  const { mails } = await fixture.control.mails({ search: replaced.invitation.email })
  expect(mails).toHaveLength(1)
})

it('two days of an account that goes to and fro: a mail a day, counted at the provider', async () => {
  const account = await fixture.connect()
  const { checkAccount } = fixture.activities()
  fixture.setTime(Date.parse('2026-03-01T00:10:00Z'))
  const hours = isFull ? 1 : 3
  for (let look = 0; look < 48 / hours; look++) {
    await account.put(look % 2 === 0 ? FIGURES.at_risk : FIGURES.healthy)
    fixture.pass(hours * HOUR_MS)
    await checkAccount(account)
    const waiting = await fixture.sql<{ noticeId: string }[]>`
      select distinct notice_id from notice_mails
      where organization_id = ${account.organizationId} and state = 'queued'`
    for (const { noticeId } of waiting) {
      await finish({ organizationId: account.organizationId, noticeId })
    }
  }
  expect(await mailsTo(account)).toEqual([2])
})

it('every verdict has its words, and a reason without a sentence of ours is still legible', () => {
  const data = { connectionId: 'c', accountNumber: '1', region: 'r', reasons: ['enforcement_new'] }
  const texts = (['healthy', 'unknown', 'at_risk', 'in_danger'] as const).map((status) =>
    noticeText({ kind: 'account_health', data: { ...data, status } }, 'Alice Ltd'),
  )
  expect(new Set(texts.map(({ subject }) => subject)).size).toBe(4)
  for (const { text } of texts) expect(text).toContain('- enforcement new')
})
