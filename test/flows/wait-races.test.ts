import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StepOutcome } from '../../src/core/flows/moves.ts'
import { waitForEvent } from '../../activities/flows/steps/wait-for-event.ts'
import type { StepOf } from '../../src/domain/flows/flow.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { type Sql, transact, within } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { each, receive, seedExecution, seedExitFlow, visit, wakes } from '../support/waiting.ts'
import { connectAs } from '../support/logins.ts'

const PAIRS = sized(150, 2_000)
const TIMEOUTS = sized(40, 200)
const CANCELLATIONS = sized(100, 300)

let database: TestDatabase
/** Events come by processes of the API, steps are run by those of workers. */
let apis: Sql[]
let workers: Sql[]
beforeAll(async () => {
  database = await createDatabase()
  apis = [1, 2].map((n) =>
    connectAs(database.url, { name: `api-${n}`, role: 'letterloom_api', max: 4 }),
  )
  workers = [1, 2].map((n) =>
    connectAs(database.url, { name: `worker-${n}`, role: 'letterloom_worker', max: 4 }),
  )
})
afterAll(async () => {
  await Promise.all([...apis, ...workers].map((sql) => sql.end()))
  await database.drop()
})

interface Pair {
  organizationId: Uuid
  /** What it waits for. */
  name: string
  executionId: Uuid
  contactId: Uuid
  api: Sql
  worker: Sql
}

/** `name`: what each waits for, by its number. */
async function seedPairs(
  count: number,
  name: (n: number) => string = () => 'bought',
): Promise<Pair[]> {
  const { organizationId } = await seedOrganization(database.sql)
  const flowId = await seedExitFlow(database.sql, organizationId)
  const contactIds = await seedContacts(database.sql, organizationId, count)
  const pairs: Pair[] = []
  for (const [i, contactId] of contactIds.entries()) {
    const executionId = await seedExecution(database.sql, { organizationId, flowId, contactId })
    const api = within(apis[i % apis.length]!, organizationId)
    const worker = workers[i % 2]!
    pairs.push({ organizationId, name: name(i), executionId, contactId, api, worker })
  }
  return pairs
}

const step = (eventName: string): StepOf<'wait_for_event'> => ({
  id: 'wait',
  name: 'wait',
  type: 'wait_for_event',
  config: { eventName, timeout: { amount: 1, unit: 'minutes' } },
})

const run = (
  { worker: sql, name, ...pair }: Pair,
  pause?: () => Promise<void>,
): Promise<StepOutcome> =>
  visit({ ...pair, sql, handler: waitForEvent, step: step(name), ...(pause ? { pause } : {}) })

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const branchOf = (outcome: StepOutcome) => ('branch' in outcome ? outcome.branch : outcome.kind)

test.each([
  ['somebody waits for such an event already', () => 'bought'],
  ['nobody else waits for such an event', (i: number) => `bought ${i}`],
])(
  `${PAIRS} pairs of a wait and its event at the same moment, %s: none is lost, none is doubled`,
  {
    timeout: 180_000,
  },
  async (_, name) => {
    const pairs = await seedPairs(PAIRS, name)
    const { organizationId } = pairs[0]!
    const met = await each(pairs, async (pair) => {
      const later = Math.random() * 10
      const isFirst = Math.random() < 0.5
      const [first, event] = await Promise.all([
        isFirst ? run(pair) : sleep(later).then(() => run(pair)),
        (isFirst ? sleep(later) : Promise.resolve()).then(() =>
          receive(pair.api, organizationId, { contactId: pair.contactId, name: pair.name }),
        ),
      ])
      return { pair, first, event }
    })
    const early = met.filter(({ first }) => first.kind === 'done')
    const woken = met.filter(({ first }) => first.kind === 'wait')
    // Both orders did happen.
    expect(Math.min(early.length, woken.length)).toBeGreaterThan(0)
    expect(early.map(({ event }) => event.resumed)).toEqual(early.map(() => 0))
    expect(woken.map(({ event }) => event.resumed)).toEqual(woken.map(() => 1))
    const enqueued = await wakes(database.sql, organizationId)
    expect(enqueued.toSorted()).toEqual(woken.map(({ pair }) => pair.executionId).toSorted())

    const outcomes = await each(woken, ({ pair }) => run(pair))
    const eventIds = [...early.map(({ first }) => first), ...outcomes].map((outcome) =>
      outcome.kind === 'done' ? (outcome.result as { eventId: Uuid }).eventId : outcome.kind,
    )
    expect(eventIds).toEqual([...early, ...woken].map(({ event }) => event.id))
    const statuses = await database.sql`
      select status, count(*)::int as waits
      from waits
      where organization_id = ${organizationId}
      group by status`
    expect([...statuses]).toEqual([{ status: 'matched', waits: PAIRS }])
  },
)

test('an execution that comes to wait while an event is being stored that nobody waited for takes that event', async () => {
  const [pair] = await seedPairs(1, () => 'nobody waits for it')
  const { organizationId, contactId, name, api } = pair!
  let registering: Promise<StepOutcome> | undefined
  let isRegistered = false
  await receive(
    api,
    organizationId,
    { contactId, name },
    {
      beforeCommit: async () => {
        registering = run(pair!).finally(() => {
          isRegistered = true
        })
        await sleep(100)
        expect(isRegistered).toBe(false)
      },
    },
  )
  expect(branchOf(await registering!)).toBe('yes')
})

/** Sets when the wait ends, by the clock of Postgres; answers it. */
async function endsIn({ executionId }: Pair, ms: number): Promise<string> {
  const [wait] = await database.sql<{ expiresAt: string }[]>`
    update waits
    set expires_at = clock_timestamp() + ${ms} * interval '1 millisecond'
    where execution_id = ${executionId}
    returning expires_at`
  return wait!.expiresAt
}

const expiry = async ({ executionId }: Pair): Promise<string> => {
  const [wait] = await database.sql<{ expiresAt: string }[]>`
    select expires_at from waits where execution_id = ${executionId}`
  return wait!.expiresAt
}

/** Events from `earlyMs` before the timeout to 10 ms after it. */
async function meetTimeouts(earlyMs: number) {
  const pairs = await seedPairs(TIMEOUTS)
  const { organizationId } = pairs[0]!
  return each(pairs, async (pair) => {
    await run(pair)
    const expiresAt = await endsIn(pair, earlyMs + 50)
    const untilEnd = () => Date.parse(expiresAt) - Date.now()
    const [event, outcome] = await Promise.all([
      sleep(untilEnd() - earlyMs + Math.random() * (earlyMs + 10)).then(() =>
        receive(
          pair.api,
          organizationId,
          { contactId: pair.contactId, name: 'bought' },
          { beforeCommit: () => sleep(Math.random() * 5) },
        ),
      ),
      // The timer, which may be early, and comes again then.
      sleep(untilEnd() - 10 + Math.random() * 30).then(async () => {
        for (;;) {
          const outcome = await run(pair)
          if (outcome.kind !== 'wait') return outcome
        }
      }),
    ])
    return { isInTime: event.receivedAt < expiresAt, event, branch: branchOf(outcome) }
  })
}

test(`${TIMEOUTS} events some milliseconds before and after the timeout: the time of arrival decides`, async () => {
  const found = new Set<boolean>()
  // A busy machine takes all of them in too late, and is sent others earlier.
  for (const earlyMs of [30, 100, 300, 1_000]) {
    const met = await meetTimeouts(earlyMs)
    expect(met.map(({ event, branch }) => [branch, event.resumed])).toEqual(
      met.map(({ isInTime }) => (isInTime ? ['yes', 1] : ['timeout', 0])),
    )
    for (const { isInTime } of met) found.add(isInTime)
    if (found.size === 2) return
  }
  throw new Error('all events were in time, or none')
})

test('an event accepted just before the timeout is taken, though it is stored long after it', async () => {
  // As near as this machine can: an event that was taken in too late says nothing.
  for (const marginMs of [5, 10, 20, 40, 80, 160, 320]) {
    const [pair] = await seedPairs(1)
    const { organizationId, contactId } = pair!
    await run(pair!)
    let timer: Promise<StepOutcome> | undefined
    const sent = { contactId, name: 'bought' }
    const event = await receive(pair!.api, organizationId, sent, {
      before: () => endsIn(pair!, marginMs).then(() => {}),
      beforeCommit: async () => {
        timer = sleep(marginMs + 10).then(() => run(pair!))
        await sleep(marginMs + 200)
      },
    })
    const isInTime = event.receivedAt < (await expiry(pair!))
    expect([branchOf(await timer!), event.resumed]).toEqual(isInTime ? ['yes', 1] : ['timeout', 0])
    if (isInTime) return
  }
  throw new Error('no event was in time')
})

test('a cancellation, the event and the timer at the same moment agree on what happened', async () => {
  const pairs = await seedPairs(CANCELLATIONS)
  const { organizationId } = pairs[0]!
  const met = await each(pairs, async (pair) => {
    await run(pair)
    const ending = { status: 'cancelled', reason: null } as const
    const [ended, event] = await Promise.all([
      transact(pair.worker, (tx) => executions.end(tx, organizationId, [pair.executionId], ending)),
      receive(pair.api, organizationId, { contactId: pair.contactId, name: 'bought' }),
    ])
    const [wait] = await database.sql<{ status: string }[]>`
      select status from waits where execution_id = ${pair.executionId}`
    return { ended: ended.length, resumed: event.resumed, status: wait!.status }
  })
  expect(new Set(met.map(({ ended }) => ended))).toEqual(new Set([1]))
  for (const { resumed, status } of met) {
    expect([resumed, status]).toEqual(resumed === 1 ? [1, 'matched'] : [0, 'cancelled'])
  }
})
