import { sleep } from '@temporalio/workflow'

/** Ends at once. */
export async function endAtOnce(): Promise<void> {}

/** Sleeps until `time`, in milliseconds since 1970. */
export async function sleepUntil(time: number): Promise<void> {
  await sleep(Math.max(1, time - Date.now()))
}
