import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createTemporalClient } from '../../src/main/commands/temporal-client.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'

let temporal: TestTemporal
beforeAll(async () => {
  temporal = await openTemporal()
})
afterAll(() => temporal.close())

test.each([
  ['on', { priorityKey: 2, fairnessKey: 'organization' }],
  ['off', { priorityKey: 2, fairnessKey: '' }],
] as const)('with TEMPORAL_FAIRNESS=%s runs have %j', async (fairness, expected) => {
  const config = readConfig({ TEMPORAL_FAIRNESS: fairness })
  const { workflow } = createTemporalClient(config, temporal.connection)
  const options = () => ({
    workflowId: randomUUID(),
    taskQueue: temporal.taskQueue,
    priority: { priorityKey: 2, fairnessKey: 'organization' },
  })
  const runs = [
    await workflow.start('nobodyRunsIt', options()),
    await workflow.signalWithStart('nobodyRunsIt', { ...options(), signal: 'wake' }),
  ]
  for (const run of runs) {
    const { priority } = await run.describe()
    await run.terminate('looked at')
    expect(priority).toMatchObject(expected)
  }
})
