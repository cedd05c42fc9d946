import { askForConfirmations } from './confirmation.ts'
import type { ConfirmCohortInput } from './contract.ts'

/**
 * The double opt-ins of a page of an import, a thousand or so in one workflow: an import of a
 * hundred thousand people costs a hundred of them. A person who confirms or unsubscribes is no
 * longer in the cohort; it ends early when nobody is left.
 */
export async function confirmCohort({ organizationId, cohort }: ConfirmCohortInput): Promise<void> {
  await askForConfirmations({ organizationId, which: { cohort } })
}
