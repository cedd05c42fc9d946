import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Ban, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { configQuery } from '../lib/config.ts'
import { ago, moment } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Copy } from '../ui/copy.tsx'
import { Check } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { executionReasonWords } from './execution-words.ts'
import './execution.css'

const REFRESH_MS = 2_000

type Detail = Schemas['ExecutionDetail']
type Step = Schemas['ExecutionStep']

const isLive = ({ status }: Detail): boolean =>
  status === 'pending' || status === 'active' || status === 'paused' || status === 'waiting'

/** One run: its steps as a line of time, and going on from the one that failed. */
export function ExecutionPage() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('workflows')
  const { id } = useParams({ from: '/$org/executions/$id' })
  const answer = useQuery({
    queryKey: [org, 'executions', id],
    queryFn: () =>
      client.get('/v1/workflows/executions/{executionId}', {
        params: { path: { executionId: id } },
      }),
    refetchInterval: useRefresh<Detail>((execution) =>
      execution && isLive(execution) ? REFRESH_MS : false,
    ),
  })
  const execution = answer.data
  return (
    <Page
      title={execution ? `Execution of ${execution.workflowName}` : 'Execution'}
      about={execution ? sentenceOf(execution) : undefined}
      above={
        execution ? (
          <Link to="/$org/workflows/$id" params={{ org, id: execution.workflowId }}>
            {execution.workflowName}
          </Link>
        ) : (
          <Link to="/$org/workflows" params={{ org }}>
            Workflows
          </Link>
        )
      }
      actions={
        execution && mayWrite ? (
          <>
            {execution.status === 'failed' ? <Retry execution={execution} /> : null}
            {isLive(execution) ? <Cancel execution={execution} /> : null}
          </>
        ) : undefined
      }
    >
      <Shown answer={answer}>
        {(execution) => (
          <>
            {execution.status === 'failed' ? (
              <Note tone="bad">
                <strong>
                  {execution.reason === null ? 'It failed' : executionReasonWords(execution.reason)}
                </strong>
                {execution.error === null ? null : <p>{execution.error}</p>}
              </Note>
            ) : null}
            <div className="columns halves">
              <Steps execution={execution} />
              <Facts execution={execution} />
            </div>
          </>
        )}
      </Shown>
    </Page>
  )
}

function sentenceOf(execution: Detail): string {
  const { status, reason, steps, finishedAt } = execution
  const last = steps.at(-1)
  const where = last === undefined ? '' : ` at “${last.name}”`
  const why = reason === null ? '' : ` ${executionReasonWords(reason)}.`
  switch (status) {
    case 'pending':
      return 'It starts in a moment.'
    case 'active':
      return `It runs${where}.`
    case 'paused':
      return `It waits${where}${last?.dueAt ? ` until ${moment(last.dueAt)}` : ''}.`
    case 'waiting':
      return `It waits for something${where}${last?.dueAt ? `, at most until ${moment(last.dueAt)}` : ''}.`
    case 'completed':
      return `Completed${finishedAt === null ? '' : ` ${ago(finishedAt)}`}.${why}`
    case 'failed':
      return `Failed${where}: it can go on from there, and nothing that is done is done again.`
    case 'cancelled':
      return `Cancelled${finishedAt === null ? '' : ` ${ago(finishedAt)}`}.${why}`
  }
}

function Steps({ execution: { steps, stepCount } }: { execution: Detail }) {
  const left = stepCount - steps.length
  return (
    <Card title="What happened">
      {left > 0 ? <p className="soft">The first {left} visits are left out.</p> : null}
      <ol className="visits">
        {steps.map((step) => (
          <Visit key={step.id} step={step} />
        ))}
      </ol>
      {steps.length === 0 ? <p className="soft">No step has begun yet.</p> : null}
    </Card>
  )
}

function Visit({ step }: { step: Step }) {
  const { name, status, branch, startedAt, finishedAt, reason, error, visit, result } = step
  const tries = step.try > 1 ? `, try ${step.try}` : ''
  const visits = visit > 1 ? `, visit ${visit}` : ''
  return (
    <li>
      <div className="row between">
        <strong>
          {name}
          <span className="soft">{`${visits}${tries}`}</span>
        </strong>
        <Status list="step" value={status} />
      </div>
      <span className="soft">
        {moment(startedAt)}
        {finishedAt === null ? '' : ` to ${moment(finishedAt)}`}
        {branch === null ? '' : `, went on with “${branch}”`}
      </span>
      {reason === null ? null : <span>{executionReasonWords(reason)}</span>}
      {error === null ? null : <span className="tone-bad">{error}</span>}
      <Waits step={step} />
      {result === null || result === undefined ? null : (
        <details>
          <summary>Result</summary>
          <pre className="visit-data">{JSON.stringify(result, null, 2)}</pre>
        </details>
      )}
    </li>
  )
}

function Waits({ step: { status, dueAt, calls, lastError, nextTryAt } }: { step: Step }) {
  if (status !== 'executing') return null
  return (
    <>
      {dueAt === null ? null : <span>At the latest {moment(dueAt)}</span>}
      {calls === 0 ? null : (
        <span>
          {calls === 1 ? 'Called once' : `Called ${calls} times`}
          {lastError === null ? '' : `; the last call: ${lastError}`}
          {nextTryAt === null ? '' : `; again ${ago(nextTryAt)}`}
        </span>
      )}
    </>
  )
}

function Facts({ execution }: { execution: Detail }) {
  const org = useOrganizationId()
  const { data: config } = useQuery(configQuery)
  const { id, contactId, workflowVersion, attempt, createdAt, startedAt, data } = execution
  const query = new URLSearchParams({ query: `ExecutionId="${id}"` }).toString()
  return (
    <Card title="The execution">
      <dl className="facts">
        <dt>Contact</dt>
        <dd>
          <Link to="/$org/contacts/$id" params={{ org, id: contactId }}>
            Show the contact
          </Link>
        </dd>
        <dt>Version</dt>
        <dd>
          {workflowVersion}
          <span className="soft"> of the workflow</span>
        </dd>
        <dt>Attempt</dt>
        <dd>{attempt}</dd>
        <dt>Made</dt>
        <dd>{moment(createdAt)}</dd>
        <dt>Started</dt>
        <dd>{startedAt === null ? 'Not yet' : moment(startedAt)}</dd>
        <dt>Id</dt>
        <dd>
          <Copy text={id} />
        </dd>
        {config?.temporalUiUrl === undefined ? null : (
          <>
            <dt>For operators</dt>
            <dd>
              <a
                href={`${config.temporalUiUrl}/namespaces/default/workflows?${query}`}
                target="_blank"
                rel="noreferrer"
              >
                In the Temporal UI<span className="read-aloud"> (opens in a new tab)</span>
              </a>
            </dd>
          </>
        )}
      </dl>
      {Object.keys(data).length === 0 ? null : (
        <details>
          <summary>What it was started with</summary>
          <pre className="visit-data">{JSON.stringify(data, null, 2)}</pre>
        </details>
      )}
    </Card>
  )
}

function useChange({ id }: Detail) {
  const org = useOrganizationId()
  const cache = useQueryClient()
  return {
    params: { path: { executionId: id } },
    refresh: async () => {
      await cache.invalidateQueries({ queryKey: [org, 'executions', id] })
      await cache.invalidateQueries({ queryKey: [org, 'workflows'] })
    },
  }
}

function Retry({ execution }: { execution: Detail }) {
  const client = useClient()
  const { params, refresh } = useChange(execution)
  const [isNewest, setNewest] = useState(false)
  const failed = execution.steps.findLast(({ status }) => status === 'failed')
  return (
    <Confirm
      look="primary"
      action={failed ? `Retry from “${failed.name}”` : 'Retry'}
      label="Retry from the failed step"
      title="Retry from the failed step?"
      icon={<RotateCcw aria-hidden="true" />}
      done="It goes on from the step that failed"
      run={async () => {
        await client.post('/v1/workflows/executions/{executionId}/retry', {
          params,
          body: isNewest ? { version: 'newest' } : null,
        })
        await refresh()
      }}
    >
      <p>
        It goes on at “{failed?.name ?? 'the failed step'}”. Steps before it are done and are not
        done again: nobody gets the same mail twice.
      </p>
      <Check
        label={`Go on with the newest version of the workflow, not with version ${execution.workflowVersion}`}
        checked={isNewest}
        onChange={(event) => setNewest(event.currentTarget.checked)}
      />
    </Confirm>
  )
}

function Cancel({ execution }: { execution: Detail }) {
  const client = useClient()
  const { params, refresh } = useChange(execution)
  return (
    <Confirm
      look="danger"
      action="Cancel the execution"
      label="Cancel"
      title="Cancel this execution?"
      icon={<Ban aria-hidden="true" />}
      done="The execution is cancelled"
      run={async () => {
        await client.post('/v1/workflows/executions/{executionId}/cancel', { params })
        await refresh()
      }}
    >
      <p>
        The person leaves the workflow here. What was done stays done, and it cannot be taken up
        again.
      </p>
    </Confirm>
  )
}
