import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Engagement } from '../../src/domain/flows/steps/wait-for-email-engagement.ts'
import { dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import * as claims from '../../src/store/delivery/claims.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { type Executor, type Sql, transact } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedExecution, type SeededExecution, wakes } from '../support/flow-steps.ts'
import { type Seeded, seedContacts, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

let database: TestDatabase
let sql: Sql
let seeded: Seeded
let contactId: Uuid
const keyring = parseKeyring(newKeyringText())
const HOUR_MS = 3_600_000

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())
beforeEach(async () => {
  seeded = await seedOrganization(sql)
  contactId = (await seedContacts(sql, seeded.organizationId, 1))[0] ?? ''
})

interface Mailed {
  execution: SeededExecution
  mailId: Uuid
}

/** An execution whose mail was sent, or is in the state given. */
async function mailed(state = 'sent'): Promise<Mailed> {
  const { organizationId, connectionId } = seeded
  const execution = await seedExecution(sql, seeded, { contactId, steps: [] })
  const mailId = uuidv7()
  await enqueue(sql, {
    organizationId,
    id: mailId,
    source: 'workflow',
    connectionId,
    contactId,
    executionId: execution.id,
    recipient: 'reader-1@example.com',
    from: 'shop@example.com',
    subject: 'x',
    text: 'x',
  })
  await sql`delete from mail_queue where id = ${mailId}`
  const isOpen = ['claimed', 'unknown'].includes(state)
  await sql`
    update messages
    set state = ${state}, status = ${state === 'sent' ? 'sent' : 'pending'},
      claim_id = ${isOpen ? uuidv7() : null}, claimed_at = ${isOpen ? new Date().toISOString() : null}
    where id = ${mailId}`
  return { execution, mailId }
}

interface Wait {
  engagements?: Engagement[]
  inMs?: number
}
const register = (
  executor: Executor,
  { execution, mailId }: Mailed,
  { engagements = ['opened', 'clicked', 'bounced'], inMs = HOUR_MS }: Wait = {},
) => executor`
  insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind, mail_id,
    engagements, since, expires_at)
  values (${execution.organizationId}, ${execution.id}, 'wait', 1, ${contactId}, 'engagement',
    ${mailId}, ${engagements}, now(), now() + ${inMs} * interval '1 millisecond')`

const waitOf = async ({ execution }: Mailed) => {
  const [wait] = await sql<{ status: string; matched: string | null; matchedAt: string | null }[]>`
    select status, matched, matched_at from waits where execution_id = ${execution.id}`
  return wait
}

type Type = 'Send' | 'Delivery' | 'Open' | 'Click' | 'Bounce'
const at = (second: number) => new Date(Date.now() + second * 1_000).toISOString()
const event = (mailId: Uuid, type: Type, second = 1) => ({
  detail: {
    eventType: type,
    mail: {
      timestamp: at(0),
      messageId: `m-${mailId}`,
      tags: {
        'letterloom-message': [`${dayBucket(mailId)}_${mailId}`],
        'letterloom-organization': [seeded.organizationId],
      },
    },
    open: { timestamp: at(second), userAgent: 'Mail' },
    click: { timestamp: at(second), link: 'https://letterloom.example/x' },
    delivery: { timestamp: at(second), smtpResponse: '250 ok' },
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'General',
      timestamp: at(second),
      feedbackId: uuidv7(),
    },
  },
})
async function receive(bodies: object[], connectionId = seeded.connectionId, by = sql) {
  await by`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    select ${seeded.organizationId}, ${connectionId}, gen_random_uuid()::text, body
    from jsonb_array_elements(${sql.json(bodies)}) as given (body)`
  await applyEvents(by, keyring)
}

describe('an engagement with a mail', () => {
  it.each<[Type, Engagement]>([
    ['Open', 'opened'],
    ['Click', 'clicked'],
    ['Bounce', 'bounced'],
  ])('%s: goes to the execution that waits for it, which is woken once', async (type, matched) => {
    const mail = await mailed()
    const other = await mailed()
    await register(sql, mail)
    await register(sql, other)
    await receive([event(mail.mailId, 'Delivery'), event(mail.mailId, type)])
    expect(await waitOf(mail)).toMatchObject({ status: 'matched', matched })
    expect(await wakes(sql, mail.execution)).toBe(1)
    expect(await waitOf(other)).toMatchObject({ status: 'waiting' })
    expect(await wakes(sql, other.execution)).toBe(0)
    await receive([event(mail.mailId, 'Click', 2)])
    expect(await waitOf(mail)).toMatchObject({ matched })
    expect(await wakes(sql, mail.execution)).toBe(1)
  })

  it('the earliest of those waited for counts, in whatever order they arrive', async () => {
    const mail = await mailed()
    await register(sql, mail)
    await receive([event(mail.mailId, 'Click', 9), event(mail.mailId, 'Open', 3)])
    expect(await waitOf(mail)).toMatchObject({ status: 'matched', matched: 'opened' })
  })

  it('what is not waited for, comes too late, or is of a wait that is over changes nothing', async () => {
    const clicks = await mailed()
    const late = await mailed()
    const over = await mailed()
    await register(sql, clicks, { engagements: ['clicked'] })
    await register(sql, late, { inMs: 2_000 })
    await register(sql, over)
    await sql`update waits set status = 'timed_out' where execution_id = ${over.execution.id}`
    await receive([
      event(clicks.mailId, 'Open'),
      event(late.mailId, 'Open', 60),
      event(over.mailId, 'Open'),
    ])
    const statuses = await Promise.all([clicks, late, over].map(waitOf))
    expect(statuses.map((wait) => wait?.status)).toEqual(['waiting', 'waiting', 'timed_out'])
    for (const { execution } of [clicks, late, over]) expect(await wakes(sql, execution)).toBe(0)
  })

  it('another connection’s event about the mail changes nothing', async () => {
    const mail = await mailed()
    await register(sql, mail)
    const stranger = await seedOrganization(sql)
    await receive([event(mail.mailId, 'Open')], stranger.connectionId)
    expect(await waitOf(mail)).toMatchObject({ status: 'waiting' })
  })

  it('of 300 waits registered while their mail is opened none is missed and none woken twice', async () => {
    const mails = await Promise.all(Array.from({ length: 300 }, () => mailed()))
    // As the step does it: the mail's row first, then what came before, then the wait.
    const wait = (mail: Mailed) =>
      transact(sql, async (tx) => {
        const [known] = await tx<{ openedAt: string | null }[]>`
          select opened_at
          from messages
          where organization_id = ${seeded.organizationId}
            and bucket = ${dayBucket(mail.mailId)} and id = ${mail.mailId}
          for update`
        // Without the lock whoever applies the event would find no wait, and this no event.
        await tx`select pg_sleep(random() * 0.02)`
        if (known?.openedAt === null) await register(tx, mail)
        return known?.openedAt !== null
      })
    const applier = connectAs(database.url, { name: 'applier', role: 'letterloom_worker', max: 4 })
    const pairs = mails.map((mail) =>
      Promise.all([
        wait(mail),
        receive([event(mail.mailId, 'Open')], seeded.connectionId, applier),
      ]),
    )
    const early = (await Promise.all(pairs)).map(([isEarly]) => isEarly)
    await applier.end()
    while ((await applyEvents(sql, keyring)) > 0);
    const outcomes = await Promise.all(
      mails.map(async (mail, i) =>
        [early[i], (await waitOf(mail))?.status ?? 'none', await wakes(sql, mail.execution)].join(),
      ),
    )
    expect(outcomes.filter((each) => each !== 'true,none,0' && each !== 'false,matched,1')).toEqual(
      [],
    )
  })
})

describe('an execution that waits for its mail is woken', () => {
  it('when an event proves that it was sent', async () => {
    for (const state of ['claimed', 'unknown', 'failed']) {
      const { execution, mailId } = await mailed(state)
      await receive([event(mailId, 'Send'), event(mailId, 'Delivery')])
      expect([state, await wakes(sql, execution)]).toEqual([state, 1])
      await receive([event(mailId, 'Delivery', 3)])
      expect([state, await wakes(sql, execution)]).toEqual([state, 1])
    }
  })

  it('when nobody will ever know, and not when it goes back into the queue', async () => {
    for (const [outcome, step, count, state] of [
      ['unknown_outcome', 'executing', 1, 'failed'],
      ['not_accepted', 'executing', 0, 'queued'],
      // The step has gone on without it.
      ['not_accepted', 'completed', 1, 'failed'],
    ] as const) {
      const { execution, mailId } = await mailed('unknown')
      await sql`
        insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
          status, mail_id)
        values (${seeded.organizationId}, ${execution.id}, 'hello', 1, 1, 'send_email', ${step},
          ${mailId})`
      const [row] = await sql<{ claimId: Uuid }[]>`
        select claim_id from messages where id = ${mailId}`
      const claim = {
        organizationId: seeded.organizationId,
        id: row?.claimId ?? '',
        connectionId: seeded.connectionId,
        bucket: dayBucket(mailId),
        batchId: null,
        messageIds: [mailId],
      }
      await claims.decide(sql, claim, outcome)
      expect([outcome, await wakes(sql, execution)]).toEqual([outcome, count])
      const [mail] = await sql`select state from messages where id = ${mailId}`
      expect([outcome, step, mail]).toEqual([outcome, step, { state }])
      await claims.decide(sql, claim, outcome)
      expect([outcome, await wakes(sql, execution)]).toEqual([outcome, count])
    }
  })
})
