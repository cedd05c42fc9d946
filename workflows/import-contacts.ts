import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { ImportActivities } from '../activities/index.ts'
import { IMPORT_QUEUE, type ImportContactsInput } from './contract.ts'

const SHORT = {
  taskQueue: IMPORT_QUEUE,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
} as const
const { beginImport, failImport } = proxyActivities<ImportActivities>(SHORT)
/**
 * Pages are committed separately, so another worker continues soon after a lost one, however many
 * were lost before. With growing waits of up to half a minute an import stood still between two
 * kills.
 */
const { importPages } = proxyActivities<ImportActivities>({
  ...SHORT,
  heartbeatTimeout: '5s',
  retry: { initialInterval: '200ms', maximumInterval: '1s' },
})

/**
 * Writes a received file of contacts page by page.
 *
 * Owns nothing: the pages, the position and the figures are in Postgres. It ends when the import is
 * completed or cancelled there. Cancelled in the Temporal UI instead of by the API's DELETE, it
 * leaves the import failed.
 */
export async function importContacts(input: ImportContactsInput): Promise<void> {
  try {
    const status = await beginImport(input)
    upsertSearchAttributes({ AppStatus: [status ?? 'gone'] })
    if (status !== 'running') return
    while (!(await importPages(input))) {
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof importContacts>(input)
    }
    upsertSearchAttributes({ AppStatus: [(await beginImport(input)) ?? 'gone'] })
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => failImport(input, 'stopped_by_operator'))
    }
    throw error
  }
}
