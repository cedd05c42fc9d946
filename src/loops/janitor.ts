import * as invitations from '../store/access/invitations.ts'
import * as loginFailures from '../store/access/login-failures.ts'
import * as providerReadings from '../store/accounts/provider-readings.ts'
import * as sendUsage from '../store/accounts/send-usage.ts'
import * as confirmationMails from '../store/consent/confirmation-mails.ts'
import type { Sql } from '../store/db/sql.ts'
import * as flowOperations from '../store/flows/flow-operations.ts'
import * as eventIds from '../store/events/event-ids.ts'
import * as idempotencyKeys from '../store/platform/idempotency-keys.ts'
import * as batchReports from '../store/batches/batch-reports.ts'
import * as hookDeliveries from '../store/hooks/hook-deliveries.ts'
import * as linkClicks from '../store/batches/link-clicks.ts'
import * as probes from '../store/delivery/probes.ts'
import * as transactionalMails from '../store/mails/transactional-mails.ts'
import * as unappliedEvents from '../store/delivery/unapplied-events.ts'
import { type Log, startLoop } from './loop.ts'

const MINUTE_MS = 60_000

interface Task {
  name: string
  everyMs: number
  /** Deletes a bounded set. Returns whether there may be more. */
  tidy: (sql: Sql) => Promise<boolean>
}

/** Rows that are deleted when nobody needs them. A new kind is a line here. */
const TASKS: readonly Task[] = [
  {
    // Responses that are no longer kept under an Idempotency-Key.
    name: 'idempotency-cleaner',
    everyMs: 10 * MINUTE_MS,
    tidy: async (sql) => (await idempotencyKeys.deleteOld(sql)) > 0,
  },
  {
    // The callers' own ids of events: they may name somebody, and one is stored for each event.
    name: 'event-id-cleaner',
    everyMs: 60 * MINUTE_MS,
    tidy: async (sql) => (await eventIds.deleteOld(sql)) > 0,
  },
  {
    // Failed logins, a day after the last.
    name: 'login-failure-cleaner',
    everyMs: 10 * MINUTE_MS,
    tidy: async (sql) => (await loginFailures.deleteOldFailures(sql)) > 0,
  },
  {
    // Invitations that were accepted, revoked or never answered, with the addresses in them.
    name: 'invitation-cleaner',
    everyMs: 10 * MINUTE_MS,
    tidy: async (sql) => (await invitations.deleteOld(sql)) > 0,
  },
  {
    // Operations on executions of flows, a month after they were completed.
    name: 'flow-operation-cleaner',
    everyMs: 60 * MINUTE_MS,
    tidy: async (sql) => (await flowOperations.deleteOld(sql)) > 0,
  },
  {
    // Confirmation mails of more than a day ago, which no limit counts.
    name: 'confirmation-mail-cleaner',
    everyMs: 10 * MINUTE_MS,
    tidy: async (sql) => (await confirmationMails.dropOld(sql, 5_000)) > 0,
  },
  {
    // What customers' accounts answered a minute ago.
    name: 'reading-cleaner',
    everyMs: MINUTE_MS / 2,
    tidy: async (sql) => (await providerReadings.deleteOld(sql)) > 0,
  },
  {
    // What accounts sent before the last 24 hours.
    name: 'usage-cleaner',
    everyMs: 60 * MINUTE_MS,
    tidy: async (sql) => (await sendUsage.deleteOld(sql)) > 0,
  },
  {
    // What single mail said, a week after it was sent, or at once where it was asked for.
    name: 'mail-content-cleaner',
    everyMs: MINUTE_MS / 2,
    tidy: transactionalMails.forgetContents,
  },
  {
    // Domains and links in figures that nobody but an erased person had.
    name: 'report-cleaner',
    everyMs: 10 * MINUTE_MS,
    tidy: async (sql) => {
      await batchReports.mergeParts(sql)
      await linkClicks.mergeParts(sql)
      return false
    },
  },
  {
    // How many delivery events were not applied, three months later.
    name: 'unapplied-event-cleaner',
    everyMs: 60 * MINUTE_MS,
    tidy: async (sql) => (await unappliedEvents.deleteOld(sql)) > 0,
  },
  {
    // Deliveries that wait for webhook endpoints that are deleted, and figures of two days ago.
    name: 'hook-cleaner',
    everyMs: MINUTE_MS,
    tidy: async (sql) => (await hookDeliveries.deleteOld(sql)) > 0,
  },
  {
    // What mails in doubt are judged by, once no doubt can be that old.
    name: 'evidence-cleaner',
    everyMs: 10 * MINUTE_MS,
    tidy: async (sql) => {
      await probes.deleteOldEvidence(sql)
      return false
    },
  },
]

export function startJanitor({ sql, log }: { sql: Sql; log: Log }): { stop(): Promise<void> } {
  const loops = TASKS.map(({ name, everyMs, tidy }) =>
    startLoop({ name, idleMs: everyMs, log, round: () => tidy(sql) }),
  )
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
