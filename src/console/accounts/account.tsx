import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { ago } from '../lib/format.ts'
import { healthSentence } from '../lib/health-words.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Measures } from '../overview/health.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'
import { Status } from '../ui/status.tsx'
import { ConnectionMark } from './accounts.tsx'
import { Checks } from './checks.tsx'
import { EventQueue } from './event-queue.tsx'
import { Identities } from './identities.tsx'
import { SetupFile } from './setup-file.tsx'

const REFRESH_MS = 15_000

type Connection = Schemas['Connection']

/** One account: its setup until it is verified, then its senders and its health. */
export function Account() {
  const client = useClient()
  const org = useOrganizationId()
  const { id } = useParams({ from: '/$org/accounts/$id' })
  const answer = useQuery({
    queryKey: [org, 'connections'],
    queryFn: () => client.get('/v1/connections'),
    refetchInterval: useRefresh<Schemas['ConnectionList']>(REFRESH_MS),
  })
  const connection = answer.data?.connections.find((each) => each.id === id)
  return (
    <Page
      title={connection ? (connection.name ?? connection.accountId) : 'Account'}
      about={connection ? `AWS account ${connection.accountId} in ${connection.region}` : undefined}
      above={
        <Link to="/$org/accounts" params={{ org }}>
          Accounts
        </Link>
      }
      actions={connection ? <ConnectionMark connection={connection} /> : undefined}
    >
      <Shown answer={answer}>
        {() =>
          connection ? (
            <Parts connection={connection} />
          ) : (
            <Note tone="careful">
              <p>This account is not connected here, or not any more.</p>
            </Note>
          )
        }
      </Shown>
    </Page>
  )
}

function Parts({ connection }: { connection: Connection }) {
  const mayChange = useMay('full')
  const { isVerified, disconnectedAt, warnings } = connection
  if (disconnectedAt !== null) {
    return (
      <Note>
        <p>
          It was disconnected {ago(disconnectedAt)}. Connect it again under its number to go on with
          it.
        </p>
      </Note>
    )
  }
  return (
    <div className="stack">
      {isVerified
        ? warnings.map((warning) => (
            <Note key={warning} tone={warning === 'no_events' ? 'plain' : 'careful'}>
              <p>{healthSentence(warning)}</p>
            </Note>
          ))
        : null}
      {isVerified ? null : <SetupFile connection={connection} />}
      {isVerified ? <Identities connection={connection} /> : null}
      <div className="columns">
        <Checks connection={connection} />
        {isVerified ? <Health id={connection.id} /> : null}
      </div>
      {mayChange ? <EventQueue connection={connection} /> : null}
      {mayChange ? <Disconnect connection={connection} /> : null}
    </div>
  )
}

function Health({ id }: { id: string }) {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'health', id],
    queryFn: () =>
      client.get('/v1/account/health/{cloudAccountId}', {
        params: { path: { cloudAccountId: id } },
      }),
    refetchInterval: useRefresh<Schemas['AccountHealthRecord']>(REFRESH_MS),
  })
  return (
    <Card title="Health">
      <Shown answer={answer}>
        {(health) => (
          <div className="stack">
            <Status list="health" value={health.status} />
            {health.reasons.map((reason) => (
              <p key={reason}>{healthSentence(reason)}</p>
            ))}
            {health.sandbox === true ? (
              <p>
                AWS keeps the account in its sandbox: it mails verified addresses only. Ask for
                production access in the SES console.
              </p>
            ) : null}
            <Measures account={health} />
          </div>
        )}
      </Shown>
    </Card>
  )
}

function Disconnect({ connection: { id, accountId, name } }: { connection: Connection }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const navigate = useNavigate()
  return (
    <Card title="Disconnect">
      <div className="stack">
        <p className="soft">
          Batches that send through it stop, and nothing more leaves. What was sent stays in the
          logs. The role at AWS is yours to delete.
        </p>
        <div>
          <Confirm
            look="danger"
            action={`Disconnect ${name ?? accountId}`}
            title={`Disconnect ${name ?? accountId}?`}
            done="The account is disconnected"
            run={async () => {
              await client.delete('/v1/connections/{id}', { params: { path: { id } } })
              await cache.invalidateQueries({ queryKey: [org] })
              await navigate({ to: '/$org/accounts', params: { org } })
            }}
          >
            <p>
              Batches that send through it stop at once, and workflows cannot mail through it. You
              can connect it again; what stopped has to be resumed by hand.
            </p>
          </Confirm>
        </div>
      </div>
    </Card>
  )
}
