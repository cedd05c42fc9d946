import { ApplicationFailure } from '@temporalio/activity'
import { RendererBusy } from '../src/mail/renderer.ts'

/** Before an activity that found no time to render is tried again. */
const BUSY_MS = 2_000

/** Asks for another try of the activity, in a while, where there was no time to render. */
export async function untilRendered<T>(render: () => Promise<T>): Promise<T> {
  try {
    return await render()
  } catch (error) {
    if (!(error instanceof RendererBusy)) throw error
    throw ApplicationFailure.create({
      message: error.message,
      type: 'RendererBusy',
      nextRetryDelay: BUSY_MS,
      category: 'BENIGN',
    })
  }
}
