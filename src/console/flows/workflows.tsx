import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Schemas } from '../../client/index.ts'
import { number } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { isFlag, presentParts } from '../lib/parts.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Filters, FilterSelect, Search } from '../ui/filters.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { Mark } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { triggerWord } from './flow-words.ts'

const PAGE = 50
const REFRESH_MS = 10_000

type WorkflowSummary = Schemas['WorkflowSummary']

export function Workflows() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('workflows')
  const navigate = useNavigate()
  const { cursor, search, enabled } = useSearch({ from: '/$org/workflows' })
  const answer = useQuery({
    queryKey: [org, 'workflows', 'list', cursor, search, enabled],
    queryFn: () =>
      client.get('/v1/workflows', {
        params: { query: { limit: PAGE, ...presentParts({ cursor, search, enabled }) } },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh<Schemas['WorkflowList']>(REFRESH_MS),
  })
  const filter = (change: { search?: string; enabled?: string }): void => {
    const next = { search, enabled, ...change }
    void navigate({
      to: '/$org/workflows',
      params: { org },
      search: presentParts({
        search: next.search,
        enabled: isFlag(next.enabled) ? next.enabled : undefined,
      }),
    })
  }
  return (
    <Page
      title="Workflows"
      about="A workflow mails each person by itself: something starts it, and its steps wait, decide and send. One run of it is an execution."
      actions={
        mayWrite ? (
          <ButtonLink
            look="primary"
            to="/$org/workflows/new"
            params={{ org }}
            icon={<Plus aria-hidden="true" />}
          >
            New workflow
          </ButtonLink>
        ) : undefined
      }
    >
      <Filters>
        <Search
          label="Search names and slugs"
          value={search}
          change={(text) => filter({ search: text })}
        />
        <FilterSelect
          label="State"
          value={enabled}
          change={(chosen) => filter({ enabled: chosen })}
          choices={[
            { value: 'true', label: 'Enabled' },
            { value: 'false', label: 'Disabled' },
          ]}
          all="Any state"
        />
      </Filters>
      <ListCard
        answer={answer}
        cursor={cursor}
        isFiltered={search !== undefined || enabled !== undefined}
        empty={
          <Empty title="No workflows yet">
            Greet whoever signs up, remind whoever has not ordered: write the steps once.
          </Empty>
        }
        nothingFound={
          <Empty title="No workflow is like this">Drop the search or the filter.</Empty>
        }
      >
        {(workflows) => <WorkflowTable workflows={workflows} />}
      </ListCard>
    </Page>
  )
}

function WorkflowTable({ workflows }: { workflows: readonly WorkflowSummary[] }) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Workflows, newest first"
      rows={workflows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Workflow',
          cell: ({ id, name }) => (
            <Link to="/$org/workflows/$id" params={{ org, id }}>
              {name}
            </Link>
          ),
        },
        { title: 'State', cell: (workflow) => <EnabledMark workflow={workflow} /> },
        { title: 'Starts', cell: ({ triggerType }) => triggerWord(triggerType), isExtra: true },
        { title: 'Running', cell: ({ stats }) => number(stats.live), isFigure: true },
        { title: 'Completed', cell: ({ stats }) => number(stats.completed), isFigure: true },
        { title: 'Failed', cell: ({ stats }) => number(stats.failed), isFigure: true },
        {
          title: 'Dropped',
          cell: ({ stats }) => number(stats.dropped),
          isFigure: true,
          isExtra: true,
        },
      ]}
    />
  )
}

export const EnabledMark = ({ workflow: { enabled } }: { workflow: WorkflowSummary }) =>
  enabled ? <Mark tone="good">Enabled</Mark> : <Mark tone="waiting">Disabled</Mark>
