import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../client/index.ts'
import { useRefresh } from '../lib/live.tsx'
import { useClient, useOrganizationId } from '../lib/session.tsx'
import { Button } from '../ui/button.tsx'

const REFRESH_MS = 10_000

interface NewMailsProps {
  query: object
  /** The first row that is shown. */
  newest: string | undefined
  show: () => unknown
}

/** Rows never jump while somebody reads them: a button says that there are newer ones. */
export function NewMails({ query, newest, show }: NewMailsProps) {
  const client = useClient()
  const org = useOrganizationId()
  const { data, refetch } = useQuery({
    queryKey: [org, 'logs', 'newest', query],
    queryFn: () => client.get('/v1/email/logs', { params: { query: { ...query, limit: 1 } } }),
    refetchInterval: useRefresh<Schemas['EmailLogList']>(REFRESH_MS),
  })
  const first = data?.logs[0]?.id
  const isNewer =
    first !== undefined && first !== newest && (newest === undefined || first > newest)
  return (
    <div role="status" className="new-mails">
      {isNewer ? (
        <Button
          onClick={() => {
            void show()
            void refetch()
          }}
        >
          Show new mails
        </Button>
      ) : null}
    </div>
  )
}
