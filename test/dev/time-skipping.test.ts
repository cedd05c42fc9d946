import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { freePort } from '../../src/main/dev/ports.ts'
import { writeTimeSkippingServer } from '../../src/main/dev/time-skipping.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { until } from '../support/engine.ts'
import { testFolder } from '../support/folders.ts'
import { type TimeSkipping, timeSkipping } from '../support/temporal.ts'
import type { longSleep } from '../support/workflows/long-sleep.ts'

const DAY_MS = 86_400_000
/** Starts the server, says its number, and goes on. */
const STARTER = `
const { pid } = require('node:child_process').spawn(process.argv[1], [process.argv[2]])
process.stdout.write(String(pid))
setInterval(() => {}, 1_000)`

let temporal: TimeSkipping
let worker: Worker
let running: Promise<void>

beforeAll(async () => {
  temporal = await timeSkipping()
  const path = new URL('../support/workflows/long-sleep.ts', import.meta.url)
  worker = await Worker.create({
    connection: temporal.native,
    taskQueue: temporal.taskQueue,
    workflowsPath: fileURLToPath(path),
  })
  running = worker.run()
})

afterAll(async () => {
  worker?.shutdown()
  await running
  await temporal?.close()
})

const start = (workflowId: string) =>
  temporal.client.workflow.start<typeof longSleep>('longSleep', {
    workflowId,
    taskQueue: temporal.taskQueue,
    args: ['30 days'],
  })

test('a workflow that sleeps for thirty days is done at once', async () => {
  const before = await temporal.now()
  const began = Date.now()
  expect(await temporal.result(await start('waited-for'))).toBe('slept 30 days')
  // In seconds, unless the machine is busy.
  expect(Date.now() - began).toBeLessThan(120_000)
  expect((await temporal.now()).getTime() - before.getTime()).toBeGreaterThanOrEqual(30 * DAY_MS)
})

test('time passes only as far as it is told to', async () => {
  const handle = await start('watched')
  await temporal.skip(29 * DAY_MS)
  expect((await handle.describe()).status.name).toBe('RUNNING')
  await temporal.skip(2 * DAY_MS)
  expect(await handle.result()).toBe('slept 30 days')
})

test('the server ends with the process that started it, also when that is killed', async () => {
  const folder = await testFolder('time-skipping')
  const cacheFolder = inject('cacheFolder')
  const path = await writeTimeSkippingServer({ cacheFolder, folder, log: () => {} })
  const port = String(await freePort())
  const starter = endWithUs(spawn(process.execPath, ['-e', STARTER, path, port]))
  const [told] = await once(starter.stdout, 'data')
  const runs = (): boolean => {
    try {
      return process.kill(Number(told), 0)
    } catch {
      return false
    }
  }
  expect(runs()).toBe(true)
  starter.kill('SIGKILL')
  await until(async () => (runs() ? undefined : true))
})
