import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ago, number } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Form } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { NewSecret } from './new-secret.tsx'
import { WebhookFields, webhookOf } from './webhook-fields.tsx'
import { nameOf, type Webhook, WebhookMark } from './webhook-state.tsx'

const REFRESH_MS = 30_000
/** More than an organization can have. */
const MOST_SHOWN = 100

/** Addresses of the customer's that are called when something happens. */
export function Webhooks() {
  const mayWrite = useMay('full')
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <div className="stack">
      {secret === null ? null : <NewSecret secret={secret} />}
      <WebhookList />
      {mayWrite ? <AddWebhook show={setSecret} /> : null}
    </div>
  )
}

function WebhookList() {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'webhooks'],
    queryFn: () =>
      client.get('/v1/webhook-endpoints', { params: { query: { limit: MOST_SHOWN } } }),
    refetchInterval: useRefresh(REFRESH_MS),
  })
  return (
    <Card title="Webhooks" isFlush>
      <Shown answer={answer}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No webhooks yet">
              A program of yours is called when a mail bounces, somebody unsubscribes or a batch is
              completed.
            </Empty>
          ) : (
            <WebhookTable webhooks={data} />
          )
        }
      </Shown>
    </Card>
  )
}

function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  const org = useOrganizationId()
  return (
    <Table
      caption="Webhooks"
      rows={webhooks}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Webhook',
          cell: (webhook) => (
            <Link to="/$org/webhooks/$id" params={{ org, id: webhook.id }}>
              {nameOf(webhook)}
            </Link>
          ),
        },
        { title: 'State', cell: (webhook) => <WebhookMark webhook={webhook} /> },
        {
          title: 'Delivered in 24 h',
          cell: ({ last24Hours }) => number(last24Hours.delivered),
          isFigure: true,
        },
        {
          title: 'Failed calls',
          cell: ({ last24Hours }) => number(last24Hours.failedCalls),
          isFigure: true,
        },
        { title: 'Waiting', cell: ({ pending }) => number(pending), isFigure: true },
        {
          title: 'Last success',
          cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? 'Never' : ago(lastSuccessAt)),
          isExtra: true,
        },
      ]}
    />
  )
}

function AddWebhook({ show }: { show: (secret: string | null) => void }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  return (
    <Card title="Add a webhook">
      <Form
        name="webhook"
        action="Add the webhook"
        done="The webhook is added"
        isCleared
        submit={async (values) => {
          const { secret } = await client.post('/v1/webhook-endpoints', { body: webhookOf(values) })
          show(secret)
          await cache.invalidateQueries({ queryKey: [org, 'webhooks'] })
          scrollTo({ top: 0 })
        }}
      >
        <WebhookFields />
      </Form>
    </Card>
  )
}
