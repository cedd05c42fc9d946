import { Counter, type Registry } from 'prom-client'

/** Counts mails that the provider told us it accepted a second time: it should stay at zero. */
export function countDuplicates(registry: Registry): (count: number) => void {
  const counter = new Counter({
    name: 'letterloom_duplicate_acceptances_total',
    help: 'Mails that the provider told us it accepted a second time',
    registers: [registry],
  })
  return (count) => counter.inc(count)
}
