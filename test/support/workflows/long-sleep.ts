import { sleep } from '@temporalio/workflow'

/** Sleeps as long as it is told; says what it was told. */
export async function longSleep(duration: `${number} days`): Promise<string> {
  await sleep(duration)
  return `slept ${duration}`
}
