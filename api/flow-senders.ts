import { badRequest, type ErrorDetail } from '../src/domain/errors.ts'
import { nameOf } from '../src/domain/flow-check.ts'
import type { Definition, Step } from '../src/domain/flow.ts'
import type { Uuid } from '../src/ids.ts'
import type { Warning } from '../src/schemas/common.ts'
import type { FlowStep } from '../src/schemas/flow-steps.ts'
import type { Executor } from '../src/store/sql.ts'
import { nameAccount } from './named-account.ts'
import {
  type CheckedSenders,
  notChecked,
  notVerified,
  type Sender,
  SENDER_NOT_VERIFIED,
} from './sender-check.ts'

/**
 * From whom the mails of steps are, each with the place of its step. Left out are those without an
 * account: what a flow lacks is said elsewhere.
 */
export async function sendersOfSteps(
  sql: Executor,
  organizationId: Uuid,
  steps: readonly (Step | FlowStep)[],
): Promise<(Sender & { index: number })[]> {
  const accounts = new Map<string | undefined, Uuid | undefined>()
  const senders: (Sender & { index: number })[] = []
  for (const [index, step] of steps.entries()) {
    if (step.type !== 'send_email' || step.config.from === undefined) continue
    const { from, cloudAccountId } = step.config
    if (!accounts.has(cloudAccountId)) {
      const account = await nameAccount(sql, organizationId, cloudAccountId)
      accounts.set(cloudAccountId, account?.disconnectedAt === null ? account.id : undefined)
    }
    const connectionId = accounts.get(cloudAccountId)
    if (connectionId !== undefined) senders.push({ connectionId, address: from.trim(), index })
  }
  return senders
}

/**
 * Refuses to let a flow run that mails from a sender which is not verified: a 400 that names the
 * step. Returns warnings about senders of which nothing is known.
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
    const path = `steps.${index}.config.from`
    const step = steps[index]
    const standing = checked.standing(sender)
    if (standing === 'not_known') warnings.push(notChecked(path, sender.address))
    if (standing === 'not_verified' && step !== undefined) {
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
