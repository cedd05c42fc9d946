import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { DELIVERY_STATES } from '../../domain/hooks/hook-event.ts'
import { DELIVERY_DAYS } from '../../domain/hooks/hook-retries.ts'
import { ago, counted, moment } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { presentParts } from '../lib/parts.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { isDeliveryState, statusOf } from '../lib/statuses.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Filters, FilterSelect } from '../ui/filters.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Empty } from '../ui/states.tsx'
import { Mark, Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { Replay } from './replay.tsx'
import type { Webhook } from './webhook-state.tsx'
import './webhook.css'

const PAGE = 20
const MOVING_MS = 3_000
const QUIET_MS = 30_000

type Delivery = Schemas['WebhookDelivery']

const CHOICES = DELIVERY_STATES.map((value) => ({
  value,
  label: statusOf('delivery', value).word,
}))

/** Each event that was or will be sent to the endpoint, and how its calls went. */
export function Deliveries({ webhook: { id } }: { webhook: Webhook }) {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('full')
  const navigate = useNavigate()
  const { cursor, state } = useSearch({ from: '/$org/webhooks/$id' })
  const answer = useQuery({
    queryKey: [org, 'webhooks', id, 'deliveries', cursor, state],
    queryFn: () =>
      client.get('/v1/webhook-endpoints/{id}/deliveries', {
        params: { path: { id }, query: { limit: PAGE, ...presentParts({ cursor, state }) } },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh<Schemas['WebhookDeliveryList']>((list) =>
      list?.data.some((each) => each.state === 'pending') ? MOVING_MS : QUIET_MS,
    ),
  })
  const filter = (chosen: string): void =>
    void navigate({
      to: '/$org/webhooks/$id',
      params: { org, id },
      search: isDeliveryState(chosen) ? { state: chosen } : {},
    })
  return (
    <ListCard
      title="Deliveries"
      answer={answer}
      cursor={cursor}
      isFiltered={state !== undefined}
      actions={
        <>
          <Filters>
            <FilterSelect
              label="State of the deliveries"
              value={state}
              change={filter}
              choices={CHOICES}
              all="Any state"
            />
          </Filters>
          {mayWrite ? <Replay id={id} /> : null}
        </>
      }
      empty={
        <Empty title="Nothing was sent yet">
          Send a test event and see here what your receiver answers. Deliveries are kept for{' '}
          {DELIVERY_DAYS} days.
        </Empty>
      }
      nothingFound={<Empty title="No delivery is in this state">Choose another one.</Empty>}
    >
      {(deliveries) => (
        <DeliveryTable endpointId={id} deliveries={deliveries} mayWrite={mayWrite} />
      )}
    </ListCard>
  )
}

interface DeliveryTableProps {
  endpointId: string
  deliveries: readonly Delivery[]
  mayWrite: boolean
}

function DeliveryTable({ endpointId, deliveries, mayWrite }: DeliveryTableProps) {
  return (
    <Table
      caption="Deliveries, newest first"
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Event',
          cell: ({ type, isTest }) => (
            <>
              <code>{type}</code>
              {isTest ? <Mark tone="waiting">Test</Mark> : null}
            </>
          ),
        },
        { title: 'State', cell: ({ state }) => <Status list="delivery" value={state} /> },
        { title: 'Happened', cell: ({ occurredAt }) => moment(occurredAt) },
        { title: 'Last call', cell: (delivery) => <LastCall delivery={delivery} /> },
        {
          title: 'Actions',
          isUntitled: true,
          cell: (delivery) =>
            mayWrite && delivery.state !== 'pending' ? (
              <SendAgain endpointId={endpointId} delivery={delivery} />
            ) : null,
        },
      ]}
    />
  )
}

/** How the last call went, and the calls before it. */
function LastCall({
  delivery: { state, attempts, tries, answer, nextTryAt },
}: {
  delivery: Delivery
}) {
  const last = tries.at(-1)
  const next = state === 'pending' && nextTryAt !== null ? ` Next ${ago(nextTryAt)}.` : ''
  if (last === undefined) return <span className="soft">None yet.{next}</span>
  return (
    <details>
      <summary>
        {last.error ?? `Answered ${last.status ?? ''}`}
        {attempts > 1 ? ` (${counted(attempts, 'call')})` : ''}.{next}
      </summary>
      <ul className="stack close">
        {tries.map(({ at, ms, status, error }) => (
          <li key={at} className="small">
            {moment(at)}: {error ?? `answered ${status ?? ''}`}, {ms} ms
          </li>
        ))}
      </ul>
      {answer === null || answer === '' ? null : <pre className="answer">{answer}</pre>}
    </details>
  )
}

function SendAgain({ endpointId, delivery }: { endpointId: string; delivery: Delivery }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  return (
    <Confirm
      look="quiet"
      label="Send again"
      action="Send it again"
      title={`Send ${delivery.type} again?`}
      done="It is on its way"
      run={async () => {
        await client.post('/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/replay', {
          params: { path: { id: endpointId, deliveryId: delivery.id } },
        })
        await cache.invalidateQueries({ queryKey: [org, 'webhooks'] })
      }}
    >
      <p>
        The event keeps its id, so a receiver that remembers ids does nothing twice. Its data is
        what is stored now.
      </p>
    </Confirm>
  )
}
