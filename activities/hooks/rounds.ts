import { hookBody, hookData } from '../../src/core/hooks/hook-bodies.ts'
import { loadSubjects } from '../../src/core/hooks/hook-subjects.ts'
import { HOOK_PRIORITY } from '../../src/domain/hooks/hook-event.ts'
import { LEASE_MS } from '../../src/domain/hooks/hook-retries.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import type { Fetcher } from '../../src/net/fetch.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import * as hookQueue from '../../src/store/hooks/hook-queue.ts'
import { callHook, cancelled, openSecrets, unsigned } from './call-hook.ts'
import type { Caller, CallRoom } from './call-room.ts'
import { createResultWriter } from './result-writer.ts'
import { sampleData } from './sample-data.ts'

/** Endpoints that are read together. */
const PAGE = 100
const LEAST_ID = '00000000-0000-0000-0000-000000000000'

const GONE = 'What the event is about is gone'
const DROPPED = 'The endpoint was enabled again without the events that were held'

/** The worker stops, and a call that was under way is given up. */
export class Stopped extends Error {}

interface RoundContext {
  sql: Sql
  keyring: Keyring
  fetcher: Fetcher
  now: () => number
  onCall: (outcome: string, ms: number) => void
  shard: number
  room: CallRoom
  signal: AbortSignal
}

interface ReadyEndpoint {
  endpoint: hookQueue.DueEndpoint
  caller: Caller
  calls: number
}

/** Begins calls of a shard, round by round, without waiting for those of the rounds before. */
export function createRounds(context: RoundContext) {
  const { sql, fetcher, now, onCall, shard, room, signal } = context
  const calls = new Set<Promise<void>>()
  let after = LEAST_ID
  let failure: { error: unknown } | undefined
  let isWoken = false
  let endWait = (): void => {}
  const wake = (): void => {
    isWoken = true
    endWait()
  }
  const fail = (error: unknown): void => {
    failure ??= { error }
  }
  const writer = createResultWriter(sql, fail)

  /** Begins the calls that there is room for. Returns how many deliveries were taken. */
  async function begin(): Promise<number> {
    if (failure) throw failure.error
    isWoken = false
    const page = await hookQueue.listDueEndpoints(sql, shard, { after, limit: PAGE })
    const isLast = page.length < PAGE
    after = isLast ? LEAST_ID : (page.at(-1)?.id ?? LEAST_ID)
    const readyEndpoints = page.map(readyOf).filter((ready) => ready.calls > 0)
    if (readyEndpoints.length === 0) return isLast ? 0 : begin()
    const claimed = await claim(readyEndpoints)
    await beginClaimed(readyEndpoints, claimed)
    return claimed.length
  }

  const readyOf = (endpoint: hookQueue.DueEndpoint): ReadyEndpoint => {
    const { organizationId, id, url, maxInFlight, failures, isGated } = endpoint
    const isFailing = failures > 0 || isGated
    const caller = { organizationId, id, host: new URL(url).hostname, maxInFlight, isFailing }
    return { endpoint, caller, calls: room.take(caller) }
  }

  /** Claims deliveries for the room that was taken, and gives the rest back. */
  async function claim(
    readyEndpoints: readonly ReadyEndpoint[],
  ): Promise<readonly hookQueue.ClaimedDelivery[]> {
    const claimedCounts = new Map<string, number>()
    try {
      const rooms = readyEndpoints.map(({ endpoint: { id, isOpen }, calls: most }) => ({
        endpointId: id,
        isOpen,
        calls: most,
      }))
      const claimed = await hookQueue.claim(sql, rooms, LEASE_MS)
      for (const { endpointId } of claimed) {
        claimedCounts.set(endpointId, (claimedCounts.get(endpointId) ?? 0) + 1)
      }
      return claimed
    } finally {
      for (const { endpoint, caller, calls: most } of readyEndpoints) {
        room.giveBack(caller, most - (claimedCounts.get(endpoint.id) ?? 0))
      }
    }
  }

  async function beginClaimed(
    readyEndpoints: readonly ReadyEndpoint[],
    claimed: readonly hookQueue.ClaimedDelivery[],
  ): Promise<void> {
    const byId = new Map(readyEndpoints.map((ready) => [ready.endpoint.id, ready]))
    const begun = claimed.flatMap((delivery) => {
      const ready = byId.get(delivery.endpointId)
      return ready ? [{ delivery, ready, release: () => room.giveBack(ready.caller, 1) }] : []
    })
    const bodyOf = await loadBodies(claimed).catch((error: unknown) => {
      for (const { release } of begun) release()
      throw error
    })
    const secretsOf = secretsOfEndpoints(readyEndpoints)
    for (const { delivery, ready, release } of begun) {
      const { caller, endpoint } = ready
      const body = bodyOf(delivery)
      const secrets = secretsOf.get(endpoint.id)
      if (delivery.isDropped) writer.add(cancelled(delivery, DROPPED, now()), release)
      else if (body === undefined) writer.add(cancelled(delivery, GONE, now()), release)
      else if (secrets === undefined) writer.add(unsigned(delivery, now()), release)
      else call(caller, { delivery, url: endpoint.url, body, secrets }, release)
    }
  }

  const secretsOfEndpoints = (readyEndpoints: readonly ReadyEndpoint[]) =>
    new Map(
      readyEndpoints.map(({ endpoint }) => [endpoint.id, openSecrets(context.keyring, endpoint)]),
    )

  /** Returns the body of each delivery. Undefined: what it is about is gone. */
  async function loadBodies(claimed: readonly hookQueue.ClaimedDelivery[]) {
    const isTest = ({ priority }: hookQueue.ClaimedDelivery) => priority === HOOK_PRIORITY.test
    const subjectsOf = await loadSubjects(
      sql,
      claimed.filter((delivery) => !isTest(delivery)),
    )
    return (delivery: hookQueue.ClaimedDelivery): string | undefined => {
      const data = isTest(delivery)
        ? sampleData(delivery.type)
        : hookData(delivery, subjectsOf(delivery))
      return data && hookBody(delivery, data)
    }
  }

  function call(
    caller: Caller,
    request: Omit<Parameters<typeof callHook>[1], 'signal'>,
    release: () => void,
  ): void {
    const work = callOnce(caller, request, release).finally(() => {
      calls.delete(work)
      wake()
    })
    calls.add(work)
  }

  async function callOnce(
    caller: Caller,
    request: Omit<Parameters<typeof callHook>[1], 'signal'>,
    release: () => void,
  ): Promise<void> {
    try {
      const result = await callHook({ fetcher, now }, { ...request, signal })
      onCall(result.state, result.attempt?.ms ?? 0)
      if (result.state === 'delivered') {
        room.noteSuccess(caller)
        release()
        writer.add(result, wake)
        return
      }
      room.noteFailure(caller)
      // Released when it is written: the endpoint would be called again at once.
      writer.add(result, () => {
        release()
        wake()
      })
    } catch (error) {
      release()
      await hookQueue.release(sql, [request.delivery.id]).then(() => {}, fail)
      if (!(error instanceof Stopped)) fail(error)
    }
  }

  return {
    begin,
    isEmpty: (): boolean => calls.size === 0 && writer.written() === undefined,

    /** Resolves when a call has ended or a result is written, or after `ms`. */
    changed: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        endWait = () => {
          clearTimeout(timer)
          resolve()
        }
        if (isWoken) endWait()
      }),

    /** Resolves when all calls have ended and are written. Throws the first error of a call. */
    async ended(): Promise<void> {
      while (calls.size > 0 || writer.written() !== undefined) {
        await Promise.all([...calls, writer.written()])
      }
      if (failure) throw failure.error
    },
  }
}
