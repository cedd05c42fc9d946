import type { Schemas } from '../../client/index.ts'
import { counted, number } from '../lib/format.ts'
import { BatchBar } from './batch-bar.tsx'
import { type Part, PARTS, partsOf, speedWords, waitSentence } from './batch-words.ts'

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
export function Progress({ batch }: { batch: Batch }) {
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
          <Speed batch={batch} />
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

/** How fast it is sent, when that ends, and what keeps it back. */
function Speed({ batch: { progress, waitingForQuota } }: { batch: Batch }) {
  if (progress === null) return null
  const wait = waitSentence(progress)
  // A quota that is used up has a note of its own.
  const isSaidElsewhere = progress.waitingFor?.reason === 'quota' && waitingForQuota !== null
  return (
    <div className="speed">
      <p className="figures">{speedWords(progress)}</p>
      {isSaidElsewhere || wait === undefined ? null : <p className="soft small">{wait}</p>}
    </div>
  )
}
