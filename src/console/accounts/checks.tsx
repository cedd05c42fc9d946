import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Schemas } from '../../client/index.ts'
import { ago } from '../lib/format.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useMay, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/page.tsx'
import { Note, Shown } from '../ui/states.tsx'
import { Mark } from '../ui/status.tsx'
import { checkName, cureOf } from './check-words.ts'

const REFRESH_MS = 5_000

type Verification = Schemas['ConnectionVerification']

/** While an account is set up it is looked at every five seconds; afterwards when somebody asks. */
export function Checks({ connection: { id, isVerified } }: { connection: Schemas['Connection'] }) {
  const client = useClient()
  const org = useOrganizationId()
  const cache = useQueryClient()
  const mayVerify = useMay('full')
  const refetchInterval = useRefresh<Verification>((data) =>
    data?.isVerified === true ? false : REFRESH_MS,
  )
  const answer = useQuery({
    queryKey: [org, 'verification', id],
    queryFn: () => client.post('/v1/connections/{id}/verify', { params: { path: { id } } }),
    enabled: mayVerify,
    refetchOnWindowFocus: false,
    refetchInterval,
  })
  const isNewlyVerified = answer.data?.isVerified === true && !isVerified
  useEffect(() => {
    if (isNewlyVerified) void cache.invalidateQueries({ queryKey: [org] })
  }, [isNewlyVerified, cache, org])
  return (
    <Card
      title="Checks"
      actions={
        mayVerify ? (
          <Button isBusy={answer.isFetching} onClick={() => void answer.refetch()}>
            Check again
          </Button>
        ) : undefined
      }
    >
      {mayVerify ? (
        <Shown answer={answer}>{(verification) => <CheckList verification={verification} />}</Shown>
      ) : (
        <Note>
          <p>Owners and admins see the checks.</p>
        </Note>
      )}
    </Card>
  )
}

function CheckList({ verification: { checks, checkedAt } }: { verification: Verification }) {
  return (
    <div className="stack">
      <ul className="checks" aria-live="polite">
        {checks.map((check) => (
          <li key={check.name}>
            <Mark tone={check.ok ? 'good' : check.error === 'not_tried' ? 'waiting' : 'careful'}>
              {checkName(check.name)}
            </Mark>
            {check.ok ? null : <p className="soft">{cureOf(check)}</p>}
          </li>
        ))}
      </ul>
      <p className="soft small">Looked at {ago(checkedAt)}.</p>
    </div>
  )
}
