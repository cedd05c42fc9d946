import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../client/index.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Copy } from '../ui/copy.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Note, Shown } from '../ui/states.tsx'
import { Mark } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { identityState, purposeName, recordState } from './check-words.ts'

const AWAITED_MS = 15_000

type Identity = Schemas['SendingIdentityListItem']

/** The addresses and domains that the account may send as. */
export function Identities({ connection: { id } }: { connection: Schemas['Connection'] }) {
  const client = useClient()
  const org = useOrganizationId()
  const [open, setOpen] = useState<string>()
  const answer = useQuery({
    queryKey: [org, 'domains', id],
    queryFn: () => client.get('/v1/domains', { params: { query: { cloudAccountId: id } } }),
    refetchInterval: useRefresh<Schemas['SendingIdentityList']>((list) =>
      list?.data.some(({ verificationStatus }) => verificationStatus !== 'SUCCESS')
        ? AWAITED_MS
        : false,
    ),
  })
  return (
    <Card title="Senders" isFlush>
      <Shown answer={answer}>
        {({ data, accounts }) =>
          accounts.some(({ reachable }) => !reachable) ? (
            <Note tone="careful">
              <p>AWS did not answer in time. Look again in a minute.</p>
            </Note>
          ) : data.length === 0 ? (
            <Empty title="No senders yet">
              Add a domain or an address in the SES console of the account, under “Identities”. It
              shows here with the records to set.
            </Empty>
          ) : (
            <Table
              caption="Senders of the account"
              rows={data}
              keyOf={({ identity }) => identity}
              columns={[
                {
                  title: 'Sender',
                  cell: ({ identity }) => (
                    <button
                      type="button"
                      className="link"
                      aria-expanded={open === identity}
                      onClick={() => setOpen(open === identity ? undefined : identity)}
                    >
                      {identity}
                    </button>
                  ),
                },
                { title: 'Kind', cell: kindOf, isExtra: true },
                { title: 'State', cell: (identity) => <IdentityMark identity={identity} /> },
              ]}
            />
          )
        }
      </Shown>
      {open === undefined ? null : <IdentityRecords identity={open} accountId={id} />}
    </Card>
  )
}

const kindOf = ({ identityType }: Identity): string =>
  identityType === 'EMAIL_ADDRESS' ? 'Address' : 'Domain'

function IdentityMark({ identity: { verificationStatus } }: { identity: Identity }) {
  const { tone, word } = identityState(verificationStatus)
  return <Mark tone={tone}>{word}</Mark>
}

function IdentityRecords({ identity, accountId }: { identity: string; accountId: string }) {
  const client = useClient()
  const org = useOrganizationId()
  const answer = useQuery({
    queryKey: [org, 'domains', accountId, identity],
    queryFn: () =>
      client.get('/v1/domains/{identity}', {
        params: { path: { identity }, query: { cloudAccountId: accountId } },
      }),
    refetchInterval: useRefresh<Schemas['SendingIdentity']>((domain) =>
      domain?.verifiedForSending === true ? false : AWAITED_MS,
    ),
  })
  return (
    <div className="identity">
      <h3>Records of {identity}</h3>
      <Shown answer={answer} rows={3}>
        {({ dnsRecords, verifiedForSending }) =>
          dnsRecords.length === 0 ? (
            <p className="soft">
              {verifiedForSending
                ? 'An address has no records of its own: those of its domain count.'
                : 'AWS mails the address a link. Whoever gets the mail follows it.'}
            </p>
          ) : (
            <>
              {verifiedForSending ? null : (
                <p className="soft">
                  AWS looks for the DKIM records by itself; after they are set it can take an hour.
                </p>
              )}
              <Table
                caption={`DNS records of ${identity}`}
                rows={dnsRecords}
                keyOf={({ type, name }) => `${type} ${name}`}
                columns={[
                  { title: 'For', cell: ({ purpose, type }) => `${purposeName(purpose)}, ${type}` },
                  { title: 'Name', cell: ({ name }) => <Copy text={name} /> },
                  { title: 'Value', cell: ({ value }) => <Copy text={value} /> },
                  {
                    title: 'We see',
                    cell: ({ state }) => {
                      const { tone, word } = recordState(state)
                      return <Mark tone={tone}>{word}</Mark>
                    },
                  },
                ]}
              />
            </>
          )
        }
      </Shown>
    </div>
  )
}
