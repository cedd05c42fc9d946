import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ban, Copy as CopyIcon, Pause, Play, RotateCcw } from 'lucide-react'
import type { Schemas } from '../../client/index.ts'
import { counted, number } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'
import { partsOf } from './batch-words.ts'

type Batch = Schemas['Batch']

/** What can be done with a batch as it stands; what does not go in this state is not offered. */
export function BatchActions({ batch }: { batch: Batch }) {
  const maySend = useMay('send')
  if (!maySend) return null
  const { status, paused, failed } = batch
  const isLive = status === 'queued' || status === 'processing' || status === 'scheduled'
  const isOver = status === 'completed' || status === 'cancelled' || status === 'failed'
  return (
    <>
      {isOver && failed > 0 ? <SendAgain batch={batch} /> : null}
      {isLive && !paused ? <PauseButton batch={batch} /> : null}
      {(isLive && paused) || status === 'failed' ? <ResumeButton batch={batch} /> : null}
      {isLive ? <Cancel batch={batch} /> : null}
      {status === 'failed' ? <Discard batch={batch} /> : null}
      {isOver ? <Duplicate batch={batch} /> : null}
    </>
  )
}

function useRun(batch: Batch) {
  const org = useOrganizationId()
  const cache = useQueryClient()
  return {
    org,
    params: { path: { id: batch.id } },
    refresh: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: [org, 'batch', batch.id] }),
        cache.invalidateQueries({ queryKey: [org, 'batches'] }),
      ]),
  }
}

interface SimpleProps {
  batch: Batch
  words: string
  icon: React.ReactNode
  look?: 'primary' | 'plain'
  act: () => Promise<unknown>
  done: string
}

/** Does at once what can be undone, and says what was refused. */
function Simple({ batch, words, icon, look = 'plain', act, done }: SimpleProps) {
  const { refresh } = useRun(batch)
  const toast = useToast()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: act,
    onSuccess: () => toast(done),
    onSettled: refresh,
  })
  return (
    <>
      <Button look={look} icon={icon} isBusy={isPending} onClick={() => mutate()}>
        {words}
      </Button>
      <Dialog title="That did not go" isOpen={error !== null} close={reset}>
        <Failure error={error} />
      </Dialog>
    </>
  )
}

function PauseButton({ batch }: { batch: Batch }) {
  const client = useClient()
  const { params } = useRun(batch)
  return (
    <Simple
      batch={batch}
      words="Pause"
      icon={<Pause aria-hidden="true" />}
      done="Paused: nothing more leaves until it is resumed"
      act={() => client.post('/v1/batch/{id}/pause', { params })}
    />
  )
}

function ResumeButton({ batch }: { batch: Batch }) {
  const client = useClient()
  const { params } = useRun(batch)
  return (
    <Simple
      batch={batch}
      words="Resume"
      look="primary"
      icon={<Play aria-hidden="true" />}
      done="It goes on where it stopped"
      act={() => client.post('/v1/batch/{id}/resume', { params })}
    />
  )
}

function Cancel({ batch }: { batch: Batch }) {
  const client = useClient()
  const { params, refresh } = useRun(batch)
  const { open, sent } = partsOf(batch)
  return (
    <Confirm
      look="danger"
      action="Cancel the batch"
      label="Cancel"
      title="Cancel this batch?"
      icon={<Ban aria-hidden="true" />}
      done="Cancelled: nothing more leaves"
      run={async () => {
        await client.delete('/v1/batch/{id}', { params })
        await refresh()
      }}
    >
      <p>
        {sent === 0
          ? 'Nobody has been mailed yet, and nobody will be.'
          : `${counted(sent, 'mail has', 'mails have')} left and cannot be called back.`}{' '}
        {counted(open, 'recipient', 'recipients')} will not be mailed. It cannot be resumed; pausing
        can.
      </p>
    </Confirm>
  )
}

function Discard({ batch }: { batch: Batch }) {
  const client = useClient()
  const { params, refresh } = useRun(batch)
  return (
    <Confirm
      action="Give it up"
      title="Give this batch up?"
      done="The batch is given up"
      run={async () => {
        await client.post('/v1/batch/{id}/discard', { params })
        await refresh()
      }}
    >
      <p>
        {counted(partsOf(batch).open, 'recipient')} will not be mailed, and it cannot be resumed any
        more.
      </p>
    </Confirm>
  )
}

function SendAgain({ batch }: { batch: Batch }) {
  const client = useClient()
  const navigate = useNavigate()
  const { org, params, refresh } = useRun(batch)
  const { failed } = batch
  return (
    <Confirm
      look="primary"
      action={`Send again to ${counted(failed, 'person', 'people')}`}
      title={`Send again to the ${number(failed)} who failed?`}
      icon={<RotateCcw aria-hidden="true" />}
      done="A new batch mails those who failed"
      run={async () => {
        const { id } = await client.post('/v1/batch/{id}/retry-failed', { params })
        await refresh()
        await navigate({ to: '/$org/batches/$id', params: { org, id } })
      }}
    >
      <p>
        A new batch with the same content mails only the {counted(failed, 'person', 'people')} whose
        mail failed. Whoever got it, left or may not be mailed is not in it.
      </p>
    </Confirm>
  )
}

function Duplicate({ batch }: { batch: Batch }) {
  const client = useClient()
  const navigate = useNavigate()
  const { org, params, refresh } = useRun(batch)
  return (
    <Confirm
      look="plain"
      action="Make a paused copy"
      label="Duplicate"
      title="Duplicate this batch?"
      icon={<CopyIcon aria-hidden="true" />}
      done="The copy is paused: nothing leaves until you resume it"
      run={async () => {
        const { id } = await client.post('/v1/batch/{id}/duplicate', { params })
        await refresh()
        await navigate({ to: '/$org/batches/$id', params: { org, id } })
      }}
    >
      <p>The copy has the same content and audience, and waits for you: nobody is mailed yet.</p>
    </Confirm>
  )
}
