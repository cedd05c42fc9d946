import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../client/index.ts'
import { bytes, counted, number } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Meter } from '../ui/meter.tsx'
import { Card } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'

const REFRESH_MS = 60_000

type Organization = Schemas['Organization']

/** What the plan has, and how much of it is used. */
export function Usage() {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'organization'],
    queryFn: () => client.get('/v1/organization'),
    refetchInterval: useRefresh<Organization>(REFRESH_MS),
  })
  return (
    <Card title="Plan and usage">
      <Shown answer={answer}>{(organization) => <PlanUsage organization={organization} />}</Shown>
    </Card>
  )
}

export function PlanUsage({
  organization: { plan, limits, usage },
}: {
  organization: Organization
}) {
  const { eventsPerMonth, storedBytes, connections } = limits
  const isOver = eventsPerMonth !== null && usage.events > eventsPerMonth
  return (
    <div className="stack">
      <p>
        Plan <strong className="plan">{plan}</strong>
        <span className="soft">
          {' '}
          · {counted(usage.members, 'person', 'people')}, {counted(usage.apiKeys, 'API key')}
        </span>
      </p>
      <div className="measures">
        <Used name="Events this month" used={usage.events} most={eventsPerMonth} words={number} />
        <Used name="Stored" used={usage.storedBytes} most={storedBytes} words={bytes} />
        <Used name="AWS accounts" used={usage.connections} most={connections} words={number} />
      </div>
      {isOver ? (
        <Note tone="careful">
          <p>
            Your organization has used more events than its plan has this month. Up to 125 % they
            are still accepted; beyond, they are refused until the month ends.
          </p>
        </Note>
      ) : null}
    </div>
  )
}

interface UsedProps {
  name: string
  used: number
  /** Null: as much as one wants. */
  most: number | null
  words: (value: number) => string
}

function Used({ name, used, most, words }: UsedProps) {
  const ratio = most === null || most === 0 ? 0 : used / most
  return (
    <div className="measure">
      <div className="row between">
        <span>{name}</span>
        <span className="soft figures">
          {words(used)} {most === null ? '' : `of ${words(most)}`}
        </span>
      </div>
      {most === null ? null : (
        <Meter
          label={`${name}: ${words(used)} of ${words(most)}`}
          ratio={ratio}
          tone={ratio > 1 ? 'bad' : ratio > 0.8 ? 'careful' : 'plain'}
        />
      )}
    </div>
  )
}
