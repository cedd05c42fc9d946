import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { EXECUTION_STATUSES } from '../../domain/flows/execution.ts'
import { ago, counted, moment, number } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { presentParts } from '../lib/parts.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { isExecutionStatus, statusOf } from '../lib/statuses.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Filters, FilterSelect } from '../ui/filters.tsx'
import { Card } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Note, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { executionReasonWords } from './execution-words.ts'

const PAGE = 50
const REFRESH_MS = 10_000
const OPERATION_MS = 3_000

type Workflow = Schemas['Workflow']
type Execution = Schemas['Execution']

const CHOICES = EXECUTION_STATUSES.map((value) => ({
  value,
  label: statusOf('execution', value).word,
}))

/** Each run of the workflow, and what can be done with many of them at once. */
export function Executions({ workflow }: { workflow: Workflow }) {
  const client = useClient()
  const org = useOrganizationId()
  const navigate = useNavigate()
  const mayWrite = useMay('workflows')
  const { id } = workflow
  const { cursor, status } = useSearch({ from: '/$org/workflows/$id' })
  const answer = useQuery({
    queryKey: [org, 'workflows', 'executions', id, status, cursor],
    queryFn: () =>
      client.get('/v1/workflows/{workflowId}/executions', {
        params: {
          path: { workflowId: id },
          query: { limit: PAGE, ...presentParts({ cursor, status }) },
        },
      }),
    placeholderData: keepPreviousData,
    // A page further back does not move while somebody reads it.
    refetchInterval: useRefresh<Schemas['ExecutionList']>(() =>
      cursor === undefined ? REFRESH_MS : false,
    ),
  })
  return (
    <Card
      title="Executions"
      isFlush
      actions={
        <>
          {mayWrite ? <Many workflow={workflow} /> : null}
          <Filters>
            <FilterSelect
              label="Status"
              value={status}
              change={(chosen) =>
                void navigate({
                  to: '/$org/workflows/$id',
                  params: { org, id },
                  search: isExecutionStatus(chosen) ? { status: chosen } : {},
                  resetScroll: false,
                })
              }
              choices={CHOICES}
              all="Any status"
            />
          </Filters>
        </>
      }
    >
      <Operations id={id} />
      <Shown answer={answer}>
        {({ data, nextCursor }) =>
          data.length === 0 ? (
            <Empty title="No executions">
              {status === undefined
                ? 'Once its trigger starts somebody, they are listed here with where they stand.'
                : 'No execution is like this. Choose another status.'}
            </Empty>
          ) : (
            <>
              <ExecutionTable executions={data} workflow={workflow} />
              <Pager cursor={cursor} nextCursor={nextCursor} />
            </>
          )
        }
      </Shown>
    </Card>
  )
}

interface ExecutionTableProps {
  executions: readonly Execution[]
  workflow: Workflow
}

function ExecutionTable({ executions, workflow }: ExecutionTableProps) {
  const org = useOrganizationId()
  const names = new Map(workflow.steps.map(({ id, name }) => [id, name] as const))
  return (
    <Table
      caption="Executions, newest first"
      rows={executions}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Execution',
          cell: ({ id, createdAt }) => (
            <Link to="/$org/executions/$id" params={{ org, id }}>
              {moment(createdAt)}
            </Link>
          ),
        },
        {
          title: 'Contact',
          cell: ({ contactId }) => (
            <Link to="/$org/contacts/$id" params={{ org, id: contactId }}>
              Show the contact
            </Link>
          ),
        },
        { title: 'Status', cell: ({ status }) => <Status list="execution" value={status} /> },
        {
          title: 'Step',
          cell: ({ currentStepId }) =>
            currentStepId === null ? '' : (names.get(currentStepId) ?? currentStepId),
        },
        {
          title: 'Why',
          cell: ({ reason }) => (reason === null ? '' : executionReasonWords(reason)),
        },
        {
          title: 'Ended',
          cell: ({ finishedAt }) => (finishedAt === null ? '' : ago(finishedAt)),
          isExtra: true,
        },
      ]}
    />
  )
}

function Many({ workflow: { id, stats } }: { workflow: Workflow }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const params = { path: { workflowId: id } }
  const refresh = () => cache.invalidateQueries({ queryKey: [org, 'workflows'] })
  return (
    <>
      {stats.failed === 0 ? null : (
        <Confirm
          action={`Retry ${number(stats.failed)} failed`}
          title={`Retry the ${number(stats.failed)} that failed?`}
          done="They go on, one after another"
          run={async () => {
            await client.post('/v1/workflows/{workflowId}/retry-failed', { params, body: null })
            await refresh()
          }}
        >
          <p>
            Each goes on at the step that failed, with its own version of the workflow. Steps that
            are done are not done again: nobody gets the same mail twice.
          </p>
        </Confirm>
      )}
      {stats.live === 0 ? null : (
        <Confirm
          look="danger"
          label="Cancel all"
          action={`Cancel ${counted(stats.live, 'execution')}`}
          title={`Cancel all ${number(stats.live)} that run?`}
          done="They end, one after another"
          run={async () => {
            await client.post('/v1/workflows/{workflowId}/cancel-executions', { params })
            await refresh()
          }}
        >
          <p>
            {counted(stats.live, 'person leaves', 'people leave')} the workflow where they are. What
            was done stays done, and it cannot be taken up again.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** How far a retry or a cancellation of many is. */
function Operations({ id }: { id: string }) {
  const client = useClient()
  const org = useOrganizationId()
  const { data } = useQuery({
    queryKey: [org, 'workflows', 'operations', id],
    queryFn: () =>
      client.get('/v1/workflows/{workflowId}/operations', {
        params: { path: { workflowId: id }, query: { limit: 5 } },
      }),
    refetchInterval: useRefresh<Schemas['WorkflowOperationList']>((list) =>
      list?.data.some(({ status }) => status === 'running') ? OPERATION_MS : false,
    ),
  })
  return (data?.data ?? [])
    .filter(({ status }) => status === 'running')
    .map(({ id: operationId, kind, done, total, totalIsExact }) => (
      <Note key={operationId}>
        <p role="status">
          {kind === 'retry' ? 'Retrying' : 'Cancelling'}: {number(done)} of {number(total)}
          {totalIsExact ? '' : ' or more'} executions.
        </p>
      </Note>
    ))
}
