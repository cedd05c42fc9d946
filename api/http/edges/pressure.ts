import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type {
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify'
import { unavailable } from '../../../src/domain/errors.ts'
import type { Metrics } from '../metrics.ts'
import { configOf } from '../route-config.ts'

/**
 * Requests that are worked on: with ten connections and 5 ms a statement the last one waits half a
 * second. Those whose bodies are still on the way, or whose readers are slow, do not count: they
 * cost a socket, and a thousand of them must not keep others out.
 */
export const MOST_IN_FLIGHT = 1_000
/** Mean of a sample: every request waits that long several times before it is answered. */
export const MOST_LOOP_DELAY_MS = 250
/**
 * Slow samples in a row. A single long pause is over when it is seen, and the start of a program
 * takes one or two.
 */
const SLOW_SAMPLES = 3
/** Share of V8's heap limit, and of the container's memory. */
const MOST_MEMORY_RATIO = 0.9
const SAMPLE_EVERY_MS = 500
/** Resolution of the measured delay. It is part of what the histogram shows. */
const RESOLUTION_MS = 20
const RETRY_AFTER_SECONDS = 2
/** Health checks are always answered. */
const EXEMPT = '/health'

const BODYLESS = new Set(['GET', 'HEAD'])

type Reason = 'event_loop' | 'memory' | 'in_flight'

/**
 * Responds with 503 and `Retry-After` before any work, even before the check of credentials, while
 * the process is overloaded. Accepted requests are then still answered in time.
 *
 * Our own instead of `@fastify/under-pressure`, which does not count requests in flight. Their
 * number grows first when Postgres is slow, while the event loop is idle.
 */
export function refuseUnderPressure(
  app: FastifyInstance,
  { metrics, mostLoopDelayMs }: { metrics: Metrics; mostLoopDelayMs: number },
): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let slow = 0
  let sampled: Reason | undefined
  const timer = setInterval(() => {
    // The first tick after a reset is not counted: without a second one the loop stood still.
    const delayMs = delays.count > 0 ? delays.mean / 1e6 - RESOLUTION_MS : SAMPLE_EVERY_MS
    delays.reset()
    slow = delayMs > mostLoopDelayMs ? slow + 1 : 0
    sampled = slow >= SLOW_SAMPLES ? 'event_loop' : isMemoryShort() ? 'memory' : undefined
  }, SAMPLE_EVERY_MS).unref()
  app.addHook('onClose', async () => {
    clearInterval(timer)
    delays.disable()
  })

  const worked = new Set<FastifyRequest>()

  app.addHook('onRequest', (request, reply, done) => {
    const reason = worked.size >= MOST_IN_FLIGHT ? 'in_flight' : sampled
    if (reason === undefined || configOf(request).url === EXEMPT) {
      worked.add(request)
      reply.raw.once('close', () => worked.delete(request))
      done()
      return
    }
    metrics.refusedUnderPressure.inc({ reason })
    done(
      unavailable('The server is overloaded', {
        reason: 'overloaded',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
    )
  })
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every((method) => BODYLESS.has(method))) return
    route.preParsing = [endForBody, route.preParsing ?? []].flat()
    route.preValidation = [beginAgain, route.preValidation ?? []].flat()
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    worked.delete(request)
    done()
  })

  const endForBody: preParsingHookHandler = (request, _reply, _payload, done) => {
    worked.delete(request)
    done()
  }
  const beginAgain: preValidationHookHandler = (request, reply, done) => {
    if (!reply.raw.destroyed) worked.add(request)
    done()
  }
}

function isMemoryShort(): boolean {
  const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics()
  if (heap > heapLimit * MOST_MEMORY_RATIO) return true
  // Without a limit it is a number beyond any memory.
  const memory = process.constrainedMemory()
  return memory > 0 && process.memoryUsage.rss() > memory * MOST_MEMORY_RATIO
}
