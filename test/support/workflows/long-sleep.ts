import { sleep } from '@temporalio/workflow'

/** Sleeps for the given time and returns it. */
export async function longSleep(duration: `${number} days`): Promise<string> {
  await sleep(duration)
  return `slept ${duration}`
}
