import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { counted, moment } from '../lib/format.ts'
import { isRecipientStatus, RECIPIENT_STATUSES, statusOf } from '../lib/statuses.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Filters, FilterSelect } from '../ui/filters.tsx'
import { Card } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { reasonWords } from './reason-words.ts'

const PAGE = 50

type Recipient = Schemas['Recipient']

const CHOICES = RECIPIENT_STATUSES.map((value) => ({ value, label: statusOf('mail', value).word }))

/** Each recipient and what became of them. Rows never move while somebody reads them. */
export function Recipients({ batch: { id, audienceFrozenAt } }: { batch: Schemas['Batch'] }) {
  const client = useClient()
  const org = useOrganizationId()
  const navigate = useNavigate()
  const { cursor, status, reason } = useSearch({ from: '/$org/batches/$id' })
  const answer = useQuery({
    queryKey: [org, 'batch', id, 'recipients', status, reason, cursor, audienceFrozenAt],
    queryFn: () =>
      client.get('/v1/batch/{id}/recipients', {
        params: {
          path: { id },
          query: {
            limit: PAGE,
            ...(cursor === undefined ? {} : { cursor }),
            ...(status === undefined ? {} : { status }),
            ...(reason === undefined ? {} : { reason }),
          },
        },
      }),
    placeholderData: keepPreviousData,
  })
  const choose = (chosen: string): void =>
    void navigate({
      to: '/$org/batches/$id',
      params: { org, id },
      search: isRecipientStatus(chosen) ? { status: chosen } : {},
      resetScroll: false,
    })
  return (
    <Card
      title={<span id="recipients">Recipients</span>}
      isFlush
      actions={
        <Filters>
          <FilterSelect
            label="Status"
            value={status}
            change={choose}
            choices={CHOICES}
            all="Any status"
          />
        </Filters>
      }
    >
      {reason === undefined ? null : (
        <p className="table-count">
          Only: {reasonWords(reason)}{' '}
          <button type="button" className="link" onClick={() => choose(status ?? '')}>
            Show all
          </button>
        </p>
      )}
      <Shown answer={answer}>
        {({ data, total, nextCursor }) =>
          data.length === 0 ? (
            <Empty title="Nobody">
              {audienceFrozenAt === null
                ? 'Recipients are listed once sending has started.'
                : 'No recipient is like this. Choose another status.'}
            </Empty>
          ) : (
            <>
              <p className="table-count soft">{counted(total, 'recipient')}</p>
              <RecipientTable rows={data} />
              <Pager cursor={cursor} nextCursor={nextCursor} />
            </>
          )
        }
      </Shown>
    </Card>
  )
}

function RecipientTable({ rows }: { rows: readonly Recipient[] }) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Recipients, in the order they are mailed in"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Address',
          cell: ({ email, contactId }) =>
            contactId === null ? (
              (email ?? 'Erased')
            ) : (
              <Link to="/$org/contacts/$id" params={{ org, id: contactId }}>
                {email ?? 'Erased'}
              </Link>
            ),
        },
        { title: 'Status', cell: ({ status }) => <Status list="mail" value={status} /> },
        {
          title: 'Why',
          cell: ({ reason, error }) => (reason === null ? (error ?? '') : reasonWords(reason)),
        },
        { title: 'Sent', cell: ({ sentAt }) => (sentAt === null ? '' : moment(sentAt)) },
        {
          title: 'Opened',
          cell: ({ openedAt }) => (openedAt === null ? '' : moment(openedAt)),
          isExtra: true,
        },
      ]}
    />
  )
}
