import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import { acceptMails } from '../../src/core/mails/accept-mails.ts'
import type { Attachment } from '../../src/domain/mails/attachments.ts'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import { claimMails, listToLookUp } from '../../src/store/mails/claim-mails.ts'
import * as probes from '../../src/store/delivery/probes.ts'
import { enqueue, type SingleMail } from '../../src/store/mails/enqueue-mails.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import type { Reason } from '../../src/store/consent/suppressions.ts'
import { type Keyring, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { batchWorkflowId, mailWorkflowId } from '../../workflows/contract.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, type FakeOutcome, fakeMailer, sent } from '../support/mailer.ts'
import { seedExecution, seedFlow } from '../support/seed-flow.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'
import { guarantee } from '../support/guarantee.ts'

const RETIRED = newKeyringText().replace('dev', 'old')
const keyring = parseKeyring(`${newKeyringText()},${RETIRED}`)
let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let engine: Engine
let outcome: (to: string) => FakeOutcome
let mailer: FakeMailer
let seeded: Seeded
const SLOW = 'slow@example.com'
/** Until it the provider says nothing about a mail to that address. */
let slowAnswer = Promise.resolve()

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  const answering = fakeMailer((mail) => outcome(mail.to))
  mailer = {
    ...answering,
    send: async (wanted, call) => {
      const answer = await answering.send(wanted, call)
      if (wanted.to === SLOW) await slowAnswer
      return answer
    },
  }
  engine = await startEngine({ databaseUrl: database.url, mailer, keyring })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})
beforeEach(async () => {
  outcome = sent
  mailer.calls.length = 0
  mailer.accepted.length = 0
  seeded = await seedOrganization(sql)
})

const mail = (more: Partial<SingleMail> = {}): SingleMail => ({
  organizationId: seeded.organizationId,
  id: uuidv7(),
  source: 'transactional',
  connectionId: seeded.connectionId,
  recipient: 'somebody@example.com',
  from: 'shop@example.com',
  subject: 'Your receipt',
  text: 'Thank you',
  ...more,
})

const emailOf = async (contactId: string): Promise<string> => {
  const [row] = await sql<{ email: string }[]>`select email from contacts where id = ${contactId}`
  return row?.email ?? ''
}

/** The mail of an execution that awaits it. */
async function enqueueOfFlow(contactId: string): Promise<void> {
  const { organizationId } = seeded
  const flowId = await seedFlow(sql, organizationId)
  const status = 'active' as const
  const executionId = await seedExecution(sql, organizationId, { flowId, contactId, status })
  const recipient = await emailOf(contactId)
  const wanted = mail({ contactId, recipient, source: 'workflow', executionId })
  await sql`
    insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
      status, mail_id)
    values (${organizationId}, ${executionId}, 'mail', 1, 1, 'send_email', 'executing',
      ${wanted.id})`
  await enqueue(sql, wanted)
}

const states = async () => {
  const rows = await sql<{ state: string; count: number }[]>`
    select state, count(*) as count
    from messages
    where organization_id = ${seeded.organizationId}
    group by state`
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** Accepts a mail as the API does. Returns its id. */
async function accept(
  to: string,
  { sendAt, attachments = [] }: { sendAt?: number; attachments?: Attachment[] } = {},
): Promise<string> {
  const prepared = {
    connectionId: seeded.connectionId,
    contactId: undefined,
    templateId: undefined,
    mail: {
      from: 'shop@example.com',
      replyTo: null,
      to,
      subject: 'Your receipt',
      html: '<p>Thank you</p>',
      text: 'Thank you',
      headers: [{ name: 'X-Order', value: '42' }],
    },
    attachments,
    tags: [{ name: 'kind', value: 'receipt' }],
    sendAt,
    retainBody: true,
  }
  const context = { keyring, now: Date.now() }
  const [accepted] = await transact(sql, (tx) =>
    acceptMails(tx, seeded.organizationId, [prepared], context),
  )
  return accepted?.id ?? ''
}

describe('single mail', () => {
  it('is not held up by a slow answer to other mail of the account, and goes to nobody twice', async () => {
    let answer = () => {}
    slowAnswer = new Promise((resolve) => (answer = resolve))
    await enqueue(sql, mail({ recipient: SLOW }))
    await until(async () => mailer.accepted.length === 1)
    for (let n = 0; n < 20; n++) {
      await enqueue(sql, mail({ recipient: `reader-${n}@example.com` }))
    }
    // One call has no answer yet.
    await until(async () => (await states())['sent'] === 20)
    answer()
    await until(async () => (await states())['sent'] === 21)
    guarantee(() => expect(new Set(mailer.accepted).size).toBe(21))
    guarantee(() => expect(mailer.accepted).toHaveLength(21))
  })

  it('of the API leaves with its content and tags, and fails if its content is lost', async () => {
    const lost = await accept('lost@example.com', { sendAt: Date.now() + 3_000 })
    await sql`update transactional_mails set sealed = '\\x00' where id = ${lost}`
    await accept('somebody@example.com')
    await until(async () => {
      const found = await states()
      return found['sent'] === 1 && found['failed'] === 1
    })
    expect(mailer.calls).toHaveLength(1)
    expect(mailer.calls[0]).toMatchObject({
      to: 'somebody@example.com',
      subject: 'Your receipt',
      html: '<p>Thank you</p>',
      text: 'Thank you',
      headers: [{ name: 'X-Order', value: '42' }],
    })
    expect(mailer.calls[0]?.tags.at(-1)).toEqual({ name: 'kind', value: 'receipt' })
    const [failed] = await sql`select reason from messages where id = ${lost}`
    expect(failed).toEqual({ reason: 'content_lost' })
  })

  it('with attachments is a message of our own, with names in any script', async () => {
    const content = (bytes: string) => Buffer.from(bytes).toString('base64')
    const filename = 'Rechnung Nr. 5 – 发票.pdf'
    await accept('somebody@example.com', {
      attachments: [
        { filename, content: content('%PDF') },
        { filename: 'logo.png', contentId: 'logo@shop', content: content('PNG') },
        { filename: 'data', contentType: 'application/x-own', content: content('own') },
      ],
    })
    await until(async () => (await states())['sent'] === 1)
    const raw = mailer.calls[0]?.raw
    const parsed = await PostalMime.parse(Buffer.from(raw ?? []))
    expect(parsed).toMatchObject({
      from: { address: 'shop@example.com' },
      to: [{ address: 'somebody@example.com' }],
      subject: 'Your receipt',
      html: '<p>Thank you</p>\n',
      text: 'Thank you\n',
    })
    expect(parsed.headers).toContainEqual(expect.objectContaining({ key: 'x-order', value: '42' }))
    const files = parsed.attachments.map((each) => [
      each.filename,
      each.mimeType,
      each.disposition,
      each.contentId ?? null,
      typeof each.content === 'string'
        ? each.content
        : Buffer.from(new Uint8Array(each.content)).toString(),
    ])
    expect(files).toEqual(
      expect.arrayContaining([
        [filename, 'application/pdf', 'attachment', null, '%PDF'],
        ['logo.png', 'image/png', 'inline', '<logo@shop>', 'PNG'],
        ['data', 'application/x-own', 'attachment', null, 'own'],
      ]),
    )
  })

  it('that was postponed is not claimed by a drain that saw it due before', async () => {
    const { organizationId, connectionId } = seeded
    const id = await accept('later@example.com', { sendAt: Date.now() + 60_000 })
    const claim = { organizationId, connectionId, bucket: dayBucket(id), claimId: uuidv7() }
    expect((await claimMails(sql, { ...claim, ids: [id] })).mails).toEqual([])
    expect(await states()).toEqual({ queued: 1 })
    await sql`delete from mail_queue`
  })

  it('is not sent to an address that has bounced, though its contact has another address', async () => {
    const { organizationId } = seeded
    const [contactId = ''] = await seedContacts(sql, organizationId, 1)
    const sendAt = Date.now() + 3_000
    const id = await accept('old@example.com', { sendAt })
    await sql`update messages set contact_id = ${contactId} where id = ${id}`
    await transact(sql, (tx) =>
      suppressions.put(tx, organizationId, [
        {
          address: addressed(keyring, organizationId, 'old@example.com'),
          reason: 'bounced',
          source: 'event',
        },
      ]),
    )
    await until(async () => (await states())['skipped'] === 1)
    expect(mailer.calls).toHaveLength(0)
  })

  it('leaves with its content once it is enqueued', async () => {
    await enqueue(sql, mail({ replyTo: 'help@example.com', html: '<p>Thank you</p>' }))
    await until(async () => (await states())['sent'] === 1)
    expect(mailer.calls).toHaveLength(1)
    expect(mailer.calls[0]).toMatchObject({
      from: 'shop@example.com',
      replyTo: 'help@example.com',
      to: 'somebody@example.com',
      subject: 'Your receipt',
      html: '<p>Thank you</p>',
      text: 'Thank you',
    })
    expect(await sql`select from mail_queue`).toHaveLength(0)
    expect(await sql`select from claims`).toHaveLength(0)
  })

  it('has a dispatcher whose tasks come before those of other workflows', async () => {
    await enqueue(sql, mail({ source: 'confirmation' }))
    await until(async () => (await states())['sent'] === 1)
    const dispatcher = engine.client.workflow.getHandle(mailWorkflowId(seeded.connectionId))
    const other = engine.client.workflow.getHandle(batchWorkflowId(await seedBatch(sql, seeded), 1))
    const priorityOf = async (handle: typeof other): Promise<number> =>
      (await handle.describe()).priority?.priorityKey ?? 3
    const others = await until(() => priorityOf(other).catch(() => undefined))
    expect(await priorityOf(dispatcher)).toBeLessThan(others)
    const { priority } = await dispatcher.describe()
    expect(priority?.fairnessKey).toBe(seeded.organizationId)
  })

  it('to an address without a contact is held back by the list, under any of our keys', async () => {
    const { organizationId } = seeded
    const older = parseKeyring(RETIRED)
    const put = (ring: Keyring, email: string, reason: Reason) =>
      transact(sql, (tx) =>
        suppressions.put(tx, organizationId, [
          { address: addressed(ring, organizationId, email), reason, source: 'api' },
        ]),
      )
    await put(keyring, 'bounced@example.com', 'bounced')
    await put(older, 'complained@example.com', 'complained')
    await put(keyring, 'left@example.com', 'unsubscribed')
    const stranger = await seedOrganization(sql)
    await transact(sql, (tx) =>
      suppressions.put(tx, stranger.organizationId, [
        {
          address: addressed(keyring, stranger.organizationId, 'fine@example.com'),
          reason: 'bounced',
          source: 'api',
        },
      ]),
    )
    for (const recipient of ['Bounced@example.com', 'complained@example.com', 'left@example.com']) {
      await enqueue(sql, mail({ recipient }))
    }
    await enqueue(sql, mail({ recipient: 'fine@example.com' }))
    await until(async () => {
      const found = await states()
      return found['sent'] === 2 && found['skipped'] === 2
    })
    // Who unsubscribed still gets the receipt, and nothing of an automation.
    guarantee(() =>
      expect(mailer.accepted.toSorted()).toEqual(['fine@example.com', 'left@example.com']),
    )
    const skipped = await sql`
      select recipient, source, status, reason
      from messages
      where organization_id = ${organizationId} and state = 'skipped'
      order by recipient`
    expect(skipped).toEqual([
      {
        recipient: 'Bounced@example.com',
        source: 'transactional',
        status: 'suppressed',
        reason: 'bounced',
      },
      {
        recipient: 'complained@example.com',
        source: 'transactional',
        status: 'suppressed',
        reason: 'complained',
      },
    ])
  })

  it('is looked up in the list while another worker holds it, since it may come back before a claim', async () => {
    const { organizationId } = seeded
    const single = mail({ recipient: 'ada@example.com' })
    await enqueue(sql, single)
    await until(async () => (await states())['sent'] === 1)
    const { id } = single
    const listed = await listToLookUp(sql, { organizationId, bucket: dayBucket(id), ids: [id] })
    expect(listed).toEqual([{ id, recipient: 'ada@example.com', source: 'transactional' }])
  })

  it('is mailed once, however often the same decision is enqueued', async () => {
    const dedupeKey = uuidv7()
    const wanted = mail({ dedupeKey })
    const made = await Promise.all(Array.from({ length: 20 }, () => enqueue(sql, wanted)))
    expect(made.filter(Boolean)).toHaveLength(1)
    await until(async () => (await states())['sent'] === 1)
    expect(await enqueue(sql, wanted)).toBe(false)
    await new Promise((resolve) => setTimeout(resolve, 500))
    guarantee(() => expect(mailer.accepted).toHaveLength(1))
  })

  it.each(['transactional', 'confirmation'] as const)(
    'finds every row of a stream of %s mail',
    async (source) => {
      for (let burst = 0; burst < 20; burst++) {
        await Promise.all(Array.from({ length: 10 }, () => enqueue(sql, mail({ source }))))
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 100))
      }
      await until(async () => (await states())['sent'] === 200)
      guarantee(() => expect(mailer.accepted).toHaveLength(200))
    },
  )

  it('waits for its time', async () => {
    const sendAt = new Date(Date.now() + 1_500).toISOString()
    await enqueue(sql, mail({ sendAt }))
    await until(async () => (await states())['sent'] === 1)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(sendAt))
  })

  it('sends receipts before flows', async () => {
    await sql`update sending_limits set max_send_rate = 1, tokens = 0 where account_id = ${seeded.accountId}`
    const [contactId = ''] = await seedContacts(sql, seeded.organizationId, 1)
    for (let n = 0; n < 8; n++) await enqueueOfFlow(contactId)
    await enqueue(sql, mail({ recipient: 'receipt@example.com' }))
    const before = mailer.accepted.length
    await until(async () => (await states())['sent'] === 9)
    expect(before).toBeLessThan(6)
    guarantee(() => expect(mailer.accepted.indexOf('receipt@example.com')).toBeLessThan(before + 3))
  })

  it('goes to active and unsubscribed contacts when it is a receipt, never to bounced ones', async () => {
    const [active, left, bounced] = await seedContacts(sql, seeded.organizationId, 3)
    await sql`update contacts set email_status = 'unsubscribed' where id = ${left!}`
    await sql`update contacts set email_status = 'bounced' where id = ${bounced!}`
    for (const contactId of [active!, left!, bounced!]) {
      await enqueue(sql, mail({ contactId, recipient: await emailOf(contactId) }))
      await enqueueOfFlow(contactId)
    }
    await until(async () =>
      Object.keys(await states()).every((state) => ['sent', 'skipped'].includes(state)),
    )
    expect(mailer.accepted.toSorted()).toEqual(
      [await emailOf(active!), await emailOf(active!), await emailOf(left!)].toSorted(),
    )
    expect(await states()).toEqual({ sent: 3, skipped: 3 })
  })

  it('is sent if it is a receipt to another address than the contact’s', async () => {
    const [bounced] = await seedContacts(sql, seeded.organizationId, 1)
    await sql`update contacts set email_status = 'bounced' where id = ${bounced!}`
    await enqueue(sql, mail({ contactId: bounced!, recipient: 'other@example.com' }))
    await until(async () => (await states())['sent'] === 1)
    guarantee(() => expect(mailer.accepted).toEqual(['other@example.com']))
  })

  it.each<[string, FakeOutcome]>([
    [
      'an identity',
      {
        kind: 'refused',
        reason: 'message_rejected',
        error: 'MessageRejected: Email address is not verified.',
        ofSender: true,
      },
    ],
    [
      'a MAIL FROM domain',
      {
        kind: 'unavailable',
        reason: 'mail_from_not_verified',
        error: 'MailFromDomainNotVerifiedException',
        ofSender: true,
      },
    ],
  ])('of %s that is refused waits; other mail of the connection leaves', async (_, refusal) => {
    await sql`update sending_limits set max_send_rate = 14 where account_id = ${seeded.accountId}`
    let isMended = false
    outcome = (to) => (to.startsWith('stuck') && !isMended ? refusal : sent())
    const enqueueMany = async (name: string, count: number) => {
      for (let n = 0; n < count; n++) {
        await enqueue(sql, mail({ recipient: `${name}${n}@example.com` }))
      }
    }
    await enqueueMany('stuck', 8)
    await until(async () => mailer.calls.length >= 8)
    await enqueueMany('fine', 5)
    await until(async () => (await states())['sent'] === 5)
    await expect.poll(states).toEqual({ sent: 5, queued: 8 })
    isMended = true
    await until(async () => (await states())['sent'] === 13)
    guarantee(() => expect(new Set(mailer.accepted).size).toBe(13))
    guarantee(() => expect(mailer.accepted).toHaveLength(13))
    // What was refused is none of what the account may send in 24 hours.
    await until(async () => {
      const [used] = await sql<{ mails: number }[]>`
        select sum(mails)::int as mails from sending_usage where account_id = ${seeded.accountId}`
      return used?.mails === 13
    })
  })

  it('of a refused sender is tried less often the longer it waits', async () => {
    await sql`update connections set is_verified = false where id = ${seeded.connectionId}`
    const waitsMs = async (hours: number): Promise<number> => {
      const sendAt = new Date(Date.now() - hours * 3_600_000).toISOString()
      const { id, organizationId, connectionId } = mail()
      await enqueue(sql, mail({ id, sendAt }))
      const place = { organizationId, bucket: dayBucket(id), ids: [id] }
      await mailQueue.postpone(sql, place, connectionId, 30_000)
      const [row] = await sql<{ ms: number }[]>`
        select extract(epoch from send_at - clock_timestamp())::float8 * 1000 as ms
        from mail_queue where id = ${id}`
      return Math.round((row?.ms ?? 0) / 10_000) * 10_000
    }
    expect(await waitsMs(0)).toBe(30_000)
    expect(await waitsMs(10)).toBe(1_800_000)
    expect(await waitsMs(100)).toBe(3_600_000)
    await sql`delete from mail_queue`
  })

  it('leaves though rows before it cannot be claimed', async () => {
    const { organizationId, connectionId } = seeded
    await enqueue(sql, mail({ recipient: 'before@example.com' }))
    await until(async () => (await states())['sent'] === 1)
    const later = await accept('later@example.com', { sendAt: Date.now() + 3_600_000 })
    // As a drain and a cancellation, or another time, at the same moment leave them behind.
    await sql`
      insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
      select organization_id, bucket, id, connection_id, 1, now() - interval '1 minute'
      from messages
      where organization_id = ${organizationId} and state = 'sent'`
    await sql`
      update mail_queue set send_at = now() - interval '1 minute' where id = ${later}`
    await enqueue(sql, mail({ source: 'confirmation', recipient: 'behind@example.com' }))
    await until(async () => (await states())['sent'] === 2)
    guarantee(() => expect(mailer.accepted).toEqual(['before@example.com', 'behind@example.com']))
    const left = await sql`
      select q.id
      from mail_queue q
      join messages m using (organization_id, bucket, id)
      where q.connection_id = ${connectionId} and q.send_at = m.send_at`
    expect(left).toEqual([{ id: later }])
    await sql`delete from mail_queue`
  })

  it('goes back to the queue when the provider cannot be reached, and leaves later', async () => {
    let calls = 0
    outcome = () => (++calls <= 2 ? { kind: 'unreachable', error: 'ECONNREFUSED' } : sent())
    await enqueue(sql, mail())
    await until(async () => (await states())['sent'] === 1)
    expect(calls).toBe(3)
    guarantee(() => expect(mailer.accepted).toHaveLength(1))
  })

  it('with an unknown outcome and no event fails in the end, and is never sent again', async () => {
    outcome = () => ({ kind: 'unknown', error: 'timeout', accepted: true })
    await enqueue(sql, mail())
    await until(async () => (await states())['failed'] === 1, 60_000)
    guarantee(() => expect(mailer.accepted).toHaveLength(1))
    expect(await sql`select from mail_queue`).toHaveLength(0)
  })

  it('is drained by one dispatcher per connection, which an operator can find', async () => {
    await enqueue(sql, mail({ source: 'confirmation' }))
    await until(async () => (await states())['sent'] === 1)
    const run = await engine.client.workflow
      .getHandle(mailWorkflowId(seeded.connectionId))
      .describe()
    expect(run.status.name).toBe('RUNNING')
    expect(run.searchAttributes).toMatchObject({
      ConnectionId: [seeded.connectionId],
      Kind: ['mail'],
    })
  })
})

describe('probes', () => {
  it('are mails to the simulator without a row, sent if too few mails show whether events arrive', async () => {
    await seedContacts(sql, seeded.organizationId, 1)
    outcome = () => ({ kind: 'unknown', error: 'timeout' })
    const batchId = await seedBatch(sql, seeded)
    // Other tests' mails may be in doubt still.
    const { organizationId } = seeded
    const mailed = () =>
      mailer.probes.filter(({ tags }) => tags.some(({ value }) => value === organizationId))
    await until(async () => mailed().length >= 20)
    // On a busy machine they are asked for a second time before the last of them has left.
    expect(mailed().length).toBeLessThanOrEqual(40)
    guarantee(() => expect(mailer.accepted).toEqual([]))
    const [probe] = mailed()
    expect(probe).toMatchObject({ from: 'news@example.com' })
    expect(probe?.tags.map(({ name }) => name)).not.toContain('letterloom-message')
    expect(await states()).toEqual({ unknown: 1 })
    // Asked for again at once, none is sent.
    await sql`
      update connections set probe_requested_at = now() + interval '1 hour', probes_wanted = 0
      where id = ${seeded.connectionId}`
    // The last that was taken may be on its way.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const before = mailed().length
    await probes.request(sql, seeded, { count: 20, everyMs: 60_000 })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(mailed()).toHaveLength(before)
    await sql`update batches set status = 'cancelled' where id = ${batchId}`
  })
})
