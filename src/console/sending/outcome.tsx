import type { Schemas } from '../../client/index.ts'
import { number, share } from '../lib/format.ts'
import { useOrganizationId } from '../lib/session.tsx'
import { fileAddress } from '../lib/api.ts'
import { Meter } from '../ui/meter.tsx'
import { Card } from '../ui/page.tsx'

/** What became of the mails that left, as AWS tells it. */
export function Outcome({ batch }: { batch: Schemas['Batch'] }) {
  const org = useOrganizationId()
  const { id, sent, delivered, opened, clicked, bounced, complained, unsubscribed } = batch
  const figures = [
    { name: 'Delivered', value: delivered },
    { name: 'Opened', value: opened },
    { name: 'Clicked', value: clicked },
    { name: 'Bounced', value: bounced, isBad: true },
    { name: 'Complained', value: complained, isBad: true },
    { name: 'Unsubscribed', value: unsubscribed, isBad: true },
  ]
  return (
    <Card
      title="What became of them"
      actions={
        <a href={fileAddress(org, `/v1/batch/${id}/report`)} target="_blank" rel="noreferrer">
          Report<span className="read-aloud"> (opens in a new tab)</span>
        </a>
      }
    >
      <div className="measures">
        {figures.map(({ name, value, isBad = false }) => (
          <div key={name} className="measure">
            <div className="row between">
              <span>{name}</span>
              <span className="figures">
                {number(value)} <span className="soft">{share(value, sent)}</span>
              </span>
            </div>
            <Meter
              label={`${name}: ${share(value, sent)} of those sent`}
              ratio={sent === 0 ? 0 : value / sent}
              tone={isBad && value > 0 ? 'careful' : 'plain'}
            />
          </div>
        ))}
      </div>
    </Card>
  )
}
