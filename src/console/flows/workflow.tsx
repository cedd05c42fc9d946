import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { moment, number } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useIsWide } from '../lib/use-is-wide.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Loading, Note, Shown } from '../ui/states.tsx'
import { Executions } from './executions.tsx'
import { draftOf, type FlowDraft } from './flow-draft.ts'
import { type Counts, FlowList } from './flow-list.tsx'
import { triggerSentence } from './flow-words.ts'
import { StepFacts } from './step-facts.tsx'
import { useNames } from './use-names.ts'
import { WorkflowActions } from './workflow-actions.tsx'
import { WorkflowVersions } from './workflow-versions.tsx'
import './workflow.css'

const FlowMap = lazy(async () => ({ default: (await import('./flow-map.tsx')).FlowMap }))

const REFRESH_MS = 10_000

type Workflow = Schemas['Workflow']

/** One workflow: where people stand in it, and what became of each. */
export function WorkflowPage() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('workflows')
  const { id } = useParams({ from: '/$org/workflows/$id' })
  const answer = useQuery({
    queryKey: [org, 'workflows', 'one', id],
    queryFn: () =>
      client.get('/v1/workflows/{workflowId}', { params: { path: { workflowId: id } } }),
    refetchInterval: useRefresh<Workflow>(REFRESH_MS),
  })
  const workflow = answer.data
  return (
    <Page
      title={workflow?.name ?? 'Workflow'}
      about={workflow ? <About workflow={workflow} /> : undefined}
      above={
        <Link to="/$org/workflows" params={{ org }}>
          Workflows
        </Link>
      }
      actions={
        workflow && mayWrite ? (
          <>
            <ButtonLink
              to="/$org/workflows/$id/edit"
              params={{ org, id }}
              icon={<Pencil aria-hidden="true" />}
            >
              Edit
            </ButtonLink>
            <WorkflowActions workflow={workflow} />
          </>
        ) : undefined
      }
    >
      <Shown answer={answer}>
        {(workflow) => (
          <>
            <Problems workflow={workflow} />
            <Figures workflow={workflow} />
            <Steps workflow={workflow} />
            <Executions workflow={workflow} />
            <WorkflowVersions workflow={workflow} />
          </>
        )}
      </Shown>
    </Page>
  )
}

function About({ workflow }: { workflow: Workflow }) {
  const draft = draftOf(workflow)
  const names = useNames(draft)
  const { enabled, description } = workflow
  return (
    <>
      {enabled ? 'Enabled. ' : 'Disabled: nothing starts it. '}
      {triggerSentence(draft, names)} {description}
    </>
  )
}

function Problems({ workflow: { scheduleFailure } }: { workflow: Workflow }) {
  if (scheduleFailure === null) return null
  return (
    <Note tone="careful">
      <strong>Not everybody was started at {moment(scheduleFailure.scheduledFor)}</strong>
      <p>
        {scheduleFailure.reason === 'stopped_by_operator'
          ? 'Whoever runs this server stopped it.'
          : 'Its segment could not be found in time, or names something that is gone.'}
      </p>
    </Note>
  )
}

function Figures({ workflow: { stats } }: { workflow: Workflow }) {
  const figures = [
    { name: 'Running', value: stats.live, about: 'are in it now' },
    { name: 'Completed', value: stats.completed, about: 'came to an end' },
    { name: 'Failed', value: stats.failed, about: 'wait for a retry' },
    { name: 'Cancelled', value: stats.cancelled, about: 'were ended early' },
    { name: 'Dropped', value: stats.dropped, about: 'were not let in' },
  ]
  return (
    <Card>
      <dl className="workflow-figures">
        {figures.map(({ name, value, about }) => (
          <div key={name}>
            <dt className="soft">{name}</dt>
            <dd className="big-figure">{number(value)}</dd>
            <dd className="soft small">{about}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

/** The map where there is room for it, else the list; both say the same. */
function Steps({ workflow }: { workflow: Workflow }) {
  const client = useClient()
  const org = useOrganizationId()
  const isWide = useIsWide()
  const [isList, setList] = useState(false)
  const [selected, setSelected] = useState<string>()
  const draft: FlowDraft = draftOf(workflow)
  const names = useNames(draft)
  const { id } = workflow
  const { data } = useQuery({
    queryKey: [org, 'workflows', 'steps', id],
    queryFn: () =>
      client.get('/v1/workflows/{workflowId}/steps', { params: { path: { workflowId: id } } }),
    refetchInterval: useRefresh<Schemas['WorkflowStepCounts']>(REFRESH_MS),
  })
  const counts: Counts = new Map(
    (data?.data ?? []).map((count) => [count.stepId ?? '', count] as const),
  )
  const shown = { draft, names, selected, select: setSelected, counts }
  return (
    <Card
      title="Steps, and who is where"
      actions={
        isWide ? (
          <fieldset className="row">
            <legend className="read-aloud">Shown as</legend>
            {[false, true].map((each) => (
              <button
                key={String(each)}
                type="button"
                className="button quiet"
                aria-pressed={each === isList}
                onClick={() => setList(each)}
              >
                {each ? 'List' : 'Map'}
              </button>
            ))}
          </fieldset>
        ) : undefined
      }
    >
      <div className={selected === undefined ? undefined : 'workflow-steps'}>
        {isWide && !isList ? (
          <Suspense fallback={<Loading rows={8} />}>
            <FlowMap {...shown} />
          </Suspense>
        ) : (
          <FlowList {...shown} />
        )}
        {selected === undefined ? null : (
          <StepFacts
            key={selected}
            draft={draft}
            names={names}
            selected={selected}
            close={() => setSelected(undefined)}
          />
        )}
      </div>
    </Card>
  )
}
