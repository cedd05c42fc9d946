import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { moment } from '../lib/format.ts'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Copy } from '../ui/copy.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { nameOf } from './contacts.tsx'

type Contact = Schemas['Contact']

/** One person: who they are, what they get, and every mail they were sent. */
export function ContactPage() {
  const client = useClient()
  const org = useOrganizationId()
  const mayWrite = useMay('contacts')
  const { id } = useParams({ from: '/$org/contacts/$id' })
  const answer = useQuery({
    queryKey: [org, 'contacts', id],
    queryFn: () => client.get('/v1/contacts/{id}', { params: { path: { id } } }),
  })
  const contact = answer.data
  const title = contact ? nameOf(contact) || contact.email || contact.phone || 'Contact' : 'Contact'
  return (
    <Page
      title={title}
      about={contact?.email ?? undefined}
      above={
        <Link to="/$org/contacts" params={{ org }}>
          Contacts
        </Link>
      }
      actions={
        contact && mayWrite ? (
          <>
            {contact.emailStatus === 'active' ? <Unsubscribe contact={contact} /> : null}
            <Erase contact={contact} />
          </>
        ) : undefined
      }
    >
      <Shown answer={answer}>
        {(contact) => (
          <>
            <div className="columns halves">
              <Facts contact={contact} />
              <Topics contact={contact} />
            </div>
            {contact.email === null ? null : <Mails email={contact.email} />}
          </>
        )}
      </Shown>
    </Page>
  )
}

function Facts({ contact }: { contact: Contact }) {
  const { id, emailStatus, phone, company, jobTitle, externalId, createdAt, properties } = contact
  const facts: [string, string | null][] = [
    ['Phone', phone],
    ['Company', company],
    ['Job title', jobTitle],
    ['Your id', externalId],
    ['Added', moment(createdAt)],
    ...Object.entries(properties).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ]
  return (
    <Card title="Who it is">
      <dl className="facts">
        <dt>Email</dt>
        <dd>
          {emailStatus === null ? 'No address' : <Status list="contact" value={emailStatus} />}
        </dd>
        {facts
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name} className="fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        <dt>Id</dt>
        <dd>
          <Copy text={id} />
        </dd>
      </dl>
    </Card>
  )
}

function Topics({ contact: { topics = [] } }: { contact: Contact }) {
  const org = useOrganizationId()
  return (
    <Card title="Topics" isFlush>
      {topics.length === 0 ? (
        <Empty title="No topics">They subscribe to nothing in particular.</Empty>
      ) : (
        <Table
          caption="Topics of the contact"
          rows={topics}
          keyOf={({ topicId }) => topicId}
          columns={[
            {
              title: 'Topic',
              cell: ({ topicId, topicName }) => (
                <Link to="/$org/topics/$id" params={{ org, id: topicId }}>
                  {topicName}
                </Link>
              ),
            },
            {
              title: 'Status',
              cell: ({ status }) => <Status list="subscription" value={status} />,
            },
          ]}
        />
      )}
    </Card>
  )
}

function Mails({ email }: { email: string }) {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'logs', 'of', email],
    queryFn: () =>
      client.get('/v1/email/logs', { params: { query: { recipient: email, limit: 50 } } }),
  })
  return (
    <Card title="Mails" isFlush>
      <Shown answer={answer}>
        {({ logs }) =>
          logs.length === 0 ? (
            <Empty title="No mails yet">
              Every mail to this address stands here, with what became of it.
            </Empty>
          ) : (
            <Table
              caption="Mails to the contact, newest first"
              rows={logs}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Subject',
                  cell: ({ id, subject }) => (
                    <Link to="/$org/logs/$id" params={{ org, id }}>
                      {subject ?? 'Without a subject'}
                    </Link>
                  ),
                },
                { title: 'Status', cell: ({ status }) => <Status list="mail" value={status} /> },
                { title: 'Sent', cell: ({ sentAt }) => (sentAt === null ? '' : moment(sentAt)) },
              ]}
            />
          )
        }
      </Shown>
    </Card>
  )
}

function Unsubscribe({ contact: { id, email } }: { contact: Contact }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  return (
    <Confirm
      action="Unsubscribe them"
      label="Unsubscribe"
      title={`Unsubscribe ${email}?`}
      done={`${email} gets no more marketing mail`}
      run={async () => {
        await client.patch('/v1/contacts/{id}', {
          params: { path: { id } },
          body: { emailStatus: 'unsubscribed' },
        })
        await cache.invalidateQueries({ queryKey: [org, 'contacts'] })
      }}
    >
      <p>
        They get no batches and no mail of workflows any more, whatever a file or a program writes.
        Only they themselves, or you with their word, can take it back.
      </p>
    </Confirm>
  )
}

function Erase({ contact: { id, email, phone } }: { contact: Contact }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const who = email ?? phone ?? 'this contact'
  return (
    <Confirm
      look="danger"
      action={`Erase ${who}`}
      label="Erase"
      title={`Erase ${who} for good?`}
      done="Everything about them is being erased"
      run={async () => {
        await client.post('/v1/contacts/{id}/erase', { params: { path: { id } } })
        await cache.invalidateQueries({ queryKey: [org, 'contacts'] })
        await navigate({ to: '/$org/contacts', params: { org } })
      }}
    >
      <p>
        The contact goes, with their topics, events and runs, and the addresses and contents of
        their mails. Figures of batches stay. Nobody can bring it back.
      </p>
    </Confirm>
  )
}
