import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { HOOK_EVENT_TYPES } from '../../domain/hooks/hook-event.ts'
import { ago, counted, moment } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Copy } from '../ui/copy.tsx'
import { Form } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'
import { Deliveries } from './deliveries.tsx'
import { SOURCE_WORDS } from './event-words.ts'
import { NewSecret } from './new-secret.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookFields, webhookOf } from './webhook-fields.tsx'
import { nameOf, stateSentence, type Webhook, WebhookMark } from './webhook-state.tsx'

const REFRESH_MS = 10_000

/** One endpoint: whether its calls arrive, what it receives, and each delivery. */
export function WebhookPage() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('full')
  const { id } = useParams({ from: '/$org/webhooks/$id' })
  const [secret, setSecret] = useState<string | null>(null)
  const answer = useQuery({
    queryKey: [org, 'webhooks', id],
    queryFn: () => client.get('/v1/webhook-endpoints/{id}', { params: { path: { id } } }),
    refetchInterval: useRefresh(REFRESH_MS),
  })
  const webhook = answer.data
  return (
    <Page
      title={webhook ? nameOf(webhook) : 'Webhook'}
      about={webhook ? stateSentence(webhook) : undefined}
      above={
        <Link to="/$org/settings/webhooks" params={{ org }}>
          Webhooks
        </Link>
      }
      actions={
        webhook && mayWrite ? (
          <WebhookActions webhook={webhook} showSecret={setSecret} />
        ) : undefined
      }
    >
      <Shown answer={answer}>
        {(webhook) => (
          <>
            {secret === null ? null : (
              <NewSecret secret={secret}>
                For 24 hours calls are signed with the old one, too.
              </NewSecret>
            )}
            {webhook.disabledReason === 'failing' || webhook.disabledReason === 'gone' ? (
              <Note tone="bad">
                <strong>Nothing is delivered</strong>
                <p>
                  Mend the receiver, send a test event, then enable it: what was held follows by
                  itself.
                </p>
              </Note>
            ) : null}
            <div className="columns halves">
              <Facts webhook={webhook} />
              {mayWrite ? <ChangeWebhook webhook={webhook} /> : null}
            </div>
            <Deliveries webhook={webhook} />
          </>
        )}
      </Shown>
    </Page>
  )
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { id, url, eventTypes, sources, maxInFlight, last24Hours, lastSuccessAt } = webhook
  return (
    <Card title="The webhook">
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <WebhookMark webhook={webhook} />
        </dd>
        <dt>Address</dt>
        <dd>
          <Copy text={url} />
        </dd>
        <dt>In 24 hours</dt>
        <dd>
          {counted(last24Hours.delivered, 'event')} delivered,{' '}
          {counted(last24Hours.failedCalls, 'call')} failed
        </dd>
        <dt>Last success</dt>
        <dd>
          {lastSuccessAt === null ? 'never' : `${moment(lastSuccessAt)} (${ago(lastSuccessAt)})`}
        </dd>
        <dt>Events</dt>
        <dd>{eventTypes.length === HOOK_EVENT_TYPES.length ? 'all' : eventTypes.join(', ')}</dd>
        <dt>Mails of</dt>
        <dd>
          {sources === null
            ? 'any source'
            : sources.map((source) => SOURCE_WORDS[source].toLowerCase()).join(', ')}
        </dd>
        <dt>Calls at once</dt>
        <dd>{maxInFlight}</dd>
        <dt>Id</dt>
        <dd>
          <Copy text={id} />
        </dd>
      </dl>
    </Card>
  )
}

function ChangeWebhook({ webhook }: { webhook: Webhook }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const { id } = webhook
  return (
    <Card title="Change it">
      <details>
        <summary>Its address, and which events it receives</summary>
        <Form
          name={`webhook-${id}`}
          action="Save"
          look="plain"
          done="The webhook is saved"
          submit={async (values) => {
            await client.patch('/v1/webhook-endpoints/{id}', {
              params: { path: { id } },
              body: webhookOf(values),
            })
            await cache.invalidateQueries({ queryKey: [org, 'webhooks'] })
          }}
        >
          <WebhookFields webhook={webhook} />
        </Form>
      </details>
    </Card>
  )
}
