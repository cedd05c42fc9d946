import { GetAccountCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import type { Verification, Verifier } from '../mailer.ts'
import type { Role, Roles } from './roles.ts'

/**
 * Checks a connection: the role must be assumable with the external id and must be refused without
 * it (else anybody who learns the ARN could use our service against that account: the confused
 * deputy), and the account must tell its sending rate.
 */
export function createVerifier(roles: Roles): Verifier {
  return {
    verify: async (role) => {
      try {
        const credentials = await roles.assume(role, 'read')
        if (await assumableWithoutId(roles, role)) return refused('external_id_not_required')
        return await readRate(role, credentials)
      } catch (error) {
        const name = error instanceof Error ? error.name : 'Error'
        // Only a clear no is an answer; a network that is down says nothing about the role.
        if (name === 'AccessDenied' || name === 'AccessDeniedException')
          return refused('role_refused')
        throw error
      }
    },
  }
}

async function assumableWithoutId(roles: Roles, role: Role): Promise<boolean> {
  try {
    await roles.assume(role, 'read', false)
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'AccessDenied') return false
    throw error
  }
}

async function readRate(role: Role, credentials: Awaited<ReturnType<Roles['assume']>>) {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const client = new SESv2Client({
    region: role.region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
  })
  try {
    const account = await client.send(new GetAccountCommand({}))
    const { MaxSendRate: maxSendRate, Max24HourSend: max24Hour } = account.SendQuota ?? {}
    if (!maxSendRate) return refused('no_sending_rate')
    return { isVerified: true, error: null, maxSendRate, max24Hour: max24Hour ?? 0 }
  } finally {
    client.destroy()
  }
}

const refused = (error: string): Verification => ({
  isVerified: false,
  error,
  maxSendRate: null,
  max24Hour: null,
})
