import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { CONTROL_QUEUE, noticeWorkflowId } from '../../workflows/contract.ts'
import { until } from '../support/engine.ts'
import { startSweepEngine } from '../support/sweep-engine.ts'

let engine: Awaited<ReturnType<typeof startSweepEngine>>
const looks: Record<string, number> = {}
/** What the activity answers at its n-th look. */
let answer = (_look: number): { waitMs: number | null; told: number } => ({ waitMs: null, told: 0 })

beforeAll(async () => {
  engine = await startSweepEngine({
    sendNotice: async ({ noticeId }) => {
      looks[noticeId] = (looks[noticeId] ?? 0) + 1
      return answer(looks[noticeId])
    },
  })
})
afterAll(() => engine.stop())

function start() {
  const noticeId = uuidv7()
  const options = {
    workflowId: noticeWorkflowId(noticeId),
    taskQueue: CONTROL_QUEUE,
    args: [{ organizationId: uuidv7(), noticeId }],
  }
  return { noticeId, started: engine.client.workflow.start('sendNotice', options) }
}

it('comes back while there are owners to be told, and ends', async () => {
  answer = (look) => (look < 5 ? { waitMs: 1, told: 1 } : { waitMs: null, told: 0 })
  const { noticeId, started } = start()
  await (await started).result()
  expect(looks[noticeId]).toBe(5)
})

it('in vain it comes back ever more seldom, however short a wait it is told', async () => {
  answer = () => ({ waitMs: 1, told: 0 })
  const many = Array.from({ length: 20 }, start)
  const handles = await Promise.all(many.map(({ started }) => started))
  await sleep(6_000)
  const countLooks = () => many.map(({ noticeId }) => looks[noticeId] ?? 0)
  await until(async () => Math.min(...countLooks()) > 1)
  const counts = countLooks()
  await Promise.all(handles.map((handle) => handle.terminate()))
  // Half a second, one, two, four: at random up to that. Without it they would be hundreds.
  expect(counts.reduce((sum, count) => sum + count) / counts.length).toBeLessThan(20)
})
