import { isAccountNumber } from '../../domain/accounts/account-names.ts'
import type { ErrorDetail } from '../../domain/errors.ts'
import { nameOf } from '../../domain/flows/flow-check.ts'
import type { Definition, Step } from '../../domain/flows/flow.ts'
import { isMailing, withConfig } from '../../domain/flows/steps/index.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { resolveAccount } from '../accounts/resolve-sender.ts'

/**
 * The definition with the ids of connections where steps name an account by its number, so that a
 * second connection of that account changes nothing. Also returns what cannot be resolved.
 */
export async function namingAccounts(
  tx: Transaction,
  organizationId: Uuid,
  definition: Definition,
): Promise<{ definition: Definition; problems: ErrorDetail[] }> {
  const problems: ErrorDetail[] = []
  const steps: Step[] = []
  for (const [index, step] of definition.steps.entries()) {
    const cloudAccountId = isMailing(step) ? (step.config.cloudAccountId ?? '') : ''
    if (!isMailing(step) || !isAccountNumber(cloudAccountId)) {
      steps.push(step)
      continue
    }
    const found = await resolveAccount(tx, organizationId, { cloudAccountId })
    if ('id' in found) {
      steps.push(withConfig(step, { ...step.config, cloudAccountId: found.id }))
    } else {
      const path = `steps[${index}].config.cloudAccountId`
      const message = `${nameOf(step)}: config.cloudAccountId ${found.message}`
      problems.push({ path, message })
    }
  }
  return { definition: { ...definition, steps }, problems }
}
