import { counted } from '../lib/format.ts'
import { type BatchFigures, type Part, PARTS, partsOf } from './batch-words.ts'
import './batch-bar.css'

const WORDS: Record<Part, string> = {
  sent: 'sent',
  failed: 'failed',
  skipped: 'skipped',
  unknown: 'in doubt',
  open: 'open',
  cancelled: 'not sent',
}

/** A batch as a bar: every recipient is in exactly one part of it. */
export function BatchBar({ batch, isLarge = false }: { batch: BatchFigures; isLarge?: boolean }) {
  const parts = partsOf(batch)
  const shown = PARTS.filter((part) => parts[part] > 0)
  const label = shown.map((part) => `${counted(parts[part], 'mail')} ${WORDS[part]}`).join(', ')
  return (
    <svg
      className={isLarge ? 'batch-bar large' : 'batch-bar'}
      role="img"
      aria-label={label === '' ? 'No recipients yet' : label}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
    >
      <rect className="batch-track" width="100" height="1" />
      {shown.map((part, at) => {
        const before = shown.slice(0, at).reduce((sum, each) => sum + parts[each], 0)
        const whole = Math.max(1, batch.totalRecipients)
        return (
          <rect
            key={part}
            className={`batch-part ${part}`}
            x={(before / whole) * 100}
            width={(parts[part] / whole) * 100}
            height="1"
          />
        )
      })}
    </svg>
  )
}
