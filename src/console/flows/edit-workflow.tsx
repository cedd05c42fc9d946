import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiFailure } from '../../client/failure.ts'
import type { Schemas } from '../../client/index.ts'
import { TRIGGER } from '../../domain/flows/flow-graph.ts'
import { dropDraft, keepDraft, readDraft } from '../lib/drafts.ts'
import { explain } from '../lib/explain.ts'
import { counted } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId, useSession } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Field, TextArea } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Failure, Note, Shown } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'
import {
  type DraftProblem,
  draftOf,
  EMPTY_FLOW,
  type FlowDraft,
  inputOf,
  newStep,
  problemsOf,
} from './flow-draft.ts'
import { type Editing, FlowList } from './flow-list.tsx'
import { withChanged, withoutBranch, withStep, withWay } from './flow-tree.ts'
import { FlowSettings } from './flow-settings.tsx'
import { StepPanel } from './step-panel.tsx'
import { TriggerPanel } from './trigger-panel.tsx'
import { useNames } from './use-names.ts'
import './workflow.css'

type Workflow = Schemas['Workflow']

export const NewWorkflow = () => <FlowEditor workflow={undefined} />

/** Editing makes a new version; executions that run keep theirs. */
export function EditWorkflow() {
  const client = useClient()
  const org = useOrganizationId()
  const { id } = useParams({ from: '/$org/workflows/$id/edit' })
  const answer = useQuery({
    queryKey: [org, 'workflows', 'edited', id],
    queryFn: () =>
      client.get('/v1/workflows/{workflowId}', { params: { path: { workflowId: id } } }),
    // What somebody writes must not be replaced under their hands.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
  if (answer.data) return <FlowEditor key={answer.data.id} workflow={answer.data} />
  return (
    <Page title="Edit the workflow" above={<Above workflow={undefined} />}>
      <Shown answer={answer}>{() => null}</Shown>
    </Page>
  )
}

function Above({ workflow }: { workflow: Workflow | undefined }) {
  const org = useOrganizationId()
  return workflow ? (
    <Link to="/$org/workflows/$id" params={{ org, id: workflow.id }}>
      {workflow.name}
    </Link>
  ) : (
    <Link to="/$org/workflows" params={{ org }}>
      Workflows
    </Link>
  )
}

/** What was typed and not saved, if it is of this version of the workflow. */
function useDraft(workflow: Workflow | undefined) {
  const org = useOrganizationId()
  const { user } = useSession()
  const owner = `${user.id}:${org}`
  const form = `workflow-${workflow?.id ?? 'new'}-${workflow?.updatedAt ?? ''}`
  const stored = workflow ? draftOf(workflow) : EMPTY_FLOW
  const [draft, setDraft] = useState<FlowDraft>(() => {
    const { flow } = readDraft(owner, form)
    return flow === undefined ? stored : JSON.parse(flow)
  })
  const isChanged = JSON.stringify(draft) !== JSON.stringify(stored)
  useEffect(() => {
    if (isChanged) keepDraft(owner, form, { flow: JSON.stringify(draft) })
  }, [owner, form, draft, isChanged])
  return { draft, setDraft, isChanged, drop: () => dropDraft(owner, form) }
}

function FlowEditor({ workflow }: { workflow: Workflow | undefined }) {
  const mayWrite = useMay('workflows')
  const { draft, setDraft, isChanged, drop } = useDraft(workflow)
  const [selected, setSelected] = useState<string>(TRIGGER)
  const [refused, setRefused] = useState<DraftProblem[]>([])
  const names = useNames(draft)
  const problems = problemsOf(draft)
  const shownProblems = refused.length > 0 ? refused : problems
  const change = (part: Partial<FlowDraft>): void => {
    setRefused([])
    setDraft((before) => ({ ...before, ...part }))
  }
  const step = draft.steps.find(({ id }) => id === selected)
  const editing: Editing = {
    add: (place, type) => {
      const added = newStep(type, draft.steps)
      change(withStep(draft, place, added))
      setSelected(added.id)
    },
    lead: (place, to) => change(withWay(draft, place, to)),
  }
  if (!mayWrite) {
    return (
      <Page title="Edit the workflow" above={<Above workflow={workflow} />}>
        <Note>
          <p>You may look at workflows here, and not change them.</p>
        </Note>
      </Page>
    )
  }
  return (
    <Page
      title={workflow ? `Edit ${workflow.name}` : 'New workflow'}
      about={aboutOf(workflow)}
      above={<Above workflow={workflow} />}
    >
      <div className="flow-editor">
        <div className="stack">
          <Card>
            <div className="stack">
              <Field
                label="Name"
                name="name"
                value={draft.name}
                maxLength={200}
                autoComplete="off"
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
              <TextArea
                label="What it is for"
                name="description"
                isOptional
                rows={2}
                maxLength={1_000}
                value={draft.description}
                onChange={(event) => change({ description: event.currentTarget.value })}
              />
            </div>
          </Card>
          <Card title="Steps">
            <FlowList
              draft={draft}
              names={names}
              selected={selected}
              select={setSelected}
              wrong={wrongSteps(shownProblems, draft)}
              editing={editing}
            />
          </Card>
          <Save
            workflow={workflow}
            draft={draft}
            problems={problems}
            isChanged={isChanged}
            saved={drop}
            refuse={setRefused}
          />
        </div>
        <div className="flow-editor-side">
          <Card>
            {step ? (
              <StepPanel
                key={step.id}
                step={step}
                draft={draft}
                problems={messagesOf(shownProblems, `steps[${draft.steps.indexOf(step)}]`)}
                change={(changed) => change(withChanged(draft, changed))}
                remove={() => {
                  change(withoutBranch(draft, step))
                  setSelected(TRIGGER)
                }}
              />
            ) : (
              <div className="stack wide">
                <TriggerPanel
                  draft={draft}
                  change={change}
                  problems={messagesOf(shownProblems, 'trigger')}
                />
                <FlowSettings draft={draft} change={change} />
              </div>
            )}
          </Card>
        </div>
      </div>
    </Page>
  )
}

function aboutOf(workflow: Workflow | undefined): string {
  if (!workflow) return 'What starts it, and what happens then. Nothing runs before you enable it.'
  const { enabled, stats } = workflow
  const running = `${counted(stats.live, 'person who is', 'people who are')} in it keep the steps that they began with`
  return enabled
    ? `Saving makes a new version for whoever starts from now on; ${running}.`
    : `It is disabled: nobody starts. ${stats.live === 0 ? '' : `${running}.`}`
}

const messagesOf = (problems: readonly DraftProblem[], path: string): string[] =>
  problems.filter((problem) => problem.path.startsWith(path)).map(({ message }) => message)

/** The ids of the steps that are not right yet. */
function wrongSteps(problems: readonly DraftProblem[], { steps }: FlowDraft): Set<string> {
  return new Set(
    problems.flatMap(({ path }) => {
      if (path.startsWith('trigger')) return [TRIGGER]
      const [, at] = /^steps\[(\d+)\]/.exec(path) ?? []
      const step = at === undefined ? undefined : steps[Number(at)]
      return step ? [step.id] : []
    }),
  )
}

interface SaveProps {
  workflow: Workflow | undefined
  draft: FlowDraft
  problems: readonly DraftProblem[]
  isChanged: boolean
  saved: () => void
  refuse: (problems: DraftProblem[]) => void
}

function Save({ workflow, draft, problems, isChanged, saved, refuse }: SaveProps) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [problem] = problems
  const save = async (isForced = false): Promise<void> => {
    if (problem) return
    setBusy(true)
    setError(undefined)
    refuse([])
    const body = inputOf(draft)
    try {
      const stored = workflow
        ? await client.patch('/v1/workflows/{workflowId}', {
            params: { path: { workflowId: workflow.id } },
            body: { ...body, ...(isForced ? {} : { ifUnmodifiedSince: workflow.updatedAt }) },
          })
        : await client.post('/v1/workflows', { body })
      saved()
      await cache.invalidateQueries({ queryKey: [org, 'workflows'] })
      const [warning] = stored.warnings ?? []
      toast(warning ? `Saved. ${warning.message}` : 'The workflow is saved')
      await navigate({ to: '/$org/workflows/$id', params: { org, id: stored.id } })
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
      const { fields } = explain(refusal)
      refuse(Object.entries(fields).map(([path, message]) => ({ path, message })))
    }
  }
  const isStale = error instanceof ApiFailure && error.reason === 'modified'
  return (
    <>
      {isStale ? (
        <Note tone="careful">
          <strong>Somebody else has saved this workflow while you wrote</strong>
          <p>Nothing of yours is lost. Open it in another tab to see what they saved.</p>
          <div>
            <Button onClick={() => void save(true)}>Save mine over it</Button>
          </div>
        </Note>
      ) : error === undefined ? null : (
        <Failure error={error} />
      )}
      <div className="row">
        <Button look="primary" isBusy={isBusy} onClick={() => void save()}>
          {workflow ? 'Save as a new version' : 'Save the workflow'}
        </Button>
        <span className="soft" role="status">
          {problem ? `Still to do: ${problem.message}.` : isChanged ? 'Not saved yet.' : ''}
        </span>
      </div>
    </>
  )
}
