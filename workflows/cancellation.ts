import { CancellationScope } from '@temporalio/workflow'

/** Ends a run that was asked to end before it does what would not notice that. */
export async function throwIfCancelled(): Promise<void> {
  const { consideredCancelled, cancelRequested } = CancellationScope.current()
  if (consideredCancelled) await cancelRequested
}
