import { Counter, Gauge, Registry } from 'prom-client'
import { collectProcessMetrics } from '../../src/runtime/metrics.ts'

const PREFIX = 'letterloom_'

export interface SmtpMetrics {
  registry: Registry
  connections: Gauge
  connectionsRefused: Counter
  failedLogins: Counter
  messages: Counter<'outcome'>
  rateLimiterFailOpen: Counter
}

export function createSmtpMetrics(): SmtpMetrics {
  const registry = new Registry()
  collectProcessMetrics(registry)
  const registers = [registry]
  return {
    registry,
    connections: new Gauge({
      name: `${PREFIX}smtp_connections`,
      help: 'Open connections of mail submission',
      registers,
    }),
    connectionsRefused: new Counter({
      name: `${PREFIX}smtp_connections_refused_total`,
      help: 'Connections of mail submission refused because of the limit of one address',
      registers,
    }),
    failedLogins: new Counter({
      name: `${PREFIX}smtp_failed_logins_total`,
      help: 'Logins of mail submission with a wrong name or key',
      registers,
    }),
    messages: new Counter({
      name: `${PREFIX}smtp_messages_total`,
      help: 'Messages submitted by SMTP',
      labelNames: ['outcome'],
      registers,
    }),
    rateLimiterFailOpen: new Counter({
      name: `${PREFIX}rate_limiter_fail_open_total`,
      help: 'Requests that were not limited because the store of the limiter did not answer',
      registers,
    }),
  }
}
