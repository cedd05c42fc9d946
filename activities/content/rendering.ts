import { ApplicationFailure, asyncLocalStorage } from '@temporalio/activity'
import { RendererBusy } from '../../src/mail/renderer.ts'

/**
 * First wait before an activity is retried because the renderer was busy. It grows with each try.
 */
const BUSY_MS = 2_000
const LONGEST_BUSY_MS = 30_000

/** Runs `render`. If the renderer is busy, the activity is retried later. */
export async function untilRendered<T>(render: () => Promise<T>): Promise<T> {
  try {
    return await render()
  } catch (error) {
    if (!(error instanceof RendererBusy)) throw error
    throw ApplicationFailure.create({
      message: error.message,
      type: 'RendererBusy',
      nextRetryDelay: Math.min(
        BUSY_MS * (asyncLocalStorage.getStore()?.info.attempt ?? 1),
        LONGEST_BUSY_MS,
      ),
      category: 'BENIGN',
    })
  }
}
