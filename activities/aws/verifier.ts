import { PURPOSES, type Purpose } from '../../src/domain/accounts/aws-actions.ts'
import type { Check } from '../../src/domain/accounts/verification.ts'
import type { Verifier } from '../mailer.ts'
import { type Deadline, deadline, isDenied, permissionError } from './failures.ts'
import { acceptsConfigurationSet } from './configuration-set.ts'
import { PROBES, type AccountFacts } from './probes.ts'
import type { IamRole } from '../../src/domain/accounts/iam-role.ts'
import type { Roles } from './roles.ts'

const NOTHING_TOLD: Readonly<AccountFacts> = {
  maxSendRate: null,
  max24Hour: null,
  sentLast24Hours: null,
  pricingPlan: null,
  from: null,
}

/** Time limit of all probes. Unfinished ones count as unanswered. */
const WITHIN_MS = 8_000

/**
 * Verifies a connection: the role must be assumable with the external id and must be refused
 * without it (else anybody who learns the ARN could use our service against that account: the
 * confused deputy), and each permission is used once, by calls that change and send nothing.
 * Permissions of the queue are tried only if there is one.
 */
export function createVerifier(roles: Roles, withinMs = WITHIN_MS): Verifier {
  return {
    verify: async (iamRole) => {
      const end = deadline(withinMs)
      const accountFacts: AccountFacts = { ...NOTHING_TOLD }
      try {
        const [assumable, stranger] = await Promise.all([
          checkRole(roles, iamRole, end),
          checkExternalId(roles, iamRole, end),
        ])
        if (assumable.ok) roles.forgetRefusals(iamRole)
        const { eventQueueUrl: queueUrl } = iamRole
        const purposes = PURPOSES.filter(
          (purpose) => PROBES[purpose].length > 0 && (purpose !== 'queue' || queueUrl),
        )
        const trial = { roles, iamRole, queueUrl: queueUrl ?? '', end, accountFacts }
        const permissions = assumable.ok
          ? await Promise.all(purposes.map((purpose) => tryOut(purpose, trial)))
          : purposes.map(notTried)
        return { checks: [assumable, stranger, ...permissions.flat()], ...accountFacts }
      } finally {
        end.clear()
      }
    },
    acceptsConfigurationSet: (iamRole, mail) => acceptsConfigurationSet(roles, iamRole, mail),
  }
}

async function checkRole(roles: Roles, iamRole: IamRole, end: Deadline): Promise<Check> {
  try {
    await end.before(roles.assume(iamRole, 'read'))
    return { name: 'role', ok: true }
  } catch (error) {
    // AWS does not distinguish a missing role, a wrong trust and a wrong external id.
    const why = isDenied(error) ? 'role_refused' : (permissionError(error) ?? 'no_answer')
    return { name: 'role', ok: false, error: why }
  }
}

async function checkExternalId(roles: Roles, iamRole: IamRole, end: Deadline): Promise<Check> {
  const name = 'external_id'
  try {
    await end.before(roles.assume(iamRole, 'read', { withExternalId: false }))
    return { name, ok: false, error: 'external_id_not_required' }
  } catch (error) {
    if (isDenied(error)) return { name, ok: true }
    return { name, ok: false, error: permissionError(error) ?? 'no_answer' }
  }
}

interface Trial {
  roles: Roles
  iamRole: IamRole
  queueUrl: string
  end: Deadline
  accountFacts: AccountFacts
}

async function tryOut(
  purpose: Purpose,
  { roles, iamRole, queueUrl, end, accountFacts }: Trial,
): Promise<Check[]> {
  const assumed = roles.assume(iamRole, purpose)
  // Each probe sees its failure. Unobserved before the first one it would end the process.
  assumed.catch(() => {})
  const checks: Check[] = []
  for (const { action, run } of PROBES[purpose]) {
    const probing = async (): Promise<void> =>
      run({ iamRole, queueUrl, credentials: await assumed, signal: end.signal, accountFacts })
    const error = await end.before(probing()).then(() => undefined, permissionError)
    checks.push(error ? { name: action, ok: false, error } : { name: action, ok: true })
  }
  return checks.map((check) =>
    check.name === 'ses:GetAccount' && check.ok && !accountFacts.maxSendRate
      ? { name: check.name, ok: false, error: 'no_sending_rate' }
      : check,
  )
}

const notTried = (purpose: Purpose): Check[] =>
  PROBES[purpose].map(({ action }) => ({ name: action, ok: false, error: 'not_tried' }))
