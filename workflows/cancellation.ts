import { CancellationScope } from '@temporalio/workflow'

/** Ends a cancelled run before a step that would not notice the cancellation. */
export async function throwIfCancelled(): Promise<void> {
  const { consideredCancelled, cancelRequested } = CancellationScope.current()
  if (consideredCancelled) await cancelRequested
}
