import type { Schemas } from '../../client/index.ts'
import { counted, duration, number } from '../lib/format.ts'
import { BatchBar } from './batch-bar.tsx'
import { type Part, PARTS, partsOf } from './batch-words.ts'
import { rateOf, type Sample, secondsLeft } from './rate.ts'

type Batch = Schemas['Batch']

const WORDS: Record<Part, string> = {
  sent: 'Sent',
  failed: 'Failed',
  skipped: 'Skipped',
  unknown: 'In doubt',
  open: 'Open',
  cancelled: 'Not sent',
}
const EXPLAINED: Record<Part, string> = {
  sent: 'AWS has taken them',
  failed: 'could not be sent',
  skipped: 'may not be mailed',
  unknown: 'AWS may have taken them',
  open: 'still to be sent',
  cancelled: 'the batch was cancelled before',
}
const ALWAYS: readonly Part[] = ['sent', 'failed', 'skipped']

/** The bar and the figures under it: every recipient is in exactly one of them. */
export function Progress({ batch, samples }: { batch: Batch; samples: readonly Sample[] }) {
  const parts = partsOf(batch)
  const shown = PARTS.filter((part) => ALWAYS.includes(part) || parts[part] > 0)
  return (
    <section className="card" aria-label="Progress">
      <div className="card-body progress">
        <div className="row between">
          <p>
            <span className="big-figure">{number(parts.sent)}</span>
            <span className="soft"> of {counted(batch.totalRecipients, 'recipient')} sent</span>
          </p>
          <Speed batch={batch} samples={samples} rest={parts.open} />
        </div>
        <BatchBar batch={batch} isLarge />
        <dl className="parts-list">
          {shown.map((part) => (
            <div key={part} className={`part-figure ${part}`}>
              <dt>{WORDS[part]}</dt>
              <dd>{number(parts[part])}</dd>
              <dd className="soft small">{EXPLAINED[part]}</dd>
            </div>
          ))}
        </dl>
        {batch.audienceFrozenAt === null ? (
          <p className="soft small">
            The number of recipients is an estimate until sending starts: then the audience is
            fixed.
          </p>
        ) : null}
      </div>
    </section>
  )
}

interface SpeedProps {
  batch: Batch
  samples: readonly Sample[]
  /** How many are still to be sent. */
  rest: number
}

function Speed({ batch: { status, paused }, samples, rest }: SpeedProps) {
  const rate = rateOf(samples)
  if (status !== 'processing' || paused || rate === undefined) return null
  const left = secondsLeft(rest, rate)
  return (
    <p className="soft figures">
      {number(Math.round(rate))} a second
      {left === undefined ? '' : `, about ${duration(left)} left`}
    </p>
  )
}
