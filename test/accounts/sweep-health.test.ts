import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHealthReader } from '../../activities/aws/health.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import { roleArn } from '../../src/domain/accounts/iam-role.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { CONTROL_QUEUE, type SweepProgress } from '../../workflows/contract.ts'
import { tally } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { FIGURES, type HealthFixture, startHealthFixture, WELL } from '../support/health.ts'
import { REGION } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { startSweepEngine } from '../support/sweep-engine.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Activity failed checkAccount Error: out of order$/)

/** One in so many fails: each that does makes the sweep wait. */
const IN = sized(170, 10)
const FAILING = sized(3, 100)
/** Of the others the provider is asked about one in so many. */
const ASKED = sized(10, 1)
/** More than one run of the sweep sees to. */
const ACCOUNTS = IN * FAILING
const NOBODY = { id: '', accountId: '', externalId: '' }
const FAULTS = [{ denyAssumeRole: true }, { readThrottlePercent: 100 }, { readLatencyMs: 20_000 }]
const WINDOW = 10
const MIB = 1024 * 1024

let fixture: HealthFixture

beforeAll(async () => {
  fixture = await startHealthFixture()
})
afterAll(() => fixture.close())

setFlagsFromString('--expose-gc')
const collectGarbage: unknown = runInNewContext('gc')

/** What this process holds on to: sweep, worker and sandbox are all in it. */
function heldBytes(): number {
  if (typeof collectGarbage === 'function') collectGarbage()
  return process.memoryUsage().heapUsed
}

/**
 * Connects many accounts, one in `IN` of which fails in one of three ways. Returns those, all that
 * the provider knows, and one in good order.
 */
async function connectMany(count: number) {
  const organizationId = uuidv7()
  await fixture.sql`insert into organizations (id, name) values (${organizationId}, 'Many Ltd')`
  const accounts = Array.from({ length: count }, (_, n) => ({
    id: uuidv7(),
    accountId: String(700_000_000_000 + n),
    // The first eight characters name the role: those of a UUIDv7 are the same for a minute.
    externalId: uuidv7().split('-').toReversed().join('-'),
  }))
  await fixture.sql`
    insert into connections (organization_id, id, account_id, region, external_id, is_verified,
      last_verified_at)
    select ${organizationId}, id, account_id, ${REGION}, external_id, true, now()
    from unnest(${accounts.map(({ id }) => id)}::uuid[],
      ${accounts.map(({ accountId }) => accountId)}::text[],
      ${accounts.map(({ externalId }) => externalId)}::text[]) as a (id, account_id, external_id)`
  const [failing, asked] = [new Set<string>(), new Set<string>()]
  const waiting = accounts.entries()
  const put = async () => {
    for (const [n, { id, accountId, externalId }] of waiting) {
      if (n % ASKED !== 0 && n % IN !== 0) continue
      asked.add(id)
      const name = roleArn(accountId, REGION, externalId).replace(/^.*\//, '')
      const roles = [{ name, externalId, policyVersion: 1 }]
      await fixture.control.putAccount(accountId, { region: REGION, ...WELL, roles })
      if (n % IN !== 0) continue
      await fixture.control.setFaults(FAULTS[(n / IN) % FAULTS.length] ?? {}, accountId)
      failing.add(id)
    }
  }
  await Promise.all(Array.from({ length: 10 }, put))
  const [{ id: connectionId, ...rest } = NOBODY] = accounts.slice(ASKED)
  return { failing, asked, well: { ...rest, organizationId, connectionId, region: REGION } }
}

it('hundreds of accounts, some of them failing: all are seen to, ten at once, in bounded memory', async () => {
  const { failing, asked, well } = await connectMany(ACCOUNTS)
  let open = (): void => {}
  const isOpen = new Promise<void>((resolve) => (open = resolve))
  let atOnce = 0
  let most = 0
  let mostHeap = 0
  const seen: string[] = []
  const reader = createHealthReader(createRoles())
  // One account in good order is as good as another: what it answers is taken for those of which
  // the provider is not asked.
  const answer = await reader.read(well, new AbortController().signal)
  const activities = fixture.activities({
    // Longer than the others take on a busy machine.
    readingMs: 8_000,
    health: {
      read: async (role, signal) => {
        most = Math.max(most, ++atOnce)
        // However fast they are: nobody is done before ten have begun, or an eleventh might have.
        if (most === WINDOW) setTimeout(open, 500)
        await Promise.race([isOpen, once(signal, 'abort')])
        seen.push(role.connectionId)
        if (seen.length % 100 === 0) mostHeap = Math.max(mostHeap, heldBytes())
        try {
          return asked.has(role.connectionId) ? await reader.read(role, signal) : answer
        } finally {
          atOnce--
        }
      },
    },
  })
  const engine = await startSweepEngine(activities)
  try {
    const before = heldBytes()
    const handle = await engine.client.workflow.start('sweepHealth', {
      workflowId: 'sweep',
      taskQueue: CONTROL_QUEUE,
      args: [],
    })
    const counts = (await handle.result()) as SweepProgress
    expect(counts).toMatchObject({
      checked: ACCOUNTS - FAILING,
      unanswered: FAILING,
      failed: 0,
    })
    expect(most).toBe(WINDOW)
    expect(Math.max(...Object.values(tally(seen)))).toBe(1)

    const rows = await fixture.sql<{ id: string; status: string; refusal: string | null }[]>`
      select connection_id as id, status, refusal from account_health`
    expect(rows).toHaveLength(ACCOUNTS)
    expect(tally(rows.map(({ status, refusal }) => `${status} ${refusal}`))).toEqual({
      'healthy null': ACCOUNTS - FAILING,
      'unknown denied': Math.ceil(FAILING / 3),
      'unknown throttled': Math.ceil((FAILING - 1) / 3),
      'unknown failed': Math.ceil((FAILING - 2) / 3),
    })
    const wrong = rows.filter(({ id, refusal }) => failing.has(id) !== (refusal !== null))
    expect(wrong).toEqual([])

    // Each run's history is that of five pages, and nothing that the provider said is in it.
    const [longest, text] = await historiesOf(engine.client)
    expect(longest).toBeLessThan(5_000)
    expect(text).not.toMatch(/enforcement|HEALTHY|bounceRate|7000000/i)
    expect((mostHeap - before) / MIB).toBeLessThan(40)
  } finally {
    await engine.stop()
  }
}, 300_000)

/** The length of the longest run's history, and the payloads of all of them as text. */
async function historiesOf(client: Awaited<ReturnType<typeof startSweepEngine>>['client']) {
  let longest = 0
  const texts: string[] = []
  const found = client.workflow.list({ query: "WorkflowId = 'sweep'" })
  for await (const { workflowId, runId } of found) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory()
    longest = Math.max(longest, events?.length ?? 0)
    for (const event of events ?? []) {
      const result = event.activityTaskCompletedEventAttributes?.result?.payloads ?? []
      const input = event.activityTaskScheduledEventAttributes?.input?.payloads ?? []
      for (const { data } of [...result, ...input]) texts.push(Buffer.from(data ?? []).toString())
    }
  }
  return [longest, texts.join('\n')] as const
}

it('our own failure with one account is counted, and the others go on', async () => {
  const accounts = Array.from({ length: 30 }, () => ({
    organizationId: uuidv7(),
    connectionId: uuidv7(),
  }))
  const bad = accounts[7]?.connectionId
  let tries = 0
  const engine = await startSweepEngine({
    listAccounts: async ({ after }) => (after === null ? accounts : []),
    checkAccount: async ({ connectionId }) => {
      if (connectionId !== bad) return 'checked'
      tries++
      throw new Error('out of order')
    },
  })
  try {
    const counts = await engine.client.workflow.execute('sweepHealth', {
      workflowId: 'sweep',
      taskQueue: CONTROL_QUEUE,
      args: [],
    })
    expect(counts).toMatchObject({ checked: 29, unanswered: 0, failed: 1 })
    expect(tries).toBe(2)
  } finally {
    await engine.stop()
  }
})

it('from the sweep to the owner’s inbox: told once, over the outbox and Temporal', async () => {
  await fixture.sql`update connections set disconnected_at = now()`
  const account = await fixture.connect(FIGURES.in_danger, { owners: 2 })
  const quiet = { info: () => {}, warn: () => {}, error: () => {} }
  const engine = await startSweepEngine({ ...fixture.activities(), ...fixture.notices() })
  const relay = startOutboxRelay({ sql: fixture.sql, temporal: engine.client, log: quiet })
  try {
    for (const workflowId of ['first', 'second']) {
      await engine.client.workflow.execute('sweepHealth', {
        workflowId,
        taskQueue: CONTROL_QUEUE,
        args: [],
      })
    }
    const states = () => fixture.sql<{ state: string }[]>`
      select state from notice_mails where organization_id = ${account.organizationId}`
    await until(async () => (await states()).every(({ state }) => state === 'sent'))
    expect(await states()).toHaveLength(2)
    for (const { email } of account.owners) {
      expect((await fixture.control.mails({ search: email })).mails).toHaveLength(1)
    }
  } finally {
    await relay.stop()
    await engine.stop()
  }
})
