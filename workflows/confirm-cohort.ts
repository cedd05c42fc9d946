import { askForConfirmations } from './confirmation.ts'
import type { ConfirmCohortInput } from './contract.ts'

/**
 * The double opt-ins of a page of an import, about a thousand in one workflow, so that an import of
 * a hundred thousand people needs a hundred of them. A person who confirms or unsubscribes leaves
 * the cohort. The run ends early when nobody is left.
 */
export async function confirmCohort({ organizationId, cohort }: ConfirmCohortInput): Promise<void> {
  await askForConfirmations({ organizationId, which: { cohort } })
}
