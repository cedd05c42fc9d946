import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../client/index.ts'
import { useClient, useOrganizationId } from '../lib/session.tsx'

/** An address of a verified sender, which is a domain or an address. */
export const senderAddress = (identity: string): string =>
  identity.includes('@') ? identity : `news@${identity}`

/**
 * Domains and addresses that may be sent from. Undefined: the accounts have not answered yet. Null:
 * they could not be asked.
 */
export function useVerifiedSenders(
  isNeeded = true,
): Schemas['SendingIdentityListItem'][] | null | undefined {
  const client = useClient()
  const org = useOrganizationId()
  const { data, error } = useQuery({
    queryKey: [org, 'domains'],
    queryFn: () => client.get('/v1/domains'),
    enabled: isNeeded,
  })
  if (data === undefined) return error === null ? undefined : null
  return data.data.filter(({ verificationStatus }) => verificationStatus === 'SUCCESS')
}
