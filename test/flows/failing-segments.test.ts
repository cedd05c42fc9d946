import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { keepMembership, type SetAside } from '../../src/core/flows/membership.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as membership from '../../src/store/audience/membership.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { readLags } from '../../src/store/platform/lags.ts'
import { type Api, type Client, createContact, startApi } from '../support/api.ts'
import { keepAll, keptMembers, watchSegment } from '../support/membership.ts'
import { executionsOf } from '../support/seed-flow.ts'
import { connectAs } from '../support/logins.ts'

/** Of a statement that asks segments. */
const LIMIT_MS = 1_000

let api: Api
let workerSql: Sql
let client: Client
let queries: string[]
beforeAll(async () => {
  api = await startApi()
  const onQuery = (query: string) => void queries.push(query)
  workerSql = connectAs(api.databaseUrl, {
    name: 'test-worker',
    role: 'letterloom_worker',
    onQuery,
  })
})
beforeEach(async () => {
  queries = []
  const id = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${id}, 'Own', 'starter')`
  client = await api.client(id, ['full'])
})
// A test may take as long as the wait of another's segment.
afterEach(
  () => api.sql`
    update kept_segments set set_aside_until = now() + interval '1 day'
    where set_aside_until is not null`,
)
afterAll(async () => {
  await workerSql.end()
  await api.close()
})

const of = (...filters: Condition['groups'][number]['filters']): Condition => ({
  logic: 'AND',
  groups: [{ filters }],
})
const pro = of({ field: 'properties.plan', operator: 'equals', value: 'pro' })
const bought = (name = 'bought') => of({ field: `event.${name}`, operator: 'triggered' })
const watch = (condition: Condition) => watchSegment(workerSql, client.organizationId, condition)
const person = async (plan = 'free'): Promise<Uuid> =>
  (await createContact(client, { email: `${uuidv7()}@example.com`, properties: { plan } })).id
const change = async (id: Uuid, plan: string) => {
  const { status } = await client.patch(`/v1/contacts/${id}`, { properties: { plan } })
  expect(status).toBe(200)
}
const buy = (contactId: Uuid) => client.post('/v1/events', { name: 'bought', contactId })
const started = async (flowId: Uuid): Promise<Uuid[]> =>
  (await executionsOf(api.sql, flowId)).map(({ contactId }) => contactId)

/** Turns until there is nothing to do; returns the segments that were set aside. */
async function turns(most = 20): Promise<SetAside[]> {
  const aside: SetAside[] = []
  const onFailure = (_: Uuid, error: unknown) => {
    throw error
  }
  const keeping = {
    sql: workerSql,
    limitMs: LIMIT_MS,
    onFailure,
    onSetAside: (each: SetAside) => void aside.push(each),
  }
  for (let turn = 0; await keepMembership(keeping); turn++) {
    if (turn === most) throw new Error(`there is something to do after ${most} turns`)
  }
  return aside
}
/** Whoever asks about events waits for as long as a statement may while `work` is done. */
const whileSlow = <T>(work: () => Promise<T>): Promise<T> =>
  api.sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = '2min'`
    await tx`lock table events in access exclusive mode`
    return work()
  })
const waitIsOver = () => api.sql`
  update kept_segments
  set set_aside_until = now() - interval '1 s'
  where organization_id = ${client.organizationId} and set_aside_until is not null`

test('a segment that takes too long is set aside and says so, and the others go on', async () => {
  const [ada, bob] = [await person(), await person()]
  const slow = await watch(bought())
  const quick = await watch(pro)
  await keepAll(workerSql)
  await whileSlow(async () => {
    await change(ada, 'pro')
    expect(await turns()).toMatchObject([
      { organizationId: client.organizationId, segmentId: slow.id, failure: 'segment_too_slow' },
    ])
    await change(bob, 'pro')
    expect(await turns()).toEqual([])
  })
  expect(await started(quick.entry)).toEqual([ada, bob])
  const { body } = await client.get(`/v1/segments/${slow.id}`)
  expect(body.problem).toMatchObject({ reason: 'segment_too_slow' })
  expect(body.problem.message).toMatch(/Entries and exits wait: .* tried again at 20/)
  expect((await client.get(`/v1/segments/${quick.id}`)).body.problem).toBeNull()
  expect((await readLags(api.sql, 1)).segmentsSetAside).toBe(1)

  // What happens meanwhile is found when it is asked again, once.
  await buy(ada)
  await turns()
  expect(await started(slow.entry)).toEqual([])
  await waitIsOver()
  await keepAll(workerSql)
  await buy(ada)
  await buy(bob)
  await turns()
  expect(await started(slow.entry)).toEqual([ada, bob])
  expect(await keptMembers(api.sql, slow.id)).toEqual([ada, bob])
  expect((await client.get(`/v1/segments/${slow.id}`)).body.problem).toBeNull()
  expect((await readLags(api.sql, 1)).segmentsSetAside).toBe(0)
})

test('many that take too long end a turn, of which nothing is lost', async () => {
  const ada = await person()
  const slow: { id: Uuid }[] = []
  for (let at = 0; at < 6; at++) slow.push(await watch(bought(`bought-${at}`)))
  const quick = await watch(pro)
  await keepAll(workerSql)
  await whileSlow(async () => {
    await change(ada, 'pro')
    const aside = await turns()
    expect(aside.map(({ segmentId }) => segmentId).toSorted()).toEqual(
      slow.map(({ id }) => id).toSorted(),
    )
  })
  expect(await started(quick.entry)).toEqual([ada])
})

test('each wait of a segment is longer than the one before', async () => {
  const ada = await person()
  await watch(bought())
  await keepAll(workerSql)
  const waits: number[] = []
  await whileSlow(async () => {
    for (let at = 0; at < 3; at++) {
      await change(ada, String(at))
      const [aside] = await turns()
      waits.push(Math.round((Date.parse(aside?.until ?? '') - Date.now()) / 10_000))
      await waitIsOver()
    }
  })
  expect(waits).toEqual([3, 6, 12])
})

test('one whose condition cannot be read is set aside, and flows go on when it can', async () => {
  const ada = await person('pro')
  const { id, entry } = await watch(pro)
  const stored = (condition: string) => api.sql`
    update segments set condition = ${condition}::text::jsonb where id = ${id}`
  await stored('{}')
  expect(await turns()).toMatchObject([{ segmentId: id, failure: 'segment_not_usable' }])
  await stored(JSON.stringify(pro))
  await waitIsOver()
  await keepAll(workerSql)
  // It was a member before it was kept: it has not entered.
  expect([await keptMembers(api.sql, id), await started(entry)]).toEqual([[ada], []])
})

test('a segment that is set aside in its first scan forgets no contact of that scan', async () => {
  const [ada, bob] = [await person(), await person()]
  const { id, entry } = await watch(bought())
  await keepAll(workerSql)
  // The first scan has come past Ada, and not yet to Bob.
  await api.sql`
    update kept_segments
    set is_scanned = false, recorded_at = null, scan_cursor = ${ada}
    where segment_id = ${id}`
  await whileSlow(async () => {
    expect(await turns()).toMatchObject([{ segmentId: id, failure: 'segment_too_slow' }])
  })
  await buy(ada)
  await buy(bob)
  await turns()
  await waitIsOver()
  await keepAll(workerSql)
  expect(await started(entry)).toEqual([ada])
  expect(await keptMembers(api.sql, id)).toEqual([ada, bob].toSorted())
})

test('a scan that waits for an old transaction lets others go on, and does not spin', async () => {
  const ada = await person('pro')
  const [first, second] = [await watch(pro), await watch(bought())]
  await keepAll(workerSql)
  await buy(ada)
  const isScanned = async (id: Uuid) => {
    const rows = await api.sql`select from kept_segments where segment_id = ${id} and is_scanned`
    return rows.length === 1
  }
  await transact(api.sql, async (tx) => {
    await tx`select pg_current_xact_id()`
    await api.sql`
      update kept_segments set scan_after = null, is_scanned = false where segment_id = ${first.id}`
    await api.sql`
      update kept_segments set scan_after = '3', is_scanned = false where segment_id = ${second.id}`
    await turns()
    expect([await isScanned(first.id), await isScanned(second.id)]).toEqual([false, true])
  })
  await keepAll(workerSql)
  expect(await isScanned(first.id)).toBe(true)
})

test('a writer that began during a turn, before it could know of a segment, is waited for', async () => {
  const [ada, bob] = [await person(), await person()]
  await watch(bought())
  await keepAll(workerSql)
  await change(bob, 'other')
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  let writing: Promise<unknown> = Promise.resolve()
  let later = ''
  // In the middle of the turn, which has a number by then.
  const clock: typeof membership.present = async (sql) => {
    await new Promise<void>((resolve) => {
      writing = api.sql.begin(async (tx) => {
        // Nothing asks about this event yet: it marks nobody.
        await tx`
          insert into events (organization_id, id, contact_id, name, occurred_at)
          values (${client.organizationId}, ${uuidv7()}, ${ada}, 'left', now())`
        resolve()
        await ended
      })
    })
    later = (await watch(bought('left'))).id
    return membership.present(sql)
  }
  await keepMembership({ sql: workerSql, clock, onFailure: () => {} })
  await turns()
  expect(await keptMembers(api.sql, later)).toEqual([])
  end()
  await writing
  await keepAll(workerSql)
  expect(await keptMembers(api.sql, later)).toEqual([ada])
})

test('no statement asks many segments', async () => {
  const ada = await person()
  const plans = Array.from({ length: 30 }, (_, at) => `plan-${at}`)
  const watched = []
  for (const plan of plans) {
    const filter = { field: 'properties.plan', operator: 'equals' as const, value: plan }
    watched.push(await watch(of(filter)))
  }
  await keepAll(workerSql)
  await change(ada, 'plan-21')
  queries = []
  await turns()
  const asked = queries.map((query) => query.split('::uuid as kept_id, contacts.id').length - 1)
  expect(Math.max(...asked)).toBe(20)
  expect(asked.reduce((sum, each) => sum + each, 0)).toBe(30)
  expect(await started(watched[21]?.entry ?? '')).toEqual([ada])
})

test('an open first scan is part of the lag', async () => {
  const { id } = await watch(pro)
  await api.sql`
    update kept_segments set kept_since = now() - interval '1 min' where segment_id = ${id}`
  expect(Math.round((await readLags(api.sql, 1)).membershipSeconds / 10)).toBe(6)
  await keepAll(workerSql)
  expect((await readLags(api.sql, 1)).membershipSeconds).toBe(0)
})
