import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { HOOK_EVENT_TYPES } from '../../domain/hooks/hook-event.ts'
import { counted } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Form, Select } from '../ui/form.tsx'
import { nameOf, type Webhook } from './webhook-state.tsx'

interface WebhookActionsProps {
  webhook: Webhook
  showSecret: (secret: string | null) => void
}

export function WebhookActions({ webhook, showSecret }: WebhookActionsProps) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const { id, enabled, pending } = webhook
  const params = { path: { id } }
  const refresh = () => cache.invalidateQueries({ queryKey: [org, 'webhooks'] })
  const change = async (body: Schemas['WebhookEndpointPatch']): Promise<void> => {
    await client.patch('/v1/webhook-endpoints/{id}', { params, body })
    await refresh()
  }
  const waiting = counted(pending, 'event waits', 'events wait')
  return (
    <>
      <SendTest webhook={webhook} />
      {enabled ? (
        <Confirm
          action="Disable it"
          label="Disable"
          title={`Disable “${nameOf(webhook)}”?`}
          done="It is not called any more"
          run={() => change({ enabled: false })}
        >
          <p>It is not called until it is enabled again. Events are held for three days.</p>
        </Confirm>
      ) : (
        <>
          <Confirm
            action="Enable it"
            label="Enable"
            look="primary"
            title={`Enable “${nameOf(webhook)}”?`}
            done="It is called again"
            run={() => change({ enabled: true })}
          >
            <p>
              {pending === 0
                ? 'It is called whenever one of its events happens.'
                : `${waiting} and will be sent at once.`}
            </p>
          </Confirm>
          {pending === 0 ? null : (
            <Confirm
              action="Enable it and drop what waits"
              label="Enable without what waits"
              title={`Drop what waits for “${nameOf(webhook)}”?`}
              done="It is called again"
              run={() => change({ enabled: true, held: 'drop' })}
            >
              <p>{waiting} and will not be sent. Later ones will.</p>
            </Confirm>
          )}
        </>
      )}
      <Confirm
        action="Make a new secret"
        label="New secret"
        title="Make a new secret?"
        done="There is a new secret"
        run={async () => {
          const { secret } = await client.post('/v1/webhook-endpoints/{id}/rotate-secret', {
            params,
          })
          showSecret(secret)
        }}
      >
        <p>
          Calls are signed with both secrets for 24 hours, then with the new one only. Give it to
          your receiver before that.
        </p>
      </Confirm>
      <Confirm
        look="danger"
        action="Delete the webhook"
        label="Delete"
        title={`Delete “${nameOf(webhook)}”?`}
        done="The webhook is deleted"
        run={async () => {
          await client.delete('/v1/webhook-endpoints/{id}', { params })
          await navigate({ to: '/$org/settings/webhooks', params: { org } })
          await refresh()
        }}
      >
        <p>
          {pending === 0 ? 'Nothing waits for it.' : `${waiting} for it and will not be sent.`} Its
          deliveries and its secret are gone for good.
        </p>
      </Confirm>
    </>
  )
}

function SendTest({ webhook: { id, eventTypes } }: { webhook: Webhook }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Send a test event</Button>
      <Dialog
        title="Send a test event"
        about="Made-up data with “test”: true, called once, now, even while it is disabled."
        isOpen={isOpen}
        close={() => setOpen(false)}
      >
        <Form
          name={`webhook-test-${id}`}
          action="Send it"
          done="It is on its way: its outcome is among the deliveries"
          submit={async ({ type }) => {
            const chosen = HOOK_EVENT_TYPES.find((each) => each === type)
            await client.post('/v1/webhook-endpoints/{id}/test', {
              params: { path: { id } },
              body: chosen === undefined ? {} : { type: chosen },
            })
            setOpen(false)
            await cache.invalidateQueries({ queryKey: [org, 'webhooks'] })
          }}
        >
          <Select label="Event" name="type" defaultValue={eventTypes[0]}>
            {HOOK_EVENT_TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </Select>
        </Form>
      </Dialog>
    </>
  )
}
