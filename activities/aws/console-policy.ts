import { GetRolePolicyCommand, IAMClient } from '@aws-sdk/client-iam'
import { CONSOLE_POLICY } from '../../src/domain/accounts/aws-actions.ts'
import { versionOf } from '../../src/domain/accounts/console-policy.ts'
import { type IamRole, iamRegion, roleName } from '../../src/domain/accounts/iam-role.ts'
import type { ConsolePolicies } from '../provider.ts'
import { ask } from './asking.ts'
import type { Roles } from './roles.ts'
import type { Credentials } from './signature.ts'
import { signedWith } from './signed-with.ts'

/**
 * Errors of a role without the policy, or with a policy from before it could be read. Neither has a
 * version.
 */
const VERSIONLESS = ['NoSuchEntity', 'NoSuchEntityException', 'AccessDenied']

/**
 * Reads the version of the console policy with IAM GetRolePolicy, as the role itself, which its
 * policy allows. One attempt, so that throttling is not made worse.
 */
export function createConsolePolicies(roles: Roles): ConsolePolicies {
  return {
    version: async (iamRole, signal) => {
      const answer = await ask({
        roles,
        iamRole,
        purpose: 'policy',
        signal,
        tries: 1,

        call: (credentials) => readVersion(iamRole, credentials, signal),
      })
      // The next caller has fixed the role meanwhile, so the refusal is not cached.
      if (answer.kind === 'denied') roles.forget(iamRole, 'policy')
      return answer
    },
  }
}

async function readVersion(
  { region, externalId }: IamRole,
  credentials: Credentials,
  abortSignal: AbortSignal,
): Promise<number | null> {
  const client = new IAMClient({
    region: iamRegion(region),
    ...signedWith(credentials),
    maxAttempts: 1,
  })
  const names = { RoleName: roleName(externalId), PolicyName: CONSOLE_POLICY }
  try {
    const { PolicyDocument: document } = await client.send(new GetRolePolicyCommand(names), {
      abortSignal,
    })
    // URL-encoded, RFC 3986 (IAM API reference, GetRolePolicy).
    return versionOf(decodeURIComponent(document ?? ''))
  } catch (error) {
    if (error instanceof URIError) return null
    if (error instanceof Error && VERSIONLESS.includes(error.name)) return null
    throw error
  } finally {
    client.destroy()
  }
}
