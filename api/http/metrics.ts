import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { collectProcessMetrics } from '../../src/runtime/metrics.ts'
import { configOf } from './route-config.ts'

const PREFIX = 'letterloom_'
/** Buckets from a look-up by key to the longest statement. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]
/** Label of requests without a route. A stranger's paths must not become time series. */
const NO_ROUTE = 'none'

/** Metrics for Prometheus. Labels never name a tenant. */
export interface Metrics {
  registry: Registry
  requestsInFlight: Gauge
  sockets: Gauge
  /** The area is the route's tag in the API's document. A label for each route is too much. */
  requestSeconds: Histogram<'area'>
  /** The status is its class: `2xx`. */
  requests: Counter<'method' | 'route' | 'status'>
  answers: Counter<'status'>
  refusedUnderPressure: Counter<'reason'>
  socketsRefused: Counter
  /** Stored delivery events that the applier does not get, by reason. */
  eventsNotApplied: Counter<'reason'>
  /** Requests that were allowed because the shared store of the limiter did not answer. */
  rateLimiterFailOpen: Counter
}

/** Metrics of one process, with Node's own: CPU, memory, event-loop lag, garbage collection. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectProcessMetrics(registry)
  const registers = [registry]
  return {
    registry,
    requestsInFlight: new Gauge({
      name: `${PREFIX}http_requests_in_flight`,
      help: 'Requests without a finished answer',
      registers,
    }),
    sockets: new Gauge({ name: `${PREFIX}http_sockets`, help: 'Open connections', registers }),
    requestSeconds: new Histogram({
      name: `${PREFIX}http_request_seconds`,
      help: 'Time from the first byte of a request to the last of its answer',
      labelNames: ['area'],
      buckets: SECONDS,
      registers,
    }),
    requests: new Counter({
      name: `${PREFIX}http_requests_total`,
      help: 'Answered requests of each route, by the class of the status',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    answers: new Counter({
      name: `${PREFIX}http_answers_total`,
      help: 'Answered requests of all routes, by status',
      labelNames: ['status'],
      registers,
    }),
    refusedUnderPressure: new Counter({
      name: `${PREFIX}refused_under_pressure_total`,
      help: 'Requests answered with 503 because the process was overloaded',
      labelNames: ['reason'],
      registers,
    }),
    socketsRefused: new Counter({
      name: `${PREFIX}sockets_refused_total`,
      help: 'Connections refused because of the limit of one address or of all',
      registers,
    }),
    eventsNotApplied: new Counter({
      name: `${PREFIX}delivery_events_not_applied_total`,
      help: 'Delivery events with a valid proof that can never be applied',
      labelNames: ['reason'],
      registers,
    }),
    rateLimiterFailOpen: new Counter({
      name: `${PREFIX}rate_limiter_fail_open_total`,
      help: 'Requests that were not limited because the store of the limiter did not answer',
      registers,
    }),
  }
}

export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    const { url: route = NO_ROUTE } = configOf(request)
    const { method, routeOptions } = request
    const area = routeOptions.schema?.tags?.[0] ?? NO_ROUTE
    metrics.requestSeconds.observe({ area }, elapsedTime / 1_000)
    metrics.requests.inc({ method, route, status: `${Math.trunc(statusCode / 100)}xx` })
    metrics.answers.inc({ status: statusCode })
    done()
  })
}
