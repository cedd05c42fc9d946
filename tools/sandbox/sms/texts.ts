import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Sql } from '../../../src/store/db/sql.ts'
import type { Account, Accounts } from '../accounts.ts'
import { type FaultSwitches, happens } from '../faults.ts'
import { mailIds } from '../message-id.ts'
import type { Queues } from '../queues.ts'
import type { Report } from './magic.ts'
import { inboundMessage, notification, type TextEvent, textEvent } from './notifications.ts'
import type { Counted } from './parts.ts'
import type { SmsSender } from './settings.ts'

export interface NewText extends Counted {
  account: Account
  sender: SmsSender
  destination: string
  body: string
  messageType: 'TRANSACTIONAL' | 'PROMOTIONAL'
  context: Record<string, string>
  configurationSet: string | null
  report: Report
}

export interface StoredText {
  id: string
  account: string
  region: string
  acceptedAt: string
  sender: string
  destination: string
  body: string
  messageType: string
  context: Record<string, string>
  configurationSet: string | null
  encoding: Counted['encoding']
  parts: number
  price: number
  carrierFee: number
  report: Report
}

interface DueEvent extends TextEvent {
  id: string
  account: string
  region: string
  configurationSet: string
}

const FETCH = 256
const FAILED_MS = 500
const LONGEST_REST_MS = 1_000

interface TextsDeps {
  sql: Sql
  log: Logger
  accounts: Accounts
  faults: FaultSwitches
  queues: Queues
}

/**
 * Accepted texts, their events and the lists of numbers that opted out. Events are put into the
 * queue that is subscribed to the topic of their configuration set, at least once.
 */
export function createTexts({ sql, log, accounts, faults, queues }: TextsDeps) {
  let timer: NodeJS.Timeout | undefined
  let delivering: Promise<void> | undefined
  let stopped = false

  const wake = (afterMs = 0): void => {
    if (stopped || delivering) return
    clearTimeout(timer)
    timer = setTimeout(turn, afterMs)
  }

  const turn = (): void => {
    delivering = deliver()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the sandbox could not deliver events of texts')
        return FAILED_MS
      })
      .then((restMs) => {
        delivering = undefined
        if (restMs !== undefined) wake(restMs)
      })
  }

  /** Delivers what is due. Returns the wait until the next event; undefined: there is none. */
  const deliver = async (): Promise<number | undefined> => {
    if (faults.of().eventsStopped) return FAILED_MS
    const due = await sql<DueEvent[]>`
      select e.id, e.kind, e.is_final, e.occurs_at, t.id as text_id, t.account, t.region,
        t.accepted_at, t.sender, t.country, t.destination, t.message_type, t.context,
        t.configuration_set, t.encoding, t.parts, t.price, t.carrier_fee
      from sandbox.text_events e
      join sandbox.texts t on t.id = e.text_id
      where e.state = 'pending' and e.due_at <= ${new Date().toISOString()}
      order by e.due_at, e.id
      limit ${FETCH}`
    for (const event of due) await publish(event)
    if (due.length > 0) {
      await sql`
        update sandbox.text_events set state = 'delivered'
        where id = any(${due.map(({ id }) => id)}::uuid[])`
    }
    const [next] = await sql<{ dueAt: string | null }[]>`
      select min(due_at) as due_at from sandbox.text_events where state = 'pending'`
    if (!next?.dueAt) return undefined
    return Math.min(LONGEST_REST_MS, Math.max(1, Date.parse(next.dueAt) - Date.now()))
  }

  const publish = async (event: DueEvent): Promise<void> => {
    const { id, account, region, configurationSet } = event
    const set = accounts
      .get(account, region)
      .sms.configurationSets.find(({ name }) => name === configurationSet)
    if (set?.queue === undefined) return
    const topic = `arn:aws:sns:${region}:${account}:${set.topic}`
    const body = notification({ id, topic, message: textEvent(event), at: event.occursAt })
    const isDoubled = happens(faults.of(account).eventDuplicatePercent)
    await queues.put({ account, region, name: set.queue }, isDoubled ? [body, body] : [body])
  }

  /** Events of a text: on the way, then what became of it. */
  const planned = ({ account, report, configurationSet }: NewText, acceptedAt: number) => {
    const { eventsOff, eventDelayMs, eventShuffle } = faults.of(account.accountNumber)
    if (configurationSet === null || eventsOff || report === 'NONE') return []
    const firstAt = acceptedAt + account.sms.eventDelayMs
    const lastAt = firstAt + account.sms.finalDelayMs
    const events = [
      { kind: 'QUEUED', isFinal: false, occursAt: firstAt },
      ...(report === 'PENDING'
        ? [{ kind: 'PENDING', isFinal: false, occursAt: lastAt }]
        : [{ kind: report, isFinal: true, occursAt: lastAt }]),
    ]
    const dueTimes = events.map(({ occursAt }) => occursAt + eventDelayMs)
    const orderedTimes = eventShuffle ? dueTimes.toReversed() : dueTimes
    return events.map((event, index) => ({ ...event, dueAt: orderedTimes[index] ?? acceptedAt }))
  }

  return {
    start: (): void => wake(),

    /** Stores a text with its events. Resolves to its message id, after the commit. */
    accept: async (text: NewText): Promise<string> => {
      const { account, sender, context, parts, encoding } = text
      const { price, carrierFee } = account.sms
      const [id = ''] = mailIds(1)
      const acceptedAt = Date.now()
      const events = planned(text, acceptedAt)
      await sql`
        with event as (
          insert into sandbox.text_events (id, text_id, kind, is_final, occurs_at, due_at)
          select e.id, ${id}::uuid, e.kind, e.is_final, e.occurs_at, e.due_at
          from unnest(
            ${events.map(() => randomUUID())}::uuid[],
            ${events.map(({ kind }) => kind)}::text[],
            ${events.map(({ isFinal }) => String(isFinal))}::text[]::boolean[],
            ${events.map(({ occursAt }) => new Date(occursAt).toISOString())}::timestamptz[],
            ${events.map(({ dueAt }) => new Date(dueAt).toISOString())}::timestamptz[]
          ) as e (id, kind, is_final, occurs_at, due_at)
        )
        insert into sandbox.texts (id, account, region, accepted_at, sender, country, destination,
          body, message_type, context, configuration_set, encoding, parts, price, carrier_fee,
          report)
        values (${id}, ${account.accountNumber}, ${account.region},
          ${new Date(acceptedAt).toISOString()}, ${sender.identity}, ${sender.country},
          ${text.destination}, ${text.body}, ${text.messageType}, ${sql.json(context)},
          ${text.configurationSet}, ${encoding}, ${parts}, ${price * parts},
          ${carrierFee * parts}, ${text.report})`
      if (events.length > 0) wake()
      return id
    },

    /** US dollars of the texts of this month. */
    spent: async ({ accountNumber, region }: Account): Promise<number> => {
      const [row] = await sql<{ spent: number }[]>`
        select coalesce(sum(price + carrier_fee), 0)::float8 as spent
        from sandbox.texts
        where account = ${accountNumber} and region = ${region}
          and accepted_at >= date_trunc('month', now())`
      return row?.spent ?? 0
    },

    /** Newest first. */
    list: (filter: { account?: string | undefined; destination?: string | undefined }) => sql<
      StoredText[]
    >`
      select id, account, region, accepted_at, sender, destination, body, message_type, context,
        configuration_set, encoding, parts, price, carrier_fee, report
      from sandbox.texts
      where (${filter.account ?? null}::text is null or account = ${filter.account ?? null})
        and (${filter.destination ?? null}::text is null or destination = ${filter.destination ?? null})
      order by accepted_at desc, id desc
      limit 1000`,

    optedOut: {
      has: async ({ accountNumber, region }: Account, list: string, phone: string) => {
        const rows = await sql`
          select from sandbox.opted_out_numbers
          where account = ${accountNumber} and region = ${region} and list = ${list}
            and phone = ${phone}`
        return rows.length > 0
      },
      put: ({ accountNumber, region }: Account, list: string, phone: string) => sql`
        insert into sandbox.opted_out_numbers (account, region, list, phone, opted_out_at)
        values (${accountNumber}, ${region}, ${list}, ${phone}, clock_timestamp())
        on conflict do nothing`,
      remove: ({ accountNumber, region }: Account, list: string, phone: string) => sql`
        delete from sandbox.opted_out_numbers
        where account = ${accountNumber} and region = ${region} and list = ${list}
          and phone = ${phone}`,
      page: (
        { accountNumber, region }: Account,
        { list, after, limit }: { list: string; after: string; limit: number },
      ) => sql<{ phone: string; optedOutAt: string }[]>`
        select phone, opted_out_at
        from sandbox.opted_out_numbers
        where account = ${accountNumber} and region = ${region} and list = ${list}
          and phone > ${after}
        order by phone
        limit ${limit}`,
    },

    /** Publishes what somebody wrote to a number of the account. */
    publishInbound: async (
      account: Account,
      { from, sender, body }: { from: string; sender: SmsSender; body: string },
    ): Promise<void> => {
      const { accountNumber, region, sms } = account
      for (const { topic, queue } of sms.configurationSets) {
        if (queue === undefined) continue
        const id = randomUUID()
        const message = inboundMessage({ from, to: sender.identity, body })
        const topicArn = `arn:aws:sns:${region}:${accountNumber}:${topic}`
        const text = notification({ id, topic: topicArn, message, at: new Date().toISOString() })
        await queues.put({ account: accountNumber, region, name: queue }, [text])
        return
      }
    },

    clear: async (): Promise<void> => {
      await sql`delete from sandbox.text_events`
      await sql`delete from sandbox.texts`
    },

    stop: async (): Promise<void> => {
      stopped = true
      clearTimeout(timer)
      await delivering
    },
  }
}
export type Texts = ReturnType<typeof createTexts>
