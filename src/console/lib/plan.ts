import { useQuery } from '@tanstack/react-query'
import { useClient, useOrganizationId } from './session.tsx'

const FRESH_MS = 60_000

/** Whether the plan has segments. Undefined: it is not known yet. */
export function useHasSegments(): boolean | undefined {
  const client = useClient()
  const org = useOrganizationId()
  const { data } = useQuery({
    queryKey: [org, 'organization'],
    queryFn: () => client.get('/v1/organization'),
    staleTime: FRESH_MS,
  })
  return data && data.plan !== 'free'
}
