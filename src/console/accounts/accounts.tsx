import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Schemas } from '../../client/index.ts'
import { ago } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Card, Page } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Mark } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'

const REFRESH_MS = 30_000

type Connection = Schemas['Connection']

export function Accounts() {
  const client = useClient()
  const org = useOrganizationId()
  const mayConnect = useMay('full')
  const answer = useQuery({
    queryKey: [org, 'connections'],
    queryFn: () => client.get('/v1/connections'),
    refetchInterval: useRefresh<Schemas['ConnectionList']>(REFRESH_MS),
  })
  const connect = mayConnect ? (
    <ButtonLink
      look="primary"
      to="/$org/accounts/connect"
      params={{ org }}
      icon={<Plus aria-hidden="true" />}
    >
      Connect an account
    </ButtonLink>
  ) : undefined
  return (
    <Page
      title="Accounts"
      about="AWS accounts of yours that mail leaves through: an account is one AWS account in one region."
      actions={connect}
    >
      <Card isFlush>
        <Shown answer={answer}>
          {({ connections }) =>
            connections.length === 0 ? (
              <Empty title="No account is connected">
                Nothing can be sent without one. It takes an account number and two minutes at AWS.
              </Empty>
            ) : (
              <Table
                caption="Connected AWS accounts"
                rows={connections}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Account',
                    cell: ({ id, name, accountId }) => (
                      <Link to="/$org/accounts/$id" params={{ org, id }}>
                        {name ?? accountId}
                      </Link>
                    ),
                  },
                  { title: 'Number', cell: ({ accountId }) => accountId },
                  { title: 'Region', cell: ({ region }) => region },
                  {
                    title: 'State',
                    cell: (connection) => <ConnectionMark connection={connection} />,
                  },
                  { title: 'Delivery events', cell: eventsOf, isExtra: true },
                ]}
              />
            )
          }
        </Shown>
      </Card>
    </Page>
  )
}

export function ConnectionMark({ connection }: { connection: Connection }) {
  const { disconnectedAt, isVerified, warnings } = connection
  if (disconnectedAt !== null) return <Mark tone="gone">Disconnected</Mark>
  if (!isVerified) return <Mark tone="busy">To be set up</Mark>
  return warnings.some((warning) => warning !== 'no_events') ? (
    <Mark tone="careful">Verified, with warnings</Mark>
  ) : (
    <Mark tone="good">Verified</Mark>
  )
}

const eventsOf = ({ lastEventReceivedAt }: Connection): string =>
  lastEventReceivedAt === null ? 'None yet' : `Last ${ago(lastEventReceivedAt)}`
