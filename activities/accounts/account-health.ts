import {
  type AccountReading,
  isNews,
  verdictOf,
  usedRatio,
  type HealthStatus,
} from '../../src/domain/accounts/health.ts'
import { ofLastWeek } from '../../src/core/accounts/sending-figures.ts'
import * as health from '../../src/store/accounts/health.ts'
import * as notices from '../../src/store/accounts/notices.ts'
import * as senders from '../../src/store/accounts/senders.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import { type Sql, type Transaction, transact } from '../../src/store/db/sql.ts'
import type { HealthReader, ProviderAnswer } from '../provider.ts'

const READING_MS = 8_000
const DAY_MS = 86_400_000
/** Mails of a week below which our own rates say nothing. */
const LEAST_SENT = 100

export interface HealthDeps {
  sql: Sql
  health: HealthReader
  daily: readonly ((sender: senders.SendingConnection) => Promise<unknown>)[]
  now: () => number
  log: { warn: (fields: object, message: string) => void }
  readingMs?: number
}

/** `unanswered`: the provider gave no answer. `gone`: the account is no longer connected. */
export type CheckOutcome = 'checked' | 'unanswered' | 'gone'

export function createHealthActivities(deps: HealthDeps) {
  const { sql, daily, now, log, readingMs = READING_MS } = deps

  async function checkAccount(account: health.Account): Promise<CheckOutcome> {
    const sender = await senders.find(sql, account.organizationId, account.connectionId)
    if (!sender || sender.disconnected) return 'gone'
    const at = now()
    const answer = await deps.health.read(sender, AbortSignal.timeout(readingMs))
    if (answer.kind === 'told') {
      await learnRate(sender, answer.value)
      const reading = await withOwnRates(account, answer.value, at)
      await store(account, sender, { kind: 'told', value: reading }, at)
    } else {
      await store(account, sender, answer, at)
    }
    // A failure of a daily check does not affect the verdict. The check is due again tomorrow.
    const { organizationId, connectionId } = account
    for (const look of daily) {
      await look(sender).catch((error: unknown) => {
        log.warn({ err: error, organizationId, connectionId }, 'the sweep leaves something undone')
      })
    }
    return answer.kind === 'told' ? 'checked' : 'unanswered'
  }

  async function learnRate(
    account: senders.SendingConnection,
    { maxSendRate, max24Hour, sentLast24Hours }: AccountReading,
  ) {
    if (!maxSendRate || maxSendRate < 0 || max24Hour === null) return
    const limits = { maxSendRate, max24Hour, sentLast24Hours: sentLast24Hours ?? 0 }
    await sendLimits.learn(sql, account, limits)
  }

  async function withOwnRates(account: health.Account, reading: AccountReading, at: number) {
    if (reading.bounceRate !== null && reading.complaintRate !== null) return reading
    const own = await ofLastWeek(sql, account, at)
    if (own.sent < LEAST_SENT) return reading
    return {
      ...reading,
      bounceRate: reading.bounceRate ?? own.permanentBounces / own.sent,
      complaintRate:
        reading.complaintRate ?? (own.delivered > 0 ? own.complaints / own.delivered : null),
    }
  }

  const store = (
    account: health.Account,
    sender: senders.SendingConnection,
    answer: ProviderAnswer<AccountReading>,
    at: number,
  ): Promise<void> =>
    transact(sql, async (tx) => {
      const before = await health.lock(tx, account)
      if (!before) return
      const checkedAt = before.checkedAt === null ? null : Date.parse(before.checkedAt)
      // Another check has stored later figures meanwhile.
      if (checkedAt !== null && checkedAt > at) return
      const after = await write(tx, account, { answer, at, checkedAt })
      if (after !== undefined) await tellOwners(tx, { sender, before: before.status, ...after, at })
    })

  return {
    listAccounts: async (input: { after: string | null; limit: number }) => [
      ...(await health.listConnected(sql, input.after, input.limit)),
    ],
    checkAccount,
  }
}

interface AnsweredReading {
  answer: ProviderAnswer<AccountReading>
  at: number
  checkedAt: number | null
}

/** Returns the new verdict. Undefined: there is none, and the previous one stays. */
async function write(
  tx: Transaction,
  account: health.Account,
  { answer, at, checkedAt }: AnsweredReading,
): Promise<{ status: HealthStatus; reasons: string[] } | undefined> {
  const time = new Date(at).toISOString()
  if (answer.kind === 'told') {
    const reading = answer.value
    const verdict = verdictOf({ ...reading, usedRatio: usedRatio(reading) })
    await health.record(tx, account, { reading, verdict, at: time })
    return verdict
  }
  await health.recordRefusal(tx, account, { refusal: answer.kind, at: time })
  // An hour without an answer says nothing about the account. After a day its state is unknown.
  if (checkedAt === null || at - checkedAt < DAY_MS) return undefined
  await health.forget(tx, account)
  return { status: 'unknown', reasons: [] }
}

interface News {
  sender: senders.SendingConnection
  before: HealthStatus
  status: HealthStatus
  reasons: string[]
  at: number
}

async function tellOwners(
  tx: Transaction,
  { sender, before, status, reasons, at }: News,
): Promise<void> {
  const { organizationId, connectionId, accountId: accountNumber, region } = sender
  const about = { organizationId, kind: 'account_health', subject: connectionId } as const
  const since = new Date(at - DAY_MS).toISOString()
  const toldStatuses = (await notices.listSince(tx, { ...about, since })).map(
    ({ data }) => data.status,
  )
  if (!isNews(status, before, toldStatuses)) return
  const time = new Date(at).toISOString()
  await notices.put(tx, {
    ...about,
    period: `${time.slice(0, 10)} ${status}`,
    data: { connectionId, accountNumber, region, status, reasons },
    at: time,
  })
}

export type HealthActivities = ReturnType<typeof createHealthActivities>
