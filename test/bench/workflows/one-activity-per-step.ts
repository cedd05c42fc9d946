import { proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../../../activities/index.ts'
import type { RunFlowInput } from '../../../workflows/contract.ts'

export { runFlow } from '../../../workflows/run-flow.ts'

/** As cheap as activities are: without heartbeats. */
interface PlainActivities extends Pick<ControlActivities, 'beginExecution'> {
  plainStep: ControlActivities['runStep']
}
const { beginExecution, plainStep } = proxyActivities<PlainActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

/** What `runFlow` would be with an activity for each step: the same steps, the same SQL. */
export async function oneActivityPerStep(input: RunFlowInput): Promise<void> {
  const { fence, move: first } = await beginExecution(input)
  let move = first
  while (move.do === 'step') {
    move = await plainStep({ ...input, fence, stepId: move.stepId, visit: move.visit })
  }
}
