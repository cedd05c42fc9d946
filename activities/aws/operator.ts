import { SESv2Client } from '@aws-sdk/client-sesv2'
import type { Sessions } from './transport.ts'

/**
 * The operator's own credentials from the SDK's usual places (environment, shared files, the
 * machine's role), for mail through the operator's own account. The SDK caches and renews them.
 */
export function createOperatorSessions(): Sessions {
  const clients = new Map<string, SESv2Client>()
  return {
    credentials: async ({ region }) => {
      const client = clients.get(region) ?? new SESv2Client({ region })
      clients.set(region, client)
      return client.config.credentials()
    },
    forget: ({ region }) => {
      clients.get(region)?.destroy()
      clients.delete(region)
    },
  }
}
