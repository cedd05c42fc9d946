import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { counted, moment } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Copy } from '../ui/copy.tsx'
import { Form } from '../ui/form.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { topicOf, TopicFields } from './topic-fields.tsx'

type Topic = Schemas['Topic']

/** One topic: how many subscribe to it, and how people join it. */
export function TopicPage() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('contacts')
  const { id } = useParams({ from: '/$org/topics/$id' })
  const answer = useQuery({
    queryKey: [org, 'topics', id],
    queryFn: () => client.get('/v1/topics/{id}', { params: { path: { id } } }),
  })
  const topic = answer.data
  return (
    <Page
      title={topic?.name ?? 'Topic'}
      about={topic ? countsOf(topic) : undefined}
      above={
        <Link to="/$org/topics" params={{ org }}>
          Topics
        </Link>
      }
      actions={topic && mayWrite ? <DeleteTopic topic={topic} /> : undefined}
    >
      <Shown answer={answer}>
        {(topic) => (
          <div className="columns halves">
            <Facts topic={topic} />
            {mayWrite ? <EditTopic topic={topic} /> : null}
          </div>
        )}
      </Shown>
    </Page>
  )
}

function countsOf({ subscribedCount, pendingCount, countsAreExact }: Topic): string {
  const subscribers = `${counted(subscribedCount, 'subscriber')}${countsAreExact ? '' : ' or more'}`
  return pendingCount === 0
    ? `${subscribers}.`
    : `${subscribers}, and ${counted(pendingCount, 'person has', 'people have')} not confirmed yet.`
}

function Facts({ topic }: { topic: Topic }) {
  const org = useOrganizationId()
  const { id, slug, description, doubleOptIn, from, fromName, createdAt } = topic
  return (
    <Card title="The topic">
      <dl className="facts">
        {description === null ? null : (
          <>
            <dt>About</dt>
            <dd>{description}</dd>
          </>
        )}
        <dt>Who joins</dt>
        <dd>{doubleOptIn ? 'confirms by mail first' : 'is subscribed at once'}</dd>
        {from === null ? null : (
          <>
            <dt>Confirmation from</dt>
            <dd>{fromName === null ? from : `${fromName} <${from}>`}</dd>
          </>
        )}
        <dt>On the preferences page</dt>
        <dd>{topic.public ? 'shown' : 'hidden'}</dd>
        <dt>Subscribers</dt>
        <dd>
          <Link to="/$org/contacts" params={{ org }} search={{ topicId: id }}>
            Show them
          </Link>
        </dd>
        <dt>Slug</dt>
        <dd>
          <Copy text={slug} />
        </dd>
        <dt>Id</dt>
        <dd>
          <Copy text={id} />
        </dd>
        <dt>Made</dt>
        <dd>{moment(createdAt)}</dd>
      </dl>
    </Card>
  )
}

function EditTopic({ topic }: { topic: Topic }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const { id } = topic
  return (
    <Card title="Change it">
      <Form
        name={`topic-${id}`}
        action="Save"
        look="plain"
        done="The topic is saved"
        submit={async (values) => {
          await client.patch('/v1/topics/{id}', {
            params: { path: { id } },
            body: topicOf(values),
          })
          await cache.invalidateQueries({ queryKey: [org, 'topics'] })
        }}
      >
        <TopicFields topic={topic} />
      </Form>
    </Card>
  )
}

function DeleteTopic({ topic: { id, name, subscribedCount } }: { topic: Topic }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  return (
    <Confirm
      look="danger"
      action={`Delete ${name}`}
      label="Delete"
      title={`Delete the topic “${name}”?`}
      done="The topic is deleted"
      run={async () => {
        await client.delete('/v1/topics/{id}', { params: { path: { id } } })
        await navigate({ to: '/$org/topics', params: { org } })
        await cache.invalidateQueries({ queryKey: [org, 'topics'] })
      }}
    >
      <p>
        {counted(subscribedCount, 'subscription goes', 'subscriptions go')} with it. The people stay
        contacts. Batches to it that are not over stop, and its preferences are gone for good.
      </p>
    </Confirm>
  )
}
