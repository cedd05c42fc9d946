import { badRequest, type ErrorDetail } from '../../domain/errors.ts'
import { nameOf } from '../../domain/flows/flow-check.ts'
import type { Definition, Step } from '../../domain/flows/flow.ts'
import { isMailing, withConfig } from '../../domain/flows/steps/index.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Warning } from '../../schemas/common.ts'
import type { FlowStep } from '../../schemas/flows/flow-steps.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { rememberAccounts, resolveAccount, resolveSender } from '../accounts/resolve-sender.ts'
import {
  type CheckedSenders,
  notChecked,
  notVerified,
  type Sender,
  SENDER_NOT_VERIFIED,
} from '../accounts/sender-check.ts'
import { isAccountNumber } from '../../domain/accounts/account-names.ts'

/**
 * Returns the senders of the steps' mails with the indexes of their steps. Steps without an account
 * are left out: `requireRunnable` reports them.
 */
export async function sendersOfSteps(
  sql: Executor,
  organizationId: Uuid,
  steps: readonly (Step | FlowStep)[],
): Promise<(Sender & { index: number })[]> {
  const accountOf = rememberAccounts()
  const senders: (Sender & { index: number })[] = []
  for (const [index, step] of steps.entries()) {
    if (!isMailing(step)) continue
    const sender = await resolveSender(sql, organizationId, step.config, accountOf)
    if ('problem' in sender) continue
    senders.push({ connectionId: sender.connectionId, address: sender.address, index })
  }
  return senders
}

/**
 * Throws a 400 that names the step if a sender is not verified: such a flow cannot run. Returns
 * warnings about senders whose accounts did not answer.
 */
export async function requireSenders(
  sql: Executor,
  organizationId: Uuid,
  { steps }: Definition,
  checked: CheckedSenders,
): Promise<Warning[]> {
  const problems: ErrorDetail[] = []
  const warnings: Warning[] = []
  for (const { index, ...sender } of await sendersOfSteps(sql, organizationId, steps)) {
    const path = `steps[${index}].config.from`
    const step = steps[index]
    const state = checked.stateOf(sender)
    if (state === 'not_known') warnings.push(notChecked(path, sender.address))
    if (state === 'not_verified' && step !== undefined) {
      const message = `${nameOf(step)}: config.from ${notVerified(sender.address)}`
      problems.push({ path, message })
    }
  }
  const [first] = problems
  if (first) {
    throw badRequest(`The workflow cannot run: ${first.message}`, problems, SENDER_NOT_VERIFIED)
  }
  return warnings
}

/**
 * Returns the definition with connection ids where steps name an account by its number, so that a
 * second connection of that account changes nothing. Also returns names that cannot be resolved.
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
    const account = await resolveAccount(tx, organizationId, { cloudAccountId })
    if ('id' in account) {
      steps.push(withConfig(step, { ...step.config, cloudAccountId: account.id }))
    } else {
      const path = `steps[${index}].config.cloudAccountId`
      const message = `${nameOf(step)}: config.cloudAccountId ${account.message}`
      problems.push({ path, message })
    }
  }
  return { definition: { ...definition, steps }, problems }
}
