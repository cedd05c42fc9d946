import { Counter, Histogram, type Registry } from 'prom-client'

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

/** Counts calls of webhook endpoints by what became of the delivery, and measures their time. */
export function measureHookCalls(registry: Registry): (outcome: string, ms: number) => void {
  const counter = new Counter({
    name: 'letterloom_hook_deliveries_total',
    help: 'Calls of webhook endpoints: delivered, pending (to be tried again) or failed',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const histogram = new Histogram({
    name: 'letterloom_hook_call_seconds',
    help: 'Time of calls of webhook endpoints',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  })
  return (outcome, ms) => {
    counter.inc({ outcome })
    histogram.observe(ms / 1_000)
  }
}
