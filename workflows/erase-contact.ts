import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type { ControlActivities } from '../activities/index.ts'
import type { EraseContactInput } from './contract.ts'

const { beginErasure, eraseMails, eraseRecords, completeErasure } =
  proxyActivities<ControlActivities>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '200ms', maximumInterval: '30s' },
  })

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 600_000

/**
 * Erases the remaining data of a contact. The API has deleted the contact itself before this
 * starts.
 *
 * Owns nothing: the row of the erasure says what to erase, and erased data is not found again, so
 * that a lost worker costs nothing and every activity may run twice. A mail whose call may have
 * begun gets its outcome first, from its worker or from the claim reconciler. Until then the run
 * returns at growing intervals. It ends when nothing is found any more.
 */
export async function eraseContact(input: EraseContactInput): Promise<void> {
  if (!(await beginErasure(input))) return
  let waitMs = FIRST_WAIT_MS
  for (;;) {
    const { more } = await eraseMails(input)
    if (!more) {
      if ((await eraseRecords(input)) && (await completeErasure(input))) return
      await sleep(waitMs)
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof eraseContact>(input)
  }
}
