import { proxyActivities } from '@temporalio/workflow'
import type { ControlActivities } from '../activities/index.ts'
import type { VerifyConnectionInput } from './contract.ts'

const activities = proxyActivities<ControlActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '30s', maximumAttempts: 10 },
})

/** Checks a connection after it was registered: the role, the external id, the account's rate. */
export async function verifyConnection(input: VerifyConnectionInput): Promise<void> {
  await activities.verifyConnection(input)
}
