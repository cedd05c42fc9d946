import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { dropSeen, SESSION_KEY, tellOtherTabs } from '../lib/queries.ts'
import { switchOrganization } from '../lib/session.tsx'

/** Goes to another organization of the person: with a new session, and nothing of what was seen. */
export function useSwitch(): (organizationId: string) => Promise<void> {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (organizationId) => {
    await switchOrganization(organizationId)
    dropSeen()
    await client.invalidateQueries({ queryKey: SESSION_KEY })
    tellOtherTabs()
    await navigate({ to: '/$org', params: { org: organizationId } })
  }
}
