import { useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../../client/index.ts'
import { ago } from '../lib/format.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Field, Form } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'

/** Without events nobody knows what was delivered. */
export function EventQueue({ connection }: { connection: Schemas['Connection'] }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const { id, accountId, region, eventQueueUrl, lastEventReceivedAt, webhookConnected } = connection
  return (
    <Card title="Delivery events">
      <div className="stack">
        <p className="soft">
          What became of each mail (delivered, bounced, opened) comes from AWS.{' '}
          {lastEventReceivedAt === null
            ? 'Nothing has come yet.'
            : `The last event came ${ago(lastEventReceivedAt)}.`}
          {webhookConnected && eventQueueUrl === null
            ? ' They come to the webhook of the account.'
            : ''}
        </p>
        <Form
          name={`event-queue-${id}`}
          action="Save"
          look="plain"
          done="Saved: events are taken from the queue"
          submit={async ({ eventQueueUrl: url = '' }) => {
            await client.patch('/v1/connections/{id}', {
              params: { path: { id } },
              body: { eventQueueUrl: url.trim() === '' ? null : url.trim() },
            })
            await cache.invalidateQueries({ queryKey: [org, 'connections'] })
          }}
        >
          <Field
            label="Address of the event queue"
            name="eventQueueUrl"
            hint="An output of the setup file, named EventQueueUrl. Empty: events come to the webhook."
            placeholder={`https://sqs.${region}.amazonaws.com/${accountId}/…`}
            defaultValue={eventQueueUrl ?? ''}
            isOptional
          />
        </Form>
      </div>
    </Card>
  )
}
