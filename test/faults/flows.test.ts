import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { SENDER } from '../../src/main/dev/system.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { parseKeyring } from '../../src/keys/tokens.ts'
import { acceptedBy, connectSender, type Sender } from '../support/cohorts.ts'
import { until } from '../support/engine.ts'
import { foretell, type Foretold, type Person } from '../support/flow-oracle.ts'
import { startReceiver } from '../support/flow-receiver.ts'
import { startFlowWorkers } from '../support/flow-workers.ts'
import { figures, seedExecutions, seedFlow, type SeededFlow } from '../support/flows.ts'
import { randomFlow, randomness } from '../support/random-flows.ts'
import { seedTopic } from '../support/seed.ts'
import { createServers } from '../support/servers.ts'
import { seed, sized } from '../support/size.ts'
import { startTestSystem } from '../support/system.ts'
import { sealFlow } from '../support/webhooks.ts'
import { guarantee } from '../support/guarantee.ts'

const FLOWS = sized(4, 10)
/** As many of each flow, and of each kind. */
const EXECUTIONS = FLOWS * 2 * sized(2, 50)
/** After each, what the worker had begun waits some ten seconds until Temporal misses it. */
const KILLS = sized(1, 20)
const WORKERS = sized(1, 2)
const BREAK_PERCENT = 5
const PATIENCE_MS = sized(480_000, 1_200_000)

const servers = createServers()
let system: Awaited<ReturnType<typeof startTestSystem>>

beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())
afterEach(servers.close)

/** What is known of an address; null: there is none. */
const STATUSES = [
  'active',
  'active',
  'active',
  'active',
  'unsubscribed',
  'complained',
  null,
] as const

/** People of every kind that mail meets; some have a word where a number is expected. */
function makePeople(count: number, random: () => number): Person[] {
  return Array.from({ length: count }, () => ({
    id: uuidv7(),
    emailStatus: STATUSES[Math.floor(random() * STATUSES.length)] ?? null,
    isSubscribed: random() < 0.8,
    properties: random() < 0.25 ? { odd: 'word' } : {},
  }))
}

async function store(organizationId: string, topicId: string, people: Person[]): Promise<void> {
  const { sql } = system
  const rows = people.map(({ id, emailStatus: status, properties }) => ({ id, status, properties }))
  await sql`
    insert into contacts (organization_id, id, phone, email, email_status, properties)
    select ${organizationId}, id, '+' || id, case when status is not null then id || '@example.com' end,
      status, properties
    from jsonb_to_recordset(${sql.json(rows)})
      as given (id uuid, status text, properties jsonb)`
  await sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status, subscribed_at)
    select ${organizationId}, id, ${topicId}, 'subscribed', now()
    from unnest(
      ${people.flatMap(({ id, isSubscribed }) => (isSubscribed ? [id] : []))}::uuid[]
    ) as id`
}

/** What became of an execution, in the words of the oracle, but for what others know of it. */
const observe = ({ organizationId }: Sender) => system.sql<
  ({ id: string; email: string | null } & Omit<Foretold, 'mails' | 'calls'>)[]
>`
  select e.id, c.email, e.status, e.reason, c.properties,
    coalesce(
      (
        select jsonb_agg(
          s.step_id || case when s.visit = 1 then '' else '#' || s.visit end || ' ' || s.status
            || coalesce(' ' || s.branch, '')
          order by s.position
        )
        from execution_steps s
        where s.organization_id = e.organization_id and s.execution_id = e.id
      ),
      '[]'
    ) as path
  from executions e
  join contacts c on c.organization_id = e.organization_id and c.id = e.contact_id
  where e.organization_id = ${organizationId}`

async function countLive({ organizationId }: Sender): Promise<number> {
  const [row] = await system.sql<{ count: number }[]>`
    select count(*)::integer as count
    from executions
    where organization_id = ${organizationId} and status in ${executions.live(system.sql)}`
  return row?.count ?? 0
}

/** Those that were come to. */
async function countSteps({ organizationId }: Sender): Promise<number> {
  const [row] = await system.sql<{ count: number }[]>`
    select count(*)::integer as count
    from execution_steps
    where organization_id = ${organizationId}`
  return row?.count ?? 0
}

function grouped<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each])
  return groups
}

it('killed again and again, one activity in twenty failing, every execution ends as foretold', async () => {
  const { sql } = system
  const random = randomness(seed)
  const sender = await connectSender(system, 1_000)
  const { organizationId, accountId } = sender
  const topicId = await seedTopic(sql, organizationId)
  const receiver = await startReceiver(servers, BREAK_PERCENT)
  // From here on those run executions that stumble.
  await system.worker.stop()
  const keyring = parseKeyring(system.envOf('worker')['LETTERLOOM_KEYS'] ?? '')
  const surroundings = { topicId, from: SENDER, receiver: receiver.url }
  const flows: SeededFlow[] = []
  for (let each = 0; each < FLOWS; each++) {
    const flow = await seedFlow(sql, organizationId, randomFlow(random, surroundings))
    await sealFlow(sql, keyring, flow)
    flows.push(flow)
  }
  const foretold = new Map<string, Foretold>()
  for (const flow of flows) {
    for (const kind of ['a', 'b']) {
      const people = makePeople(EXECUTIONS / FLOWS / 2, random)
      await store(organizationId, topicId, people)
      const ids = people.map(({ id }) => id)
      const made = await seedExecutions(sql, flow, ids, { data: { kind }, isEnqueued: true })
      for (const [index, person] of people.entries()) {
        const id = made[index] ?? ''
        foretold.set(id, foretell(flow.definition, id, person, { kind }))
      }
    }
  }

  const sandbox = sandboxControl(system.sandboxUrl)
  // Events come later than a claim without its worker is doubted.
  const faults = { acceptThenResetPercent: 2, serverErrorPercent: 2, eventDelayMs: 7_000 }
  await sandbox.setFaults(faults, accountId)
  const workers = startFlowWorkers(WORKERS, system.envOf('worker'), {
    bundle: inject('workflowBundle'),
    breakPercent: BREAK_PERCENT,
  })
  const steps = [...foretold.values()].reduce((sum, { path }) => sum + path.length, 0)
  try {
    const firstNow = Math.floor(Math.random() * 2)
    // Spread over all that there is to do, so that they meet steps of every kind.
    for (let kill = 0; kill < KILLS; kill++) {
      const from = (steps * (kill + Math.random())) / (KILLS + 1)
      await until(async () => (await countSteps(sender)) >= from, PATIENCE_MS)
      // Where there are two, each way at least once.
      const isNow = kill < 2 ? kill === firstNow : Math.random() < 0.5
      await workers.kill(kill, isNow ? 'now' : 'done')
    }
    await until(async () => (await countLive(sender)) === 0, PATIENCE_MS)
  } finally {
    await workers.stop()
  }

  const observed = await observe(sender)
  const mails = grouped(await acceptedBy(system, sender), ({ recipient }) => recipient)
  const calls = grouped([...receiver.noted.keys()], (id) => id.slice(0, id.indexOf('_')))
  const ended = new Map(
    observed.map(({ id, email, ...rest }): [string, Foretold] => [
      id,
      {
        ...rest,
        mails: (mails.get(email ?? '') ?? []).map(({ subject }) => subject),
        calls: calls.get(id) ?? [],
      },
    ]),
  )
  expect(ended.size).toBe(foretold.size)
  for (const [id, end] of foretold) {
    guarantee(() => expect(ended.get(id), `seed ${seed}, ${id}`).toEqual(end))
  }
  const known = new Set(observed.map(({ email }) => email))
  expect([...mails.keys()].filter((recipient) => !known.has(recipient))).toEqual([])
  expect([...calls.keys()].filter((id) => !foretold.has(id))).toEqual([])
  // What is said twice is the same: whoever heeds the id does it once.
  expect([...receiver.noted.values()].filter(({ size }) => size !== 1)).toEqual([])

  for (const flow of flows) {
    const { live: entries, ...counters } = await figures(sql, flow)
    const ends = await sql<{ status: string; count: number }[]>`
      select status, count(*)::int as count
      from executions
      where organization_id = ${organizationId} and flow_id = ${flow.flowId}
      group by status`
    expect(entries).toBe(0)
    expect(counters).toEqual({
      started: EXECUTIONS / FLOWS,
      completed: 0,
      failed: 0,
      cancelled: 0,
      dropped: 0,
      ...Object.fromEntries(ends.map(({ status, count }) => [status, count])),
    })
  }
}, 3_600_000)
