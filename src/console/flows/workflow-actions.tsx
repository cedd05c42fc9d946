import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { counted } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Check } from '../ui/form.tsx'
import { Note } from '../ui/states.tsx'
import { draftOf } from './flow-draft.ts'
import { triggerSentence } from './flow-words.ts'
import { useNames } from './use-names.ts'

type Workflow = Schemas['Workflow']

/** Enabling says what will start it, disabling what goes on, deleting what ends. */
export function WorkflowActions({ workflow }: { workflow: Workflow }) {
  return (
    <>
      {workflow.enabled ? <Disable workflow={workflow} /> : <Enable workflow={workflow} />}
      <Delete workflow={workflow} />
    </>
  )
}

function useChange({ id }: Workflow) {
  const org = useOrganizationId()
  const cache = useQueryClient()
  return {
    org,
    params: { path: { workflowId: id } },
    refresh: () => cache.invalidateQueries({ queryKey: [org, 'workflows'] }),
  }
}

function Enable({ workflow }: { workflow: Workflow }) {
  const client = useClient()
  const { params, refresh } = useChange(workflow)
  const [warnings, setWarnings] = useState<string[]>([])
  const draft = draftOf(workflow)
  const names = useNames(draft)
  const { allowReentry, maxConcurrentExecutions } = workflow.settings
  return (
    <>
      {warnings.length === 0 ? null : (
        <Note tone="careful">
          {warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Note>
      )}
      <Confirm
        look="primary"
        action="Enable it"
        label="Enable"
        title="Enable this workflow?"
        done="Enabled: its trigger starts executions"
        run={async () => {
          const answer = await client.post('/v1/workflows/{workflowId}/enable', { params })
          setWarnings((answer.warnings ?? []).map(({ message }) => message))
          await refresh()
        }}
      >
        <p>{triggerSentence(draft, names)} What happened before does not start it.</p>
        <p>
          {allowReentry
            ? 'A person can go through it several times.'
            : 'A person goes through it once: whoever was in it is not taken again.'}{' '}
          {maxConcurrentExecutions === null
            ? ''
            : `At most ${maxConcurrentExecutions} people are in it at a time; others are dropped.`}
        </p>
      </Confirm>
    </>
  )
}

function Disable({ workflow }: { workflow: Workflow }) {
  const client = useClient()
  const { params, refresh } = useChange(workflow)
  const [isCancelling, setCancelling] = useState(false)
  const { live } = workflow.stats
  return (
    <Confirm
      action="Disable it"
      label="Disable"
      title="Disable this workflow?"
      done="Disabled: nothing starts it any more"
      run={async () => {
        await client.post('/v1/workflows/{workflowId}/disable', {
          params,
          body: { running: isCancelling ? 'cancel' : 'continue' },
        })
        await refresh()
      }}
    >
      <p>
        Nobody is started any more.{' '}
        {live === 0
          ? 'Nobody is in it.'
          : `${counted(live, 'person who is', 'people who are')} in it go on to the end.`}
      </p>
      {live === 0 ? null : (
        <Check
          label={`Cancel them, too: ${counted(live, 'execution')} cannot be taken up again`}
          checked={isCancelling}
          onChange={(event) => setCancelling(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  )
}

function Delete({ workflow }: { workflow: Workflow }) {
  const client = useClient()
  const navigate = useNavigate()
  const { org, params, refresh } = useChange(workflow)
  const { name, stats } = workflow
  return (
    <Confirm
      look="danger"
      action={`Delete ${name}`}
      label="Delete"
      title={`Delete the workflow “${name}”?`}
      done="The workflow is deleted"
      run={async () => {
        await client.delete('/v1/workflows/{workflowId}', { params })
        await navigate({ to: '/$org/workflows', params: { org } })
        await refresh()
      }}
    >
      <p>
        Nothing starts it any more.{' '}
        {stats.live === 0
          ? ''
          : `${counted(stats.live, 'person is', 'people are')} in it: their executions are cancelled.`}{' '}
        What was mailed stays in the logs.
      </p>
    </Confirm>
  )
}
