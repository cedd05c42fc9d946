import { useQuery } from '@tanstack/react-query'
import { CircleDashed } from 'lucide-react'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'

const MOST_SHOWN = 3

/**
 * What a new organization does next, worked out from what there is: a step that is done is gone,
 * and so is all of this once a batch was made.
 */
export function NextSteps() {
  const client = useClient()
  const org = useOrganizationId()
  const maySetUp = useMay('full')
  const batches = useQuery({
    queryKey: [org, 'batches', 'any'],
    queryFn: () => client.get('/v1/batch', { params: { query: { pageSize: 1 } } }),
  })
  const isNew = batches.data?.data.length === 0
  const accounts = useQuery({
    queryKey: [org, 'connections'],
    queryFn: () => client.get('/v1/connections'),
    enabled: isNew,
  })
  const verified = (accounts.data?.connections ?? []).filter(
    ({ isVerified, disconnectedAt }) => isVerified && disconnectedAt === null,
  )
  const senders = useQuery({
    queryKey: [org, 'domains'],
    queryFn: () => client.get('/v1/domains'),
    enabled: isNew && verified.length > 0,
  })
  const contacts = useQuery({
    queryKey: [org, 'contacts', 'any'],
    queryFn: () => client.get('/v1/contacts', { params: { query: { pageSize: 1 } } }),
    enabled: isNew,
  })
  if (!isNew || !maySetUp || !accounts.data || !contacts.data) return null
  const [account] = verified
  const hasSender = senders.data?.data.some(
    ({ verificationStatus }) => verificationStatus === 'SUCCESS',
  )
  const steps = [
    ...(account
      ? []
      : [
          {
            name: 'Connect an AWS account',
            why: 'Mail leaves through it.',
            link: (
              <ButtonLink to="/$org/accounts/connect" params={{ org }}>
                Connect
              </ButtonLink>
            ),
          },
        ]),
    ...(account && senders.data && !hasSender
      ? [
          {
            name: 'Verify a sender',
            why: 'A domain or an address that mails come from.',
            link: (
              <ButtonLink to="/$org/accounts/$id" params={{ org, id: account.id }}>
                See what is missing
              </ButtonLink>
            ),
          },
        ]
      : []),
    ...(contacts.data.contacts.length === 0
      ? [
          {
            name: 'Add contacts',
            why: 'Drop a file, or add a few by hand.',
            link: (
              <ButtonLink to="/$org/contacts" params={{ org }}>
                Add contacts
              </ButtonLink>
            ),
          },
        ]
      : []),
    {
      name: 'Send the first batch',
      why: 'Nothing leaves before you have seen what, and to whom.',
      link: (
        <ButtonLink to="/$org/batches/new" params={{ org }}>
          Write it
        </ButtonLink>
      ),
    },
  ]
  return (
    <Card title="Next steps">
      <ol className="lines">
        {steps.slice(0, MOST_SHOWN).map(({ name, why, link }) => (
          <li key={name} className="row between">
            <div className="row">
              <CircleDashed aria-hidden="true" size={18} />
              <div>
                <strong>{name}</strong>
                <p className="soft">{why}</p>
              </div>
            </div>
            {link}
          </li>
        ))}
      </ol>
    </Card>
  )
}
