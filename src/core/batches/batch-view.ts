import { progressOf } from '../../domain/batches/progress.ts'
import { withoutPreheader } from '../../mail/preheader.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import type { WholeBatch } from '../../store/batches/batches.ts'

/**
 * Returns a batch as it is shown whole. Its preview text has a field of its own, so the HTML is
 * without it: whoever creates a batch of what was shown does not send it twice.
 */
export function batchView({ html, text, pace, ...batch }: WholeBatch): Batch {
  const { previewText } = batch
  const htmlContent = previewText === null ? html : withoutPreheader(html, previewText)
  return { ...batch, htmlContent, textContent: text, progress: progressView(batch, pace) }
}

function progressView(
  batch: Parameters<typeof progressOf>[0],
  pace: WholeBatch['pace'],
): Batch['progress'] {
  if (pace === null) return null
  const { ratePerSecond, expectedEnd, waitingFor } = progressOf(batch, pace)
  return {
    ratePerSecond,
    expectedEnd: timeOf(expectedEnd),
    waitingFor: waitingFor && { reason: waitingFor.reason, until: timeOf(waitingFor.until) },
  }
}

const timeOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()
