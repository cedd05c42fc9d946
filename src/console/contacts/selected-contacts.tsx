import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiFailure } from '../../client/failure.ts'
import type { Schemas } from '../../client/index.ts'
import { counted } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Form, Select } from '../ui/form.tsx'
import { useToast } from '../ui/toast.tsx'

type Contact = Schemas['Contact']

interface SelectedContactsProps {
  selected: readonly Contact[]
  clear: () => void
}

/** What can be done at once with the people that somebody has ticked. */
export function SelectedContacts({ selected, clear }: SelectedContactsProps) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const people = counted(selected.length, 'contact')
  const mailable = selected.filter(({ emailStatus }) => emailStatus === 'active')
  const change = useChange()
  return (
    <div className="row" role="group" aria-label="What to do with the selected contacts">
      <span role="status">{people} selected</span>
      <AddToTopic selected={selected} clear={clear} />
      {mailable.length === 0 ? null : (
        <Confirm
          action={`Unsubscribe ${counted(mailable.length, 'contact')}`}
          label="Unsubscribe"
          title={`Unsubscribe ${counted(mailable.length, 'contact')}?`}
          done={`${counted(mailable.length, 'contact')} will get no more marketing mail`}
          run={async () => {
            await change(mailable, { emailStatus: 'unsubscribed' })
            clear()
          }}
        >
          <p>
            They get no batches and no mail of workflows any more, whatever a file or a program
            writes. Only they themselves, or you with their word, can take it back.
          </p>
        </Confirm>
      )}
      <Confirm
        look="danger"
        action={`Delete ${people}`}
        label="Delete"
        title={`Delete ${people}?`}
        done={`${people} deleted`}
        run={async () => {
          await client.delete('/v1/contacts', { body: { ids: selected.map(({ id }) => id) } })
          await cache.invalidateQueries({ queryKey: [org, 'contacts'] })
          clear()
        }}
      >
        <p>
          They go with their topics and end in their workflows. Whoever has left stays on the
          suppression list. It cannot be undone.
        </p>
      </Confirm>
      <Button look="quiet" onClick={clear}>
        Select nobody
      </Button>
    </div>
  )
}

/**
 * Changes contacts one by one, by their ids: a list of rows by address would create again whoever
 * was erased since the page was loaded. To repeat it changes nothing more.
 */
function useChange() {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  return async (contacts: readonly Contact[], body: Schemas['ContactPatch']): Promise<void> => {
    try {
      for (const { id } of contacts) {
        await client
          .patch('/v1/contacts/{id}', { params: { path: { id } }, body })
          .catch(unlessGone)
      }
    } finally {
      await cache.invalidateQueries({ queryKey: [org, 'contacts'] })
    }
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiFailure && error.status === 404)) throw error
}

function AddToTopic({ selected, clear }: SelectedContactsProps) {
  const client = useClient()
  const org = useOrganizationId()
  const toast = useToast()
  const change = useChange()
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery({
    queryKey: [org, 'topics'],
    queryFn: () => client.get('/v1/topics', { params: { query: { limit: 100 } } }),
  })
  const topics = data?.data ?? []
  if (topics.length === 0) return null
  const people = counted(selected.length, 'contact')
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add to a topic</Button>
      <Dialog
        title={`Add ${people} to a topic`}
        about="Where the topic asks for it, each of them is mailed and confirms first."
        isOpen={isOpen}
        close={() => setOpen(false)}
      >
        <Form
          name="topic-of-selected"
          action={`Add ${people}`}
          submit={async ({ topicId = '' }) => {
            await change(selected, { topicIds: [topicId] })
            setOpen(false)
            toast(`${people} added to the topic`)
            clear()
          }}
        >
          <Select label="Topic" name="topicId">
            {topics.map(({ id, name, doubleOptIn }) => (
              <option key={id} value={id}>
                {name}
                {doubleOptIn ? ' (they confirm by mail)' : ''}
              </option>
            ))}
          </Select>
        </Form>
      </Dialog>
    </>
  )
}
