import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRunStep } from '../../activities/flows/run-step.ts'
import { createSteps } from '../../activities/flows/steps/index.ts'
import type { StepOutcome } from '../../src/core/flows/moves.ts'
import { waitForEmailEngagement } from '../../activities/flows/steps/wait-for-email-engagement.ts'
import type { Fence, Move } from '../../src/domain/flows/execution.ts'
import type { StepOf } from '../../src/domain/flows/flow.ts'
import type { Engagement } from '../../src/domain/flows/steps/wait-for-email-engagement.ts'
import { dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { createDefinitionCache } from '../../src/store/flows/definition-cache.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedFlow } from '../support/flows.ts'
import { type Seeded, seedContacts, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { each, seedExecution, seedExitFlow, visit, wakes } from '../support/waiting.ts'
import { connectAs } from '../support/logins.ts'

const PAIRS = sized(150, 500)
const keyring = parseKeyring(newKeyringText())

let database: TestDatabase
let worker: Sql
let applier: Sql
let seeded: Seeded
let flowId: Uuid
beforeAll(async () => {
  database = await createDatabase()
  worker = connectAs(database.url, { name: 'worker', role: 'letterloom_worker', max: 8 })
  applier = connectAs(database.url, { name: 'applier', role: 'letterloom_worker', max: 8 })
})
beforeEach(async () => {
  seeded = await seedOrganization(database.sql)
  flowId = await seedExitFlow(database.sql, seeded.organizationId)
})
afterAll(async () => {
  await Promise.all([worker.end(), applier.end()])
  await database.drop()
})

interface Mailed {
  executionId: Uuid
  contactId: Uuid
  mailId: Uuid | null
}

/** Executions whose send_email step is over; `state`: of its mail, null: it made none. */
async function mailed(count: number, state: string | null = 'sent'): Promise<Mailed[]> {
  const { organizationId, connectionId } = seeded
  const contactIds = await seedContacts(database.sql, organizationId, count)
  return Promise.all(
    contactIds.map(async (contactId) => {
      const executionId = await seedExecution(database.sql, { organizationId, flowId, contactId })
      const mailId = state === null ? null : uuidv7()
      await database.sql`
        insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
          status, mail_id)
        values (${organizationId}, ${executionId}, 'mail', 1, 1, 'send_email', 'completed',
          ${mailId})`
      if (mailId === null) return { executionId, contactId, mailId }
      await enqueue(database.sql, {
        organizationId,
        id: mailId,
        source: 'workflow',
        connectionId,
        contactId,
        executionId,
        recipient: 'reader@example.com',
        from: 'news@example.com',
        subject: 'Hello',
        text: 'Hello',
      })
      await database.sql`delete from mail_queue where id = ${mailId}`
      await database.sql`
        update messages set state = ${state}, status = 'sent', sent_at = now() where id = ${mailId}`
      return { executionId, contactId, mailId }
    }),
  )
}

const mailedOne = async (state?: string | null) => (await mailed(1, state))[0]!

const step = (
  events: Engagement[] = ['opened', 'clicked'],
): StepOf<'wait_for_email_engagement'> => ({
  id: 'wait',
  name: 'wait',
  type: 'wait_for_email_engagement',
  config: { stepId: 'mail', events, timeout: { amount: 1, unit: 'hours' } },
})
const run = (mail: Mailed, events?: Engagement[]): Promise<StepOutcome> =>
  visit({
    sql: worker,
    handler: waitForEmailEngagement,
    organizationId: seeded.organizationId,
    ...mail,
    step: step(events),
  })

type Type = 'Open' | 'Click' | 'Bounce'
const at = (second: number) => new Date(Date.now() + second * 1_000).toISOString()

/** Stores what the provider says, as the webhook does. */
const store = (mailId: Uuid | null, type: Type, second = 0) => {
  const timestamp = at(second)
  const body = {
    detail: {
      eventType: type,
      mail: {
        timestamp: at(-60),
        messageId: `m-${mailId}`,
        tags: {
          'letterloom-message': [`${dayBucket(mailId!)}_${mailId}`],
          'letterloom-organization': [seeded.organizationId],
        },
      },
      open: { timestamp, userAgent: 'Mail' },
      click: { timestamp, link: 'https://example.com/' },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        timestamp,
        feedbackId: uuidv7(),
      },
    },
  }
  return database.sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    values (${seeded.organizationId}, ${seeded.connectionId}, ${uuidv7()},
      ${database.sql.json(body)})`
}
const receive = async (mailId: Uuid | null, type: Type, second = 0) => {
  await store(mailId, type, second)
  await applyEvents(applier, keyring)
}

const waiting = expect.objectContaining({ kind: 'wait', status: 'waiting' })
const came = (branch: Engagement) => expect.objectContaining({ kind: 'done', branch })
const timeout = { kind: 'done', branch: 'timeout' }
const endsIn = ({ executionId }: Mailed, ms: number) => database.sql`
  update waits
  set expires_at = clock_timestamp() + ${ms} * interval '1 millisecond'
  where execution_id = ${executionId}`

describe('an engagement before the wait', () => {
  test.each<[Type, Engagement]>([
    ['Open', 'opened'],
    ['Click', 'clicked'],
    ['Bounce', 'bounced'],
  ])('%s: counts', async (type, engagement) => {
    const mail = await mailedOne()
    await receive(mail.mailId, type)
    const outcome = await run(mail, ['opened', 'clicked', 'bounced'])
    expect(outcome).toMatchObject({
      kind: 'done',
      branch: engagement,
      result: { engagement, at: expect.any(String) },
    })
    expect(await wakes(database.sql, seeded.organizationId)).toEqual([])
  })

  test('of several the earliest counts, of those that it waits for', async () => {
    const mail = await mailedOne()
    await receive(mail.mailId, 'Open', -30)
    await receive(mail.mailId, 'Click', -20)
    expect(await run(mail, ['bounced', 'clicked', 'opened'])).toEqual(came('opened'))
    const other = await mailedOneMore()
    await receive(other.mailId, 'Open', -30)
    expect(await run(other, ['clicked'])).toEqual(waiting)
  })
})

/** In an organization of its own: names of contacts are counted from 1. */
const mailedOneMore = async () => {
  seeded = await seedOrganization(database.sql)
  flowId = await seedExitFlow(database.sql, seeded.organizationId)
  return mailedOne()
}

describe('an engagement during the wait', () => {
  test('lets the execution go on by the branch of its name, and wakes it', async () => {
    const mail = await mailedOne()
    expect(await run(mail)).toEqual(waiting)
    await receive(mail.mailId, 'Click')
    expect(await wakes(database.sql, seeded.organizationId)).toEqual([mail.executionId])
    expect(await run(mail)).toEqual(came('clicked'))
    await receive(mail.mailId, 'Open')
    expect(await run(mail)).toEqual(came('clicked'))
  })

  test('with another mail, or that it does not wait for, changes nothing', async () => {
    const [mail, other] = await mailed(2)
    expect(await run(mail!, ['clicked'])).toEqual(waiting)
    await receive(other!.mailId, 'Click')
    await receive(mail!.mailId, 'Open')
    expect(await run(mail!, ['clicked'])).toEqual(waiting)
    await endsIn(mail!, 0)
    expect(await run(mail!, ['clicked'])).toEqual(timeout)
    expect(await wakes(database.sql, seeded.organizationId)).toEqual([])
  })
})

describe('the end of time', () => {
  test('waits for what the provider told us before it and is not applied yet', async () => {
    const mail = await mailedOne()
    await run(mail)
    await store(mail.mailId, 'Open', -5)
    await endsIn(mail, 5)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await run(mail)).toEqual(waiting)
    await applyEvents(applier, keyring)
    expect(await run(mail)).toEqual(came('opened'))
  })

  test('does not wait for what came after it, nor for ever', async () => {
    const [late, stuck] = await mailed(2)
    await run(late!)
    await run(stuck!)
    await endsIn(late!, 0)
    await endsIn(stuck!, -301_000)
    await store(late!.mailId, 'Open', 1)
    await database.sql`
      update inbound_events
      set received_at = clock_timestamp() + interval '1 second'
      where applied_at is null`
    expect(await run(late!)).toEqual(timeout)
    await database.sql`
      update inbound_events
      set received_at = clock_timestamp() - interval '1 hour'
      where applied_at is null`
    expect(await run(stuck!)).toEqual(timeout)
    await applyEvents(applier, keyring)
    expect(await run(late!)).toEqual(timeout)
  })

  test.each([
    ['no mail was made', null],
    ['the mail was skipped', 'skipped'],
  ])('is at once where %s', async (_, state) => {
    const mail = await mailedOne(state)
    const outcome = { kind: 'skipped', reason: 'no_mail', branch: 'timeout' }
    expect(await run(mail)).toEqual(outcome)
    const waits = await database.sql`select from waits where execution_id = ${mail.executionId}`
    expect(waits).toHaveLength(0)
  })
})

test('the mail of the last visit is the one that is waited for', async () => {
  const mail = await mailedOne()
  await receive(mail.mailId, 'Click')
  await database.sql`
    insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
      status)
    values (${seeded.organizationId}, ${mail.executionId}, 'mail', 2, 2, 'send_email', 'skipped')`
  expect(await run(mail)).toMatchObject({ kind: 'skipped', reason: 'no_mail' })
})

/** The same by what workers run: the locks of a step are taken by whoever runs it. */
async function runner() {
  const wait = step(['opened'])
  const ends = (['opened', 'never'] as const).map((id) => ({
    id,
    type: 'exit' as const,
    config: { outcome: 'completed' as const },
  }))
  const mail = { id: 'mail', type: 'send_email' as const, config: {} }
  const flow = await seedFlow(database.sql, seeded.organizationId, {
    steps: [mail, wait, ...ends],
    transitions: ['mail>wait', 'wait:opened>opened', 'wait:timeout>never'],
  })
  flowId = flow.flowId
  const runStep = createRunStep({
    sql: worker,
    steps: createSteps({
      keyring,
      publicUrl: 'https://mail.example.com',
      sql: worker,
      fetcher: createFetcher({ allowed: [] }),
      now: Date.now,
    }),
    definitions: createDefinitionCache(),
  })
  const attempt = { number: 1, isLocal: false, signal: new AbortController().signal }
  return async ({ executionId }: Mailed): Promise<Move> => {
    const [fence] = await worker<Fence[]>`
      update executions
      set step_id = 'wait', visit = 1
      where id = ${executionId} and coalesce(step_id, 'wait') = 'wait'
      returning fence_workflow_id as workflow_id, fence_run_id as run_id`
    const { organizationId } = seeded
    const visit = { organizationId, executionId, stepId: 'wait', visit: 1, fence: fence! }
    return runStep(visit, attempt)
  }
}

test(`${PAIRS} pairs of a wait and an opened mail at the same moment: none is lost, none is doubled`, {
  timeout: 180_000,
}, async () => {
  const run = await runner()
  const mails = await mailed(PAIRS)
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const met = await each(mails, async (mail) => {
    const later = Math.random() * 40
    const isFirst = Math.random() < 0.5
    const [first] = await Promise.all([
      isFirst ? run(mail) : sleep(later).then(() => run(mail)),
      (isFirst ? sleep(later) : Promise.resolve())
        .then(() => store(mail.mailId, 'Open'))
        .then(() => applyEvents(applier, keyring, 1)),
    ])
    return { mail, first }
  })
  while ((await applyEvents(applier, keyring)) > 0);
  const woken = met.filter(({ first }) => first.do === 'wait').map(({ mail }) => mail)
  // Both orders did happen.
  expect(Math.min(woken.length, PAIRS - woken.length)).toBeGreaterThan(0)
  const promised = await wakes(database.sql, seeded.organizationId)
  expect(promised.toSorted()).toEqual(woken.map(({ executionId }) => executionId).toSorted())
  const moves = await each(woken, (mail) => run(mail))
  const early = met.map(({ first }) => first).filter((move) => move.do !== 'wait')
  for (const move of [...early, ...moves]) {
    expect(move).toMatchObject({ do: 'step', stepId: 'opened' })
  }
})
