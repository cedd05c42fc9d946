import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Accounts } from './accounts.ts'
import { numberArray, textArray } from './columns.ts'
import { type EventOfMail, envelopeOf } from './envelope.ts'
import { createEventQueues } from './event-queues.ts'
import { type FaultSwitches, happens } from './faults.ts'
import { createPoster } from './poster.ts'
import type { Queues } from './queues.ts'
import { redelivery } from './redelivery.ts'
import type { Settings } from './settings.ts'

const FETCH = 256
const IDLE_MS = 50
const SETTLE_MS = 20
/** Result of a failed fetch, and the wait before the next one. */
const FAILED = -1
const FAILED_MS = 500

const TAKEN = { status: 200, retryAfterMs: 0 }
const NO_ANSWER = { status: 0, retryAfterMs: 0 }

interface DueEvent extends Omit<EventOfMail, 'detail'> {
  target: number
  attempts: number
  arrivedAt: string
  detail: string
}

interface Settled {
  id: string
  state: 'pending' | 'delivered' | 'dropped'
  attempts: number
  dueAt: string
}

export interface EventStats {
  pending: number
  delivered: number
  dropped: number
  /** Failed attempts that are repeated. */
  retried: number
}

interface Deps {
  sql: Sql
  log: Logger
  accounts: Accounts
  faults: FaultSwitches
  settings: Settings
  queues: Queues
}

/**
 * The event bus: posts or queues delivery events when they are due, at each destination's rate, and
 * repeats them as EventBridge does when a webhook does not accept them. Events in flight are known
 * in memory only: after a restart they are posted again with the same id, as EventBridge may do.
 */
export function createPump({ sql, log, accounts, faults, settings, queues }: Deps) {
  const poster = createPoster(settings)
  const ready = createEventQueues<DueEvent>(settings)
  /** Fetched, but not yet settled in Postgres. */
  const takenIds = new Set<string>()
  let settled: Settled[] = []
  let flying = 0
  let fetching: Promise<void> | undefined
  let settling: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let settleTimer: NodeJS.Timeout | undefined
  let stopped = false
  let paused = false
  let counters = { delivered: 0, dropped: 0, retried: 0 }

  const hasRoom = (): boolean => !stopped && flying < settings.eventConcurrency
  const isFlying = (): boolean => flying > 0

  const turn = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (paused) return
    while (hasRoom()) {
      const event = ready.take(performance.now())
      if (!event) break
      if (faults.of(event.account).eventsStopped) {
        takenIds.delete(event.id)
        continue
      }
      flying++
      void post(event)
    }
    if (stopped || fetching) return
    if (!hasRoom() && ready.size() >= FETCH / 2) return
    fetching = fetch()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the sandbox could not read its events')
        return FAILED
      })
      .then((foundEvents) => {
        fetching = undefined
        if (foundEvents > 0) turn()
        else timer ??= setTimeout(turn, foundEvents === FAILED ? FAILED_MS : untilNext())
      })
  }

  const untilNext = (): number => Math.min(IDLE_MS, Math.max(1, ready.waitMs() ?? IDLE_MS))

  const fetch = async (): Promise<number> => {
    if (faults.of().eventsStopped) return 0
    const silent = faults.accounts().filter((account) => faults.of(account).eventsStopped)
    const dueEvents = await sql<DueEvent[]>`
      select e.id, e.kind, e.link, e.occurs_at, e.target, e.attempts,
        coalesce(e.arrived_at, e.occurs_at) as arrived_at, m.id as mail_id, m.account, m.region,
        m.accepted_at, m.sender, m.recipient, m.subject, m.outcome, m.detail
      from (
        select *
        from sandbox.events
        where state = 'pending'
          and due_at <= ${new Date().toISOString()}
          and not (id = any(${textArray([...takenIds])}::uuid[]))
          and not (account = any(${textArray(silent)}::text[]))
          and not (account || ' ' || target = any(${textArray(ready.full())}::text[]))
        order by due_at, id
        limit ${FETCH}
      ) e
      join sandbox.mails m on m.id = e.mail_id and m.position = e.position
      order by e.due_at, e.id`
    for (const event of dueEvents) {
      takenIds.add(event.id)
      ready.add(`${event.account} ${event.target}`, event)
    }
    return dueEvents.length
  }

  const post = async (event: DueEvent): Promise<void> => {
    const { id } = event
    const attempts = event.attempts + 1
    const webhook = accounts.get(event.account, event.region).webhooks[event.target]
    try {
      if (!webhook) {
        settle({ id, state: 'dropped', attempts, dueAt: event.occursAt })
        return
      }
      const { eventsUntagged, eventDuplicatePercent } = faults.of(event.account)
      const detail = JSON.parse(event.detail) as EventOfMail['detail']
      const envelope = envelopeOf({ ...event, detail }, { isUntagged: eventsUntagged })
      const body = JSON.stringify(envelope)
      const answer = await deliver(event, body)
      if (happens(eventDuplicatePercent)) await deliver(event, body)
      settle(outcomeOf(event, answer))
    } finally {
      flying--
      turn()
    }
  }

  const deliver = async ({ account, region, target }: DueEvent, body: string) => {
    const webhook = accounts.get(account, region).webhooks[target]
    if (!webhook) return NO_ANSWER
    if ('url' in webhook) return poster.post(webhook, body)
    return queues.put({ account, region, name: webhook.queue }, [body]).then(
      () => TAKEN,
      () => NO_ANSWER,
    )
  }

  const outcomeOf = (
    event: DueEvent,
    answer: { status: number; retryAfterMs: number },
  ): Settled => {
    const { id, attempts: before, occursAt } = event
    const arrivedAt = Date.parse(event.arrivedAt)
    const verdict = redelivery({ before, arrivedAt, ...answer }, settings, Date.now())
    const { state } = verdict
    counters[state === 'pending' ? 'retried' : state]++
    const dueAt = state === 'pending' ? new Date(verdict.dueAt).toISOString() : occursAt
    return { id, state, attempts: before + 1, dueAt }
  }

  const settle = (result: Settled): void => {
    settled.push(result)
    settleTimer ??= setTimeout(() => {
      settleTimer = undefined
      settling = settling.then(write)
    }, SETTLE_MS)
  }

  const write = async (): Promise<void> => {
    const results = settled
    settled = []
    if (results.length === 0) return
    try {
      await sql`
        update sandbox.events e
        set state = s.state, attempts = s.attempts, due_at = s.due_at,
          settled_at = case when s.state = 'pending' then null else now() end
        from unnest(${textArray(results.map(({ id }) => id))}::uuid[],
          ${textArray(results.map(({ state }) => state))}::text[],
          ${numberArray(results.map(({ attempts }) => attempts))}::integer[],
          ${textArray(results.map(({ dueAt }) => dueAt))}::timestamptz[])
          as s(id, state, attempts, due_at)
        where e.id = s.id`
    } catch (error) {
      // They stay pending and are posted again: at least once, like the real thing.
      log.warn({ err: error }, 'the sandbox could not note what became of its events')
    }
    for (const { id } of results) takenIds.delete(id)
  }

  return {
    start: async (): Promise<void> => {
      const rows = await sql<{ state: string; events: number; attempts: number }[]>`
        select state, count(*) as events, coalesce(sum(greatest(attempts - 1, 0)), 0)::bigint as attempts
        from sandbox.events
        group by state`
      for (const { state, events, attempts } of rows) {
        counters.retried += attempts
        if (state === 'delivered' || state === 'dropped') counters[state] += events
      }
      turn()
    },

    /** There are new events. */
    wake: (): void => {
      if (timer) turn()
    },

    stats: async (): Promise<EventStats> => {
      const [row] = await sql<{ pending: number }[]>`
        select count(*) as pending
        from sandbox.events
        where state = 'pending'`
      return { pending: row?.pending ?? 0, ...counters }
    },

    /**
     * Loses a mail's pending events for good and returns their number. One that is being posted may
     * still arrive.
     */
    lose: async (mailId: string): Promise<number> => {
      await fetching
      for (const { id } of ready.remove((event) => event.mailId === mailId)) takenIds.delete(id)
      const lost = await sql`
        update sandbox.events
        set state = 'dropped', settled_at = now()
        where mail_id = ${mailId} and state = 'pending'`
      counters.dropped += lost.count
      return lost.count
    },

    /** Runs `work`, which deletes all events, while none is in flight. */
    exclusive: async (work: () => Promise<unknown>): Promise<void> => {
      paused = true
      try {
        await fetching
        ready.remove(() => true)
        while (isFlying()) await sleep(2)
        await work()
        takenIds.clear()
        counters = { delivered: 0, dropped: 0, retried: 0 }
      } finally {
        paused = false
        turn()
      }
    },

    stop: async (): Promise<void> => {
      stopped = true
      clearTimeout(timer)
      clearTimeout(settleTimer)
      await fetching
      await poster.close()
      await settling
      await write()
    },
  }
}
export type Pump = ReturnType<typeof createPump>
