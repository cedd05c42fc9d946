import { withoutPreheader } from '../../mail/preheader.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import type { WholeBatch } from '../../store/batches/batches.ts'

/**
 * Returns a batch as it is shown whole. Its preview text has a field of its own, so the HTML is
 * without it: whoever creates a batch of what was shown does not send it twice.
 */
export function batchView({ html, text, ...batch }: WholeBatch): Batch {
  const { previewText } = batch
  const htmlContent = previewText === null ? html : withoutPreheader(html, previewText)
  return { ...batch, htmlContent, textContent: text }
}
