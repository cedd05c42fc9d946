import { Counter, type Registry } from 'prom-client'

/**
 * Counts mails that the provider accepted a second time according to its events. The counter should
 * stay at zero.
 */
export function countDuplicates(registry: Registry): (count: number) => void {
  const counter = new Counter({
    name: 'letterloom_duplicate_acceptances_total',
    help: 'Mails that the provider accepted a second time',
    registers: [registry],
  })
  return (count) => counter.inc(count)
}

/** Counts events from queues that can never be applied. The API counts posted ones. */
export function countNotApplied(registry: Registry): (reason: string) => void {
  const counter = new Counter({
    name: 'letterloom_delivery_events_not_applied_total',
    help: 'Delivery events with a valid proof that can never be applied',
    labelNames: ['reason'],
    registers: [registry],
  })
  return (reason) => counter.inc({ reason })
}
