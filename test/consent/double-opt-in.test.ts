import { ApplicationFailure } from '@temporalio/activity'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addressedByHash } from '../../src/keys/addresses.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as confirmationMails from '../../src/store/consent/confirmation-mails.ts'
import * as confirming from '../../src/core/consent/confirm.ts'
import * as consent from '../../src/core/consent/email-status.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import { addressHash, equal, newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { confirmationWorkflowId, END_CONFIRMATION_SIGNAL } from '../../workflows/contract.ts'
import type { confirmTopic } from '../../workflows/confirm-topic.ts'
import {
  type Asked,
  seedConfirmations,
  type SeededConfirmations,
} from '../support/confirmations.ts'
import { type ConfirmationRuns, openConfirmationRuns } from '../support/confirmation-runs.ts'
import { until } from '../support/engine.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Activity failed mailConfirmations .*the worker is gone$/)

const DAY_MS = 86_400_000
const keyring = parseKeyring(newKeyringText())

let runs: ConfirmationRuns
let there: SeededConfirmations

beforeAll(async () => {
  runs = await openConfirmationRuns(keyring)
})
afterAll(() => runs.close())
beforeEach(async () => {
  there = await seedConfirmations(runs.database.sql, keyring)
})

/** Runs `act`; the workflow of `asked` is started before it and ended after it. */
async function withWorkflow<T>(
  asked: Asked,
  act: (handle: Awaited<ReturnType<typeof start>>) => Promise<T>,
  changes: Partial<ConfirmationRuns['activities']> = {},
): Promise<T> {
  return runs.during(changes, async () => {
    const handle = await start(asked)
    try {
      return await act(handle)
    } finally {
      await runs.time.terminate(handle)
    }
  })
}

const start = (asked: Asked) =>
  runs.time.client.workflow.start<typeof confirmTopic>('confirmTopic', {
    workflowId: confirmationWorkflowId(asked),
    taskQueue: runs.taskQueue,
    args: [{ organizationId: there.organizationId, ...asked }],
  })

const confirm = (asked: Asked, email: string) => {
  const hash = addressHash(there.organizationId, email)
  return transact(runs.database.sql, (tx) =>
    confirming.confirm(
      tx,
      there.organizationId,
      { ...asked, isMailed: (present) => equal(addressHash(there.organizationId, present), hash) },
      { address: addressedByHash(keyring, hash), requestId: 'test', at: new Date().toISOString() },
    ),
  )
}

async function person(columns: Record<string, unknown> = {}) {
  const { id: contactId, email } = await there.contact(columns)
  const topicId = await there.topic()
  return { contactId, topicId, email, asked: await there.ask(contactId, topicId) }
}

const subjects = async (contactId: string) =>
  (await there.mails(contactId)).map(({ subject }) => subject.split(' ')[0])

describe('a confirmation that nobody answers', () => {
  it('is mailed at once, reminded of after three days, and over after thirty', async () => {
    const { contactId, topicId, email, asked } = await person()
    await withWorkflow(asked, async (handle) => {
      await runs.time.skip(2.9 * DAY_MS)
      expect(await subjects(contactId)).toEqual(['Please'])
      await runs.time.skip(0.2 * DAY_MS)
      expect(await subjects(contactId)).toEqual(['Please', 'Reminder:'])
      await runs.time.skip(26.8 * DAY_MS)
      expect((await there.row(contactId, topicId))?.status).toBe('pending')
      await runs.time.result(handle)
    })
    expect(await there.row(contactId, topicId)).toMatchObject({
      status: 'unsubscribed',
      generation: 2,
    })
    expect(await there.record(contactId)).toEqual(['requested', 'expired'])
    const mails = await there.mails(contactId)
    expect(mails.map(({ recipient }) => recipient)).toEqual([email, email])
    expect(mails.map(({ text }) => /works for (\d+) days/.exec(text)?.[1])).toEqual(['30', '27'])
    for (const { token } of mails) {
      expect(there.linkOf(token)).toMatchObject({ contactId, topicId, generation: 1 })
    }
    expect((await confirm(asked, email))?.state).toBe('over')
  })

  it('is reminded of and given up in time by a run that takes the place of a lost one', async () => {
    const { contactId, topicId, asked } = await person()
    const { sql } = runs.database
    const ages = async (days: number) =>
      sql`
        update subscriptions
        set requested_at = clock_timestamp() - ${days} * interval '1 day'
        where contact_id = ${contactId} and topic_id = ${topicId}`
    await withWorkflow(asked, async () => {
      await until(async () => (await subjects(contactId)).length === 1)
    })
    await ages(5)
    await withWorkflow(asked, async (handle) => {
      await until(async () => (await subjects(contactId)).length === 2)
      await runs.time.skip(24 * DAY_MS)
      expect((await there.row(contactId, topicId))?.status).toBe('pending')
      await runs.time.terminate(handle)
    })
    await ages(30)
    await withWorkflow(asked, (handle) => runs.time.result(handle))
    expect((await there.row(contactId, topicId))?.status).toBe('unsubscribed')
    expect(await subjects(contactId)).toEqual(['Please', 'Reminder:'])
  })

  it('is not reminded of when the address had three mails that day already', async () => {
    const { contactId, email, topicId, asked } = await person()
    await withWorkflow(asked, async () => {
      await runs.time.skip(DAY_MS)
      await transact(runs.database.sql, async (tx) => {
        for (let mail = 0; mail < 2; mail++) {
          await tx`
            insert into confirmation_mails (organization_id, id, address_key)
            values (${there.organizationId}, ${uuidv7()},
              decode(${there.addressOf(email).keys[0].key}, 'hex'))`
        }
      })
      await runs.time.skip(3 * DAY_MS)
    })
    expect(await subjects(contactId)).toEqual(['Please'])
    expect(await there.row(contactId, topicId)).toMatchObject({ status: 'pending', mails: 2 })
  })

  it('is not reminded of once the address bounced', async () => {
    const { contactId, email, asked } = await person()
    await withWorkflow(asked, async () => {
      await runs.time.skip(DAY_MS)
      await transact(runs.database.sql, (tx) =>
        consent.suppress(tx, there.organizationId, [
          { address: there.addressOf(email), status: 'bounced', source: 'event' },
        ]),
      )
      await runs.time.skip(3 * DAY_MS)
    })
    expect(await subjects(contactId)).toEqual(['Please'])
  })

  it('is given up at once when an operator cancels its workflow', async () => {
    const { contactId, topicId, asked } = await person()
    await withWorkflow(asked, async (handle) => {
      await runs.time.skip(DAY_MS)
      await handle.cancel()
      await expect(runs.time.result(handle)).rejects.toThrow('cancelled')
    })
    expect(await there.row(contactId, topicId)).toMatchObject({ status: 'unsubscribed' })
    expect(await subjects(contactId)).toEqual(['Please'])
  })
})

describe('a confirmation that is answered', () => {
  it('in between ends the workflow: no reminder, and thirty days later still subscribed', async () => {
    const { contactId, topicId, email, asked } = await person()
    await withWorkflow(asked, async (handle) => {
      await runs.time.skip(DAY_MS)
      expect((await confirm(asked, email))?.state).toBe('confirmed')
      // Without the signal: the row alone decides.
      await runs.time.result(handle)
    })
    expect(await subjects(contactId)).toEqual(['Please'])
    expect(await there.row(contactId, topicId)).toMatchObject({
      status: 'subscribed',
      generation: 2,
    })
    expect(await there.record(contactId)).toEqual(['requested', 'subscribed'])
  })

  it('twice is the same as once', async () => {
    const { contactId, topicId, email, asked } = await person()
    const standings = await Promise.all([confirm(asked, email), confirm(asked, email)])
    standings.push(await confirm(asked, email))
    expect(standings.map((each) => each?.state)).toEqual(Array(3).fill('confirmed'))
    expect(await there.row(contactId, topicId)).toMatchObject({ generation: 2 })
    expect(await there.record(contactId)).toEqual(['requested', 'subscribed'])
  })

  it('is told by a signal, which ends the workflow before its next timer', async () => {
    const { asked, email } = await person()
    const { startTime, closeTime } = await withWorkflow(asked, async (handle) => {
      await runs.time.skip(DAY_MS)
      await confirm(asked, email)
      await handle.signal(END_CONFIRMATION_SIGNAL)
      await runs.time.result(handle)
      return handle.describe()
    })
    expect(Number(closeTime) - Number(startTime)).toBeLessThan(2 * DAY_MS)
  })
})

describe('a change while a confirmation is awaited', () => {
  it('unsubscribing ends it: no reminder, and the link does nothing', async () => {
    const { contactId, topicId, email, asked } = await person()
    await withWorkflow(asked, async (handle) => {
      await runs.time.skip(DAY_MS)
      await transact(runs.database.sql, (tx) =>
        subscriptions.unsubscribe(tx, there.organizationId, [{ contactId, topicId }], {
          source: 'link',
          own: true,
        }),
      )
      await runs.time.result(handle)
    })
    expect(await subjects(contactId)).toEqual(['Please'])
    expect(await there.row(contactId, topicId)).toMatchObject({
      status: 'unsubscribed',
      generation: 2,
    })
    expect((await confirm(asked, email))?.state).toBe('over')
    expect(await there.record(contactId)).not.toContain('expired')
  })

  it('subscribing again asks anew: the first workflow and its link are over', async () => {
    const { contactId, topicId, email, asked } = await person()
    await withWorkflow(asked, async (first) => {
      await runs.time.skip(DAY_MS)
      await runs.database.sql`
        update subscriptions set mailed_at = mailed_at - interval '11 minutes'
        where contact_id = ${contactId}`
      const again = await there.ask(contactId, topicId)
      expect(again.generation).toBe(2)
      const second = await start(again)
      // Past the reminder of the first, not of the second.
      await runs.time.skip(2.5 * DAY_MS)
      await until(async () => (await first.describe()).status.name === 'COMPLETED')
      expect(await subjects(contactId)).toEqual(['Please', 'Please'])
      expect((await confirm(asked, email))?.state).toBe('over')
      expect((await there.row(contactId, topicId))?.status).toBe('pending')
      expect((await confirm(again, email))?.state).toBe('confirmed')
      await runs.time.result(second)
    })
    expect(await there.row(contactId, topicId)).toMatchObject({
      status: 'subscribed',
      generation: 3,
    })
    expect(await subjects(contactId)).toEqual(['Please', 'Please'])
  })

  it('another address is asked instead: the old link confirms nothing', async () => {
    const { contactId, topicId, email, asked } = await person()
    await withWorkflow(asked, async (first) => {
      await runs.time.skip(DAY_MS)
      await transact(runs.database.sql, async (tx) => {
        await tx`update contacts set email = ${`new-${email}`} where id = ${contactId}`
        await subscriptions.applyNewAddress(tx, there.organizationId, [contactId], {
          source: 'api',
          addressOf: there.addressOf,
        })
      })
      const second = await start({ contactId, topicId, generation: 2 })
      await runs.time.result(first)
      expect((await confirm(asked, email))?.state).toBe('over')
      expect((await confirm({ ...asked, generation: 2 }, email))?.state).toBe('over')
      await runs.time.result(second)
    })
    const mails = await there.mails(contactId)
    expect(mails.map(({ recipient }) => recipient)).toEqual([email, `new-${email}`, `new-${email}`])
    expect((await there.row(contactId, topicId))?.status).toBe('unsubscribed')
  })

  it('another address that was mailed too often today is not asked at once, and expires in time', async () => {
    const { contactId, topicId, email } = await person()
    const { organizationId, addressOf } = there
    const other = addressOf(`new-${email}`)
    await transact(runs.database.sql, async (tx) => {
      await confirmationMails.record(tx, organizationId, [other, other, other])
      await tx`update contacts set email = ${`new-${email}`} where id = ${contactId}`
      await subscriptions.applyNewAddress(tx, organizationId, [contactId], {
        source: 'api',
        addressOf,
      })
    })
    expect((await there.row(contactId, topicId))?.status).toBe('pending')
    const asked = { contactId, topicId, generation: 2 }
    const promised = await runs.database.sql`
      select from outbox where kind = 'start_confirmation' and payload = ${runs.database.sql.json(asked)}`
    expect(promised).toHaveLength(1)
    await withWorkflow(asked, (handle) => runs.time.result(handle))
    const mails = await there.mails(contactId)
    expect(mails.map(({ recipient }) => recipient)).not.toContain(`new-${email}`)
    expect((await there.row(contactId, topicId))?.status).toBe('unsubscribed')
  })

  it('a contact or topic that is deleted ends it without a trace', async () => {
    const one = await person()
    const other = await person()
    await withWorkflow(one.asked, async (handle) => {
      const second = await start(other.asked)
      await runs.time.skip(DAY_MS)
      await runs.database.sql`delete from contacts where id = ${one.contactId}`
      await runs.database.sql`delete from topics where id = ${other.topicId}`
      await runs.time.result(handle)
      await runs.time.result(second)
    })
    expect(await subjects(one.contactId)).toEqual(['Please'])
    expect(await subjects(other.contactId)).toEqual(['Please'])
    expect(await there.row(other.contactId, other.topicId)).toBeUndefined()
  })
})

describe('a worker that dies', () => {
  it('after the mail was enqueued and before its activity completed mails once', async () => {
    const { contactId, asked } = await person()
    const tries: number[] = []
    const mailConfirmations: typeof runs.activities.mailConfirmations = async (input) => {
      const answer = await runs.activities.mailConfirmations(input)
      tries.push(input.mail)
      if (tries.filter((mail) => mail === input.mail).length < 3) {
        throw ApplicationFailure.create({ message: 'the worker is gone' })
      }
      return answer
    }
    await withWorkflow(asked, (handle) => runs.time.result(handle), { mailConfirmations })
    expect(tries).toEqual([1, 1, 1, 2, 2, 2])
    expect(await subjects(contactId)).toEqual(['Please', 'Reminder:'])
    const [counted] = await runs.database.sql<{ mails: number }[]>`
      select count(*) as mails from confirmation_mails
      where organization_id = ${there.organizationId}`
    expect(counted?.mails).toBe(2)
  })
})
