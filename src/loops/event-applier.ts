import { applyEvents, applyNext } from '../core/delivery/apply-delivery-events.ts'
import type { Sql } from '../store/db/sql.ts'
import { appliedEvents, refusedEvents } from '../runtime/metrics.ts'
import { findWaitingDays } from '../store/delivery/waiting-days.ts'
import * as inboundEvents from '../store/delivery/inbound-events.ts'
import type { Keyring } from '../keys/tokens.ts'
import { type Log, startLoop } from './loop.ts'
import type { WorkNotices } from './work-notices.ts'

const EVENTS = 500
/**
 * Size of a set after which the next follows at once. After a smaller one, more events are awaited.
 */
const MANY_EVENTS = EVENTS / 2
const IDLE_MS = 100

interface Deps {
  sql: Sql
  /** The suppression list identifies addresses by HMAC keys. */
  keyring: Keyring
  log: Log
  /** Called with the number of mails that were accepted a second time. */
  onDuplicates?: ((count: number) => void) | undefined
  notices?: WorkNotices | undefined
}

export const startEventApplier = ({ sql, keyring, log, onDuplicates, notices }: Deps) =>
  startLoop({
    name: 'event-applier',
    idleMs: IDLE_MS,
    log,
    notices,
    channel: 'inbound_events',
    round: async () => {
      // A look is one statement, a set that turns out to be empty a transaction.
      if (!(await inboundEvents.areDue(sql, await findWaitingDays(sql)))) return false
      try {
        const applied = await applyEvents(sql, keyring, EVENTS, onDuplicates)
        appliedEvents.inc(applied)
        return applied >= MANY_EVENTS ? true : 'done'
      } catch (error) {
        log.error({ err: error }, 'a set of events could not be applied; taking them one by one')
        await applyOneByOne({ sql, keyring, log, onDuplicates })
        return true
      }
    },
  })

async function applyOneByOne({ sql, keyring, log, onDuplicates }: Deps): Promise<void> {
  for (let count = 0; count < EVENTS; count++) {
    const applied = await applyNext(sql, keyring)
    if (!applied) return
    const { event, duplicates, refusal } = applied
    if (duplicates > 0) onDuplicates?.(duplicates)
    if (refusal === undefined) {
      appliedEvents.inc()
      continue
    }
    refusedEvents.inc({ end: refusal.isPutOff ? 'put_off' : 'set_aside' })
    const { receivedOn, position } = event
    const fields = { err: refusal.error, receivedOn, position }
    if (refusal.isPutOff) log.error(fields, 'an event could not be applied, will retry')
    else log.error(fields, 'an event was set aside')
  }
}
