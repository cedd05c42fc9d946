import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  Connection,
  type Workflow,
  type WorkflowHandle,
  WorkflowNotFoundError,
  type WorkflowResultType,
} from '@temporalio/client'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import { NativeConnection } from '@temporalio/worker'
import { inject } from 'vitest'
import { addSearchAttributes } from '../../src/main/programs/search-attributes.ts'
import { writeTimeSkippingServer } from '../../src/main/dev/time-skipping.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts'
import './worker-log.ts'

export interface TestTemporal {
  client: Client
  connection: Connection
  /** Connection of workers. */
  native: NativeConnection
  /** Task queue of this test file. */
  taskQueue: string
  close: () => Promise<void>
}

export interface TimeSkipping extends TestTemporal {
  /** Waits for a workflow's result while the clock jumps from timer to timer. */
  result: <T extends Workflow>(handle: WorkflowHandle<T>) => Promise<WorkflowResultType<T>>
  /** Skips time and lets everything happen that is due. */
  skip: (ms: number) => Promise<void>
  /** The server's time. After a result it may be far ahead, at a time-out of the server's own. */
  now: () => Promise<Date>
  /**
   * Terminates a run once it waits for a timer, or lets it end. The server skips no time while a
   * worker has a task of a run, and a run that is terminated with such a task stops all later
   * skips.
   */
  terminate: (handle: WorkflowHandle) => Promise<void>
  /** Time at which a workflow ended. */
  closedAt: (handle: WorkflowHandle) => Promise<Date>
}

const START_TRIES = 40
const LOOK_MS = 25

/** The dev server that all test files share, in real time. */
export async function openTemporal(): Promise<TestTemporal> {
  const address = inject('temporalAddress')
  const connection = await Connection.connect({ address })
  const native = await NativeConnection.connect({ address })
  return {
    client: new Client({ connection }),
    connection,
    native,
    taskQueue: `test-${randomUUID()}`,
    close: async () => {
      await native.close()
      await connection.close()
    },
  }
}

/** A server of this test file whose time can be skipped. Otherwise its clock stands still. */
export async function timeSkipping(): Promise<TimeSkipping> {
  const folder = await mkdtemp(join(tmpdir(), 'letterloom-time-'))
  const cacheFolder = inject('cacheFolder')
  const path = await writeTimeSkippingServer({ cacheFolder, folder, log: () => {} })
  const environment = await patiently(() =>
    TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path } },
    }),
  )
  const { connection, nativeConnection: native } = environment
  const { testService } = connection
  if (testService === undefined) throw new Error('This Temporal server cannot skip time')
  await addSearchAttributes(connection, 'default', SEARCH_ATTRIBUTES)
  return {
    // Not the environment's own, whose clock moves whenever a result is waited for.
    client: new Client({ connection }),
    connection,
    native,
    taskQueue: `test-${randomUUID()}`,
    result: async (handle) => {
      await testService.unlockTimeSkipping({})
      try {
        return await handle.result()
      } finally {
        await testService.lockTimeSkipping({})
      }
    },
    skip: (ms) => environment.sleep(ms),
    now: async () => new Date(await environment.currentTimeMs()),
    terminate: async (handle) => {
      while (await isBusy(handle)) await sleep(LOOK_MS)
      await handle.terminate('the test has seen enough').catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      })
    },
    closedAt: async (handle) => {
      const { closeTime } = await handle.describe()
      if (!closeTime) throw new Error(`${handle.workflowId} has not ended`)
      return closeTime
    },
    close: async () => {
      await environment.teardown()
      await rm(folder, { recursive: true })
    },
  }
}

/** Returns whether a run has begun or continued and does not wait for a timer yet. */
async function isBusy(handle: WorkflowHandle): Promise<boolean> {
  const { status } = await handle.describe()
  if (status.name !== 'RUNNING') return false
  const { events } = await handle.fetchHistory()
  return !events?.at(-1)?.timerStartedEventAttributes
}

/** The SDK gives the server five seconds to start, which are too few on a busy machine. */
async function patiently<Made>(make: () => Promise<Made>): Promise<Made> {
  for (let tries = 1; ; tries++) {
    try {
      return await make()
    } catch (error) {
      if (tries === START_TRIES) throw error
    }
  }
}
