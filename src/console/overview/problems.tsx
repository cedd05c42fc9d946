import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../client/index.ts'
import { healthSentence } from '../lib/health-words.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { failedSentence, nameOf } from '../sending/batch-words.ts'
import { Note } from '../ui/states.tsx'

const REFRESH_MS = 15_000
const MOST_SHOWN = 5

/** What needs somebody, and nothing else: without problems there is nothing here. */
export function Problems() {
  const client = useClient()
  const org = useOrganizationId()
  const failed = useQuery({
    queryKey: [org, 'batches', 'failed'],
    queryFn: () =>
      client.get('/v1/batch', { params: { query: { status: 'failed', pageSize: MOST_SHOWN } } }),
    refetchInterval: useRefresh<Schemas['BatchList']>(REFRESH_MS),
  })
  const connected = useQuery({
    queryKey: [org, 'connections'],
    queryFn: () => client.get('/v1/connections'),
    refetchInterval: useRefresh<Schemas['ConnectionList']>(REFRESH_MS),
  })
  const batches = failed.data?.data ?? []
  const accounts = (connected.data?.connections ?? []).filter(
    ({ disconnectedAt, isVerified, warnings }) =>
      disconnectedAt === null &&
      (!isVerified || warnings.some((warning) => warning !== 'no_events')),
  )
  if (batches.length === 0 && accounts.length === 0) return null
  return (
    <section className="problems" aria-label="What needs you">
      {batches.map((batch) => (
        <Note key={batch.id} tone="bad">
          <strong>
            The batch{' '}
            <Link to="/$org/batches/$id" params={{ org, id: batch.id }}>
              {nameOf(batch)}
            </Link>{' '}
            stopped
          </strong>
          <p>{failedSentence(batch.failedReason)}</p>
        </Note>
      ))}
      {accounts.map(({ id, accountId, region, isVerified, warnings }) => (
        <Note key={id} tone="careful">
          <strong>
            {isVerified ? 'Look at the account' : 'Nothing can be sent yet through the account'}{' '}
            <Link to="/$org/accounts/$id" params={{ org, id }}>
              {accountId} {region}
            </Link>
          </strong>
          {isVerified ? (
            warnings.map((warning) => <p key={warning}>{healthSentence(warning)}</p>)
          ) : (
            <p>It is not verified yet: run its setup file at AWS, then have it checked again.</p>
          )}
        </Note>
      ))}
    </section>
  )
}
