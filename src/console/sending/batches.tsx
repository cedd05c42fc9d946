import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Schemas } from '../../client/index.ts'
import type { BatchStatus } from '../../domain/batches/batch.ts'
import { ago, number, share } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Filters, FilterSelect, Search } from '../ui/filters.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { BatchBar } from './batch-bar.tsx'
import { BatchDrafts } from './batch-drafts.tsx'
import { nameOf, shownStatus } from './batch-words.ts'

const REFRESH_MS = 5_000
const IDLE_MS = 30_000
const PAGE = 50

type BatchSummary = Schemas['BatchSummary']

const isMoving = ({ status }: BatchSummary): boolean =>
  status === 'processing' || status === 'queued'

const STATUS_CHOICES: readonly { value: BatchStatus; label: string }[] = [
  { value: 'processing', label: 'Sending' },
  { value: 'scheduled', label: 'Scheduled' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Stopped' },
  { value: 'cancelled', label: 'Cancelled' },
]

export function Batches() {
  const client = useClient()
  const org = useOrganizationId()
  const maySend = useMay('send')
  const navigate = useNavigate()
  const { cursor, status, search } = useSearch({ from: '/$org/batches' })
  const answer = useQuery({
    queryKey: [org, 'batches', 'list', cursor, status, search],
    queryFn: () =>
      client.get('/v1/batch', {
        params: {
          query: {
            pageSize: PAGE,
            ...(cursor === undefined ? {} : { cursor }),
            ...(status === undefined ? {} : { status }),
            ...(search === undefined ? {} : { search }),
          },
        },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh<Schemas['BatchList']>((list) =>
      list?.data.some(isMoving) ? REFRESH_MS : IDLE_MS,
    ),
  })
  const filter = (change: { status?: string; search?: string }): void =>
    void navigate({
      to: '/$org/batches',
      params: { org },
      search: Object.fromEntries(
        Object.entries({ status, search, ...change }).filter(
          ([, value]) => value !== undefined && value !== '',
        ),
      ),
    })
  const isFiltered = status !== undefined || search !== undefined
  return (
    <Page
      title="Batches"
      about="A batch is one mail to many people, sent now or later."
      actions={
        maySend ? (
          <ButtonLink
            look="primary"
            to="/$org/batches/new"
            params={{ org }}
            icon={<Plus aria-hidden="true" />}
          >
            New batch
          </ButtonLink>
        ) : undefined
      }
    >
      {maySend && cursor === undefined && !isFiltered ? <BatchDrafts /> : null}
      <Filters>
        <Search
          label="Search names and subjects"
          value={search}
          change={(text) => filter({ search: text })}
        />
        <FilterSelect
          label="Status"
          value={status}
          change={(chosen) => filter({ status: chosen })}
          choices={STATUS_CHOICES}
          all="Any status"
        />
      </Filters>
      <ListCard
        answer={answer}
        cursor={cursor}
        isFiltered={isFiltered}
        empty={
          <Empty title="No batches yet">
            Write one mail, choose who gets it, and see here who got it and who did not.
          </Empty>
        }
        nothingFound={
          <Empty title="No batch is like this">Drop the search or choose another status.</Empty>
        }
      >
        {(batches) => (
          <Table
            caption="Batches, newest first"
            rows={batches}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Batch',
                cell: (batch) => (
                  <Link to="/$org/batches/$id" params={{ org, id: batch.id }}>
                    {nameOf(batch)}
                  </Link>
                ),
              },
              {
                title: 'Status',
                cell: (batch) => <Status list="batch" value={shownStatus(batch)} />,
              },
              {
                title: 'Progress',
                cell: (batch) => <BatchBar batch={batch} />,
                isExtra: true,
              },
              { title: 'Sent', cell: ({ sent }) => number(sent), isFigure: true },
              { title: 'Failed', cell: ({ failed }) => number(failed), isFigure: true },
              {
                title: 'Opened',
                cell: ({ opened, sent }) => share(opened, sent),
                isFigure: true,
              },
              { title: 'Made', cell: ({ createdAt }) => ago(createdAt), isExtra: true },
            ]}
          />
        )}
      </ListCard>
    </Page>
  )
}
