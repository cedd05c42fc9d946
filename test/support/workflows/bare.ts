import { sleep } from '@temporalio/workflow'

/** Nothing at all. */
export async function endAtOnce(): Promise<void> {}

/** Nothing but a timer, till then: milliseconds since 1970. */
export async function sleepUntil(time: number): Promise<void> {
  await sleep(Math.max(1, time - Date.now()))
}
