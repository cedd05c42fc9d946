import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'

interface DeleteTemplateProps {
  template: Schemas['Template']
  isOpen: boolean
  close: () => void
}

export function DeleteTemplate({ template: { id, name }, isOpen, close }: DeleteTemplateProps) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const remove = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await client.delete('/v1/templates/{id}', { params: { path: { id } } })
      await cache.invalidateQueries({ queryKey: [org, 'templates', 'list'] })
      await navigate({ to: '/$org/templates', params: { org } })
      toast('The template is deleted')
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Delete “${name}”?`} isOpen={isOpen} close={close}>
      <p>
        The template and all its versions go for good. Mails that were sent with it stay in the
        logs. What still uses it keeps it: then you are told what that is.
      </p>
      {error === undefined ? null : <Failure error={error} />}
      <div className="row">
        <Button look="danger" isBusy={isBusy} onClick={() => void remove()}>
          Delete it for good
        </Button>
        <Button look="quiet" onClick={close}>
          Keep it as it is
        </Button>
      </div>
    </Dialog>
  )
}
