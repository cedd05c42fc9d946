import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { ApiFailure } from '../../src/client/index.ts'
import { SENDER } from '../../src/main/system.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { acceptedBy, connectSender } from '../support/cohorts.ts'
import { type Cuttable, openCuttable } from '../support/cuttable.ts'
import { until } from '../support/engine.ts'
import { sized } from '../support/size.ts'
import { killAndWait, startTestSystem } from '../support/system.ts'

const SETS = sized(15, 200)
const SET = 20
const KILLS = sized(2, 4)
const DOWN_MS = 5_000
const RACES = sized(60, 1_000)
const LONGEST_MS = 240_000

let temporal: Cuttable
let system: Awaited<ReturnType<typeof startTestSystem>>
beforeAll(async () => {
  temporal = await openCuttable(inject('temporalAddress'))
  system = await startTestSystem({ TEMPORAL_ADDRESS: temporal.address })
})
afterAll(async () => {
  await system.stop()
  await temporal.close()
})

const receipt = (to: string) => ({ to, from: SENDER, subject: 'Receipt', text: 'Thanks' })

/** One after the other; the API is up again before the next. */
async function killSome(): Promise<void> {
  for (let kills = 0; kills < KILLS; kills++) {
    await sleep(300 + Math.random() * 700)
    await killAndWait(kills % 2 === 0 ? system.api : system.worker)
    await until(async () => {
      const answer = await fetch(`${system.apiUrl}/health`).catch(() => undefined)
      return answer?.ok
    }, LONGEST_MS)
  }
}

const statesOf = (organizationId: string) => system.sql`
  select state, reason, count(*)::int as mails
  from messages
  where organization_id = ${organizationId}
  group by state, reason
  order by state`

it('what was accepted is sent once, however often the API and the worker are killed', async () => {
  const sender = await connectSender(system, 500)
  const { client, organizationId, accountId } = sender
  const sandbox = sandboxControl(system.sandboxUrl)
  await sandbox.setFaults({ acceptThenResetPercent: 2, serverErrorPercent: 2 }, accountId)
  const given: string[] = []
  const killing = killSome()
  for (let set = 0; set < SETS; set++) {
    const addresses = Array.from({ length: SET }, (_, n) => `reader-${set}-${n}@example.com`)
    // The client tries again under one Idempotency-Key.
    const answer = await keepTrying(() =>
      client.post('/v1/email/send/batch', {
        body: { emails: addresses.map(receipt) },
        headers: { 'idempotency-key': `set-${set}` },
      }),
    )
    expect(answer).toMatchObject({ accepted: SET, failed: 0 })
    given.push(...addresses)
  }
  await killing
  await sandbox.resetFaults(accountId)
  await until(async () => {
    const states = await statesOf(organizationId)
    return states.every(({ state }) => state === 'sent')
  }, LONGEST_MS)
  const accepted = await acceptedBy(system, sender)
  expect(accepted.map(({ recipient }) => recipient).toSorted()).toEqual(given.toSorted())
}, 300_000)

it('a mail that was taken back is not sent, and one that was not is', async () => {
  const sender = await connectSender(system, 500)
  const { client, organizationId } = sender
  const cancelled: string[] = []
  const kept: string[] = []
  await Promise.all(
    Array.from({ length: RACES }, async (_, n) => {
      const to = `race-${n}@example.com`
      const { id } = await client.post('/v1/email/send', { body: receipt(to) })
      // From before the dispatcher wakes until after the call.
      await sleep(Math.random() * 600)
      const refusal = await client.post('/v1/email/{id}/cancel', { params: { path: { id } } }).then(
        () => undefined,
        (error: unknown) => error,
      )
      const late = expect.objectContaining({ status: 409, reason: 'email_not_waiting' })
      expect([undefined, late]).toContainEqual(refusal)
      if (refusal === undefined) cancelled.push(to)
      else kept.push(to)
    }),
  )
  await until(async () => {
    const states = await statesOf(organizationId)
    return states.every(({ state, reason }) => state === 'sent' || reason === 'cancelled')
  }, LONGEST_MS)
  const accepted = (await acceptedBy(system, sender)).map(({ recipient }) => recipient)
  expect(accepted.toSorted()).toEqual(kept.toSorted())
  expect(cancelled.length + kept.length).toBe(RACES)
}, 300_000)

it('what is accepted while Temporal is down is sent once when it is up again', async () => {
  const sender = await connectSender(system, 500)
  const { client, organizationId } = sender
  const given = Array.from({ length: 40 }, (_, n) => `down-${n}@example.com`)
  temporal.cut()
  try {
    for (const to of given) {
      await client.post('/v1/email/send', { body: receipt(to) })
    }
    expect(await statesOf(organizationId)).toEqual([expect.objectContaining({ mails: 40 })])
    await sleep(DOWN_MS)
    expect(await acceptedBy(system, sender)).toEqual([])
  } finally {
    temporal.mend()
  }
  await until(async () => {
    const states = await statesOf(organizationId)
    return states.every(({ state }) => state === 'sent')
  }, LONGEST_MS)
  const accepted = await acceptedBy(system, sender)
  expect(accepted.map(({ recipient }) => recipient).toSorted()).toEqual(given.toSorted())
}, 300_000)

/** While the API is started again it cannot be reached for longer than the client waits. */
async function keepTrying<T>(call: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + 60_000; ; ) {
    try {
      return await call()
    } catch (error) {
      if (error instanceof ApiFailure && error.status < 500 && error.status !== 409) throw error
      if (performance.now() > until) throw error
      await sleep(200)
    }
  }
}
