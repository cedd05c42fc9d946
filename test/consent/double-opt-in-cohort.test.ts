import { ApplicationFailure } from '@temporalio/activity'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { addressedByHash } from '../../src/keys/addresses.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as confirmations from '../../src/core/consent/double-opt-in.ts'
import * as confirming from '../../src/core/consent/confirm.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import type { Pair } from '../../src/store/consent/subscriptions.ts'
import { addressHash, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import type { confirmCohort } from '../../workflows/confirm-cohort.ts'
import { cohortWorkflowId } from '../../workflows/contract.ts'
import { seedConfirmations, type SeededConfirmations } from '../support/confirmations.ts'
import { type ConfirmationRuns, openConfirmationRuns } from '../support/confirmation-runs.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Activity failed mailConfirmations .*the worker is gone$/)

const DAY_MS = 86_400_000
/** For what is awaited of other programs. */
const SOON_MS = 120_000
const keyring = parseKeyring(newKeyringText())
/** More than two steps of an activity. */
const PEOPLE = 450

let runs: ConfirmationRuns
let there: SeededConfirmations

beforeAll(async () => {
  runs = await openConfirmationRuns(keyring)
})
afterAll(() => runs.close())
beforeEach(async () => {
  there = await seedConfirmations(runs.database.sql, keyring)
})

const start = (cohort: string) =>
  runs.time.client.workflow.start<typeof confirmCohort>('confirmCohort', {
    workflowId: cohortWorkflowId(uuidv7()),
    taskQueue: runs.taskQueue,
    args: [{ organizationId: there.organizationId, cohort }],
  })

async function withCohort<T>(
  cohort: string,
  act: (handle: Awaited<ReturnType<typeof start>>) => Promise<T>,
  changes: Partial<ConfirmationRuns['activities']> = {},
): Promise<T> {
  return runs.during(changes, async () => {
    const handle = await start(cohort)
    try {
      return await act(handle)
    } finally {
      await runs.time.terminate(handle)
    }
  })
}

async function seedCohort(people: number) {
  const contactIds = await there.contacts(people)
  const topicId = await there.topic()
  const cohort = uuidv7()
  await there.subscribe(contactIds, topicId, { cohort })
  return { contactIds, topicId, cohort }
}

/** How many people got how many mails. */
const mailed = async (): Promise<Record<string, number>> => {
  const rows = await runs.database.sql<{ mails: number; people: number }[]>`
    select mails, count(*) as people
    from (
      select contact_id, count(*) as mails
      from messages
      where organization_id = ${there.organizationId} and source = 'confirmation'
      group by contact_id
    ) each_person
    group by mails`
  return Object.fromEntries(rows.map(({ mails, people }) => [String(mails), people]))
}

const statuses = async (topicId: string): Promise<Record<string, number>> => {
  const rows = await runs.database.sql<{ status: string; people: number }[]>`
    select status, count(*) as people from subscriptions where topic_id = ${topicId}
    group by status`
  return Object.fromEntries(rows.map(({ status, people }) => [status, people]))
}

const confirm = async (contactId: string, topicId: string) => {
  const { organizationId } = there
  const [contact] = await runs.database.sql<{ email: string }[]>`
    select email from contacts where id = ${contactId}`
  const address = addressedByHash(keyring, addressHash(organizationId, contact!.email))
  const opened = { contactId, topicId, generation: 1, isMailed: () => true }
  return transact(runs.database.sql, (tx) =>
    confirming.confirm(tx, organizationId, opened, {
      address,
      requestId: 'test',
      at: new Date().toISOString(),
    }),
  )
}

it('a page of an import is mailed once each, reminded, and over after thirty days', async () => {
  const { contactIds, topicId, cohort } = await seedCohort(PEOPLE)
  const confirming = contactIds.slice(0, 100)
  const unsubscribing = contactIds.slice(100, 150)
  const asked = await runs.database.sql`select from outbox where kind = 'start_confirmation'`
  expect(asked).toHaveLength(0)
  await withCohort(cohort, async (handle) => {
    await runs.time.skip(DAY_MS)
    expect(await mailed()).toEqual({ 1: PEOPLE })
    for (const contactId of confirming) {
      expect((await confirm(contactId, topicId))?.state).toBe('confirmed')
    }
    await transact(runs.database.sql, (tx) =>
      subscriptions.unsubscribe(
        tx,
        there.organizationId,
        unsubscribing.map((contactId) => ({ contactId, topicId })),
        { source: 'link', own: true },
      ),
    )
    await runs.time.skip(3 * DAY_MS)
    expect(await mailed()).toEqual({ 1: 150, 2: PEOPLE - 150 })
    expect(await statuses(topicId)).toEqual({
      subscribed: 100,
      pending: PEOPLE - 150,
      unsubscribed: 50,
    })
    await runs.time.result(handle)
  })
  expect(await statuses(topicId)).toEqual({ subscribed: 100, unsubscribed: PEOPLE - 100 })
  expect(await mailed()).toEqual({ 1: 150, 2: PEOPLE - 150 })
  const [expired] = await runs.database.sql<{ events: number }[]>`
    select count(*) as events from consent_events where kind = 'expired' and topic_id = ${topicId}`
  expect(expired?.events).toBe(PEOPLE - 150)
})

it('a person who asks again themselves is no longer in the cohort', async () => {
  const { contactIds, topicId, cohort } = await seedCohort(3)
  const [again] = contactIds
  await withCohort(cohort, async (handle) => {
    await runs.time.skip(DAY_MS)
    await runs.database.sql`update subscriptions set mailed_at = mailed_at - interval '11 minutes'`
    expect((await there.ask(again!, topicId)).generation).toBe(2)
    await runs.time.result(handle)
  })
  expect(await mailed()).toEqual({ 1: 1, 2: 2 })
  expect(await statuses(topicId)).toEqual({ pending: 1, unsubscribed: 2 })
})

it('ends early when everybody has confirmed', async () => {
  const { contactIds, topicId, cohort } = await seedCohort(3)
  const { startTime, closeTime } = await withCohort(cohort, async (handle) => {
    await runs.time.skip(DAY_MS)
    for (const contactId of contactIds) await confirm(contactId, topicId)
    await runs.time.result(handle)
    return handle.describe()
  })
  expect(Number(closeTime) - Number(startTime)).toBeLessThan(4 * DAY_MS)
  expect(await mailed()).toEqual({ 1: 3 })
})

it('a worker that dies between its steps mails nobody twice and forgets nobody', async () => {
  const { topicId, cohort } = await seedCohort(PEOPLE)
  let tries = 0
  const mailConfirmations: typeof runs.activities.mailConfirmations = async (input) => {
    tries++
    // The first time it dies after one step, the second time after all of them.
    if (tries === 1) {
      await Promise.race([runs.activities.mailConfirmations(input), oneStep()])
      throw ApplicationFailure.create({ message: 'the worker is gone' })
    }
    const answer = await runs.activities.mailConfirmations(input)
    if (tries === 2) throw ApplicationFailure.create({ message: 'the worker is gone' })
    return answer
  }
  const oneStep = async () => {
    for (;;) {
      const [row] = await runs.database.sql<{ mails: number }[]>`
        select count(*) as mails from messages where organization_id = ${there.organizationId}`
      if ((row?.mails ?? 0) > 0) return
    }
  }
  await withCohort(cohort, () => runs.time.skip(DAY_MS), { mailConfirmations })
  expect(tries).toBeGreaterThanOrEqual(3)
  expect(await mailed()).toEqual({ 1: PEOPLE })
  expect(await statuses(topicId)).toEqual({ pending: PEOPLE })
})

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

/** Unsubscribes somebody, and holds their lock until what `act` starts waits for it. */
async function unsubscribingDuring(pair: Pair, act: () => Promise<void>): Promise<void> {
  const [locked, seen] = [gate(), gate()]
  const unsubscribing = transact(runs.database.sql, async (tx) => {
    const own = { source: 'link', own: true } as const
    await tx`set local idle_in_transaction_session_timeout = 0`
    await subscriptions.unsubscribe(tx, there.organizationId, [pair], own)
    locked.open()
    await seen.opened
  })
  await locked.opened
  const acting = act()
  await expect
    .poll(
      async () => {
        const waiting = await runs.database.admin`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        return waiting.length
      },
      { timeout: SOON_MS },
    )
    .toBe(1)
  seen.open()
  await unsubscribing
  await acting
}

it('a person who unsubscribes while a step waits for their lock holds up nobody else', async () => {
  const { contactIds, topicId, cohort } = await seedCohort(PEOPLE)
  const pair = { contactId: contactIds[0]!, topicId }
  await unsubscribingDuring(pair, () =>
    withCohort(cohort, async () => {
      await expect.poll(mailed, { timeout: SOON_MS }).toEqual({ 1: PEOPLE - 1 })
    }),
  )
  const next = { contactId: contactIds[1]!, topicId }
  await unsubscribingDuring(next, async () => {
    const expired = await transact(runs.workerSql, (tx) =>
      confirmations.expire(tx, there.organizationId, { cohort }, 200),
    )
    expect(expired).toEqual({ more: true })
  })
  expect(await statuses(topicId)).toEqual({ pending: PEOPLE - 201, unsubscribed: 201 })
})
