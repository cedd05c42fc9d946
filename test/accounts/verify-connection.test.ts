import { expect, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { CONTROL_QUEUE } from '../../workflows/contract.ts'
import { startSweepEngine } from '../support/sweep-engine.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Activity failed checkAccount Error: no answer$/)

/** Runs it once; answers the connections whose health was asked about. */
async function verify(checkAccount: () => Promise<'checked'>) {
  const checked: string[] = []
  const engine = await startSweepEngine({
    verifyConnection: async () => {},
    checkAccount: async ({ connectionId }) => {
      checked.push(connectionId)
      return checkAccount()
    },
  })
  const input = { organizationId: uuidv7(), connectionId: uuidv7() }
  try {
    await engine.client.workflow.execute('verifyConnection', {
      workflowId: `verify/${input.connectionId}`,
      taskQueue: CONTROL_QUEUE,
      args: [input],
    })
  } finally {
    await engine.stop()
  }
  return { checked, ...input }
}

it('a new connection need not wait an hour for its health', async () => {
  const { checked, connectionId } = await verify(async () => 'checked')
  expect(checked).toEqual([connectionId])
})

it('health that cannot be asked about is left to the sweep', async () => {
  const { checked } = await verify(() => Promise.reject(new Error('no answer')))
  expect(checked).toHaveLength(3)
})
