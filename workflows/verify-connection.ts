import { isCancellation, proxyActivities } from '@temporalio/workflow'
import type { ControlActivities, HealthActivities } from '../activities/index.ts'
import { PROVIDER_QUEUE, type VerifyConnectionInput } from './contract.ts'

const activities = proxyActivities<ControlActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '30s', maximumAttempts: 10 },
})

const { checkAccount } = proxyActivities<HealthActivities>({
  taskQueue: PROVIDER_QUEUE,
  startToCloseTimeout: '45s',
  scheduleToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1s', maximumAttempts: 3 },
})

/**
 * Checks a connection after its registration: the role, the external id, the account's rate, and
 * then its sending health, which should not take an hour to be known. The next sweep repeats a
 * failed health check.
 */
export async function verifyConnection(input: VerifyConnectionInput): Promise<void> {
  await activities.verifyConnection(input)
  try {
    await checkAccount(input)
  } catch (error) {
    if (isCancellation(error)) throw error
  }
}
