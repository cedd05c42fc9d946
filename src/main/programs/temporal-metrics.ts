import type { BufferedMetricUpdate, MetricsBuffer } from '@temporalio/worker'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/**
 * Labels of the SDK that are copied. The others (types of workflows and of activities, above all)
 * would make thousands of series, and Temporal's UI tells those apart.
 */
const LABELS = [
  'task_queue',
  'operation',
  'status_code',
  'poller_type',
  'worker_type',
  'failure_reason',
] as const
type Labels = Partial<Record<(typeof LABELS)[number], string>>
type Recorder = (labels: Labels, value: number) => void

const SECONDS = [0.01, 0.1, 1, 10]
const DRAIN_EVERY_MS = 1_000

/** A busy worker makes some thousands of updates a second. */
export const TEMPORAL_BUFFER = { maxBufferSize: 100_000, useSecondsForDurations: true }

/**
 * Copies the metrics of Temporal's SDK, `temporal_…`, to `registry`. Once a second their buffer is
 * emptied, and its updates are added up by the labels above.
 */
export function copyTemporalMetrics(
  registry: Registry,
  buffer: Pick<MetricsBuffer, 'retrieveUpdates'>,
): { drain(): void; stop(): void } {
  const recorders = new Map<string, Recorder>()

  function recorderOf({ name, kind, description }: BufferedMetricUpdate['metric']): Recorder {
    const recorder = recorders.get(name)
    if (recorder) return recorder
    const options = { help: description || name, labelNames: LABELS, registers: [registry] }
    const record = createRecorder(kind, name, options)
    recorders.set(name, record)
    return record
  }

  const drain = (): void => {
    for (const { metric, value, attributes } of buffer.retrieveUpdates()) {
      recorderOf(metric)(labelsOf(attributes), value)
    }
  }
  const timer = setInterval(drain, DRAIN_EVERY_MS).unref()
  return { drain, stop: () => clearInterval(timer) }
}

/** Counters get the suffix `_total`, histograms of durations `_seconds`, as Prometheus has it. */
function createRecorder(
  kind: BufferedMetricUpdate['metric']['kind'],
  name: string,
  options: { help: string; labelNames: typeof LABELS; registers: Registry[] },
): Recorder {
  switch (kind) {
    case 'counter': {
      const counter = new Counter({ ...options, name: `${name}_total` })
      return (labels, value) => counter.inc(labels, value)
    }
    case 'histogram': {
      const histogram = new Histogram({ ...options, name: `${name}_seconds`, buckets: SECONDS })
      return (labels, value) => histogram.observe(labels, value)
    }
    case 'gauge': {
      const gauge = new Gauge({ ...options, name })
      return (labels, value) => gauge.set(labels, value)
    }
    case 'up-down-counter': {
      const gauge = new Gauge({ ...options, name })
      return (labels, value) => gauge.inc(labels, value)
    }
  }
}

function labelsOf(attributes: BufferedMetricUpdate['attributes']): Labels {
  const labels: Labels = {}
  for (const name of LABELS) {
    const value = attributes[name]
    if (value !== undefined) labels[name] = String(value)
  }
  return labels
}
