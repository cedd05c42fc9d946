import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../src/store/db/sql.ts'
import { textArray } from './columns.ts'

/** Interval at which a waiting receiver looks for visible messages. */
const LOOK_MS = 200

export interface QueueKey {
  account: string
  region: string
  name: string
}

export interface Queued {
  id: string
  receipt: string
  body: string
  receives: number
}

interface Receive {
  most: number
  hiddenSeconds: number
  /** Undefined: nothing is set aside. */
  redrive: { name: string; maxReceives: number } | undefined
}

/** Standard queues: any order, at-least-once delivery. */
export function createQueues(sql: Sql) {
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const woken = waiting
    waiting = []
    for (const each of woken) each()
  }

  const put = async (queue: QueueKey, bodies: readonly string[]): Promise<void> => {
    const { account, region, name } = queue
    await sql`
      insert into sandbox.queue_messages (id, account, region, queue, body)
      select gen_random_uuid(), ${account}, ${region}, ${name}, body
      from unnest(${textArray([...bodies])}::text[]) as given (body)`
    wake()
  }

  /** Moves messages that were received too often to their dead-letter queue. */
  const setAside = ({ account, region, name }: QueueKey, redrive: Receive['redrive']) =>
    redrive &&
    sql`
      update sandbox.queue_messages
      set queue = ${redrive.name}, receives = 0, receipt = null
      where account = ${account} and region = ${region} and queue = ${name}
        and visible_at <= clock_timestamp() and receives >= ${redrive.maxReceives}`

  const receive = async (queue: QueueKey, options: Receive): Promise<Queued[]> => {
    const { account, region, name } = queue
    await setAside(queue, options.redrive)
    const receipt = randomUUID()
    return sql<Queued[]>`
      update sandbox.queue_messages m
      set receives = receives + 1, receipt = ${receipt}::uuid,
        visible_at = clock_timestamp() + ${options.hiddenSeconds} * interval '1 second'
      where id in (
        select id
        from sandbox.queue_messages
        where account = ${account} and region = ${region} and queue = ${name}
          and visible_at <= clock_timestamp()
        order by visible_at
        limit ${options.most}
        for update skip locked
      )
      returning id, id || ' ' || receipt as receipt, body, receives`
  }

  return {
    put,

    /** Waits up to this long for messages, while `isWanted`. */
    receive: async (
      queue: QueueKey,
      { waitSeconds, isWanted, ...options }: Receive & WaitOptions,
    ): Promise<Queued[]> => {
      const until = performance.now() + waitSeconds * 1_000
      for (;;) {
        if (!isWanted()) return []
        const messages = await receive(queue, options)
        if (messages.length > 0 || performance.now() >= until) return messages
        const woken = new Promise<void>((resolve) => waiting.push(resolve))
        await Promise.race([woken, sleep(LOOK_MS)])
      }
    },

    /**
     * Deletes by the last receipt of each message. An older receipt deletes nothing and is no
     * error.
     */
    delete: async ({ account, region, name }: QueueKey, receipt: string): Promise<boolean> => {
      const [, id, last] = RECEIPT.exec(receipt) ?? []
      if (id === undefined || last === undefined) return false
      await sql`
        delete from sandbox.queue_messages
        where account = ${account} and region = ${region} and queue = ${name}
          and id = ${id}::uuid and receipt = ${last}::uuid`
      return true
    },

    count: async ({ account, region, name }: QueueKey) => {
      const [row] = await sql<{ visible: number; hidden: number }[]>`
        select count(*) filter (where visible_at <= clock_timestamp()) as visible,
          count(*) filter (where visible_at > clock_timestamp()) as hidden
        from sandbox.queue_messages
        where account = ${account} and region = ${region} and queue = ${name}`
      return { visible: row?.visible ?? 0, hidden: row?.hidden ?? 0 }
    },
  }
}
export type Queues = ReturnType<typeof createQueues>

interface WaitOptions {
  waitSeconds: number
  isWanted: () => boolean
}

const RECEIPT = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) ([0-9a-f-]{36})$/
