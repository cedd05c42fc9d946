import { randomUUID } from 'node:crypto'
import {
  Client,
  Connection,
  type Workflow,
  type WorkflowHandle,
  type WorkflowResultType,
} from '@temporalio/client'
import {
  type InternalConnectionOptions,
  InternalConnectionOptionsSymbol,
} from '@temporalio/client/lib/connection.js'
import { NativeConnection } from '@temporalio/worker'
import { inject } from 'vitest'
import { freePort } from '../../src/dev/ports.ts'
import { addSearchAttributes } from '../../src/dev/search-attributes.ts'
import { startTimeSkippingServer } from '../../src/dev/time-skipping.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts'

export interface TestTemporal {
  client: Client
  connection: Connection
  /** For workers. */
  native: NativeConnection
  /** Of this test file only. */
  taskQueue: string
  close: () => Promise<void>
}

export interface TimeSkipping extends TestTemporal {
  /** Waits for a workflow's result while the clock jumps from timer to timer. */
  result: <T extends Workflow>(handle: WorkflowHandle<T>) => Promise<WorkflowResultType<T>>
  /** Lets that much time pass, and what is due in it happen. */
  skip: (ms: number) => Promise<void>
  /** The server's time. */
  now: () => Promise<Date>
}

/** The dev server that all test files share; real time. */
export const openTemporal = (): Promise<TestTemporal> => open(inject('temporalAddress'))

/** A server of this test file's own whose time can be skipped; its clock stands still otherwise. */
export async function timeSkipping(): Promise<TimeSkipping> {
  const server = await startTimeSkippingServer({
    cacheFolder: inject('cacheFolder'),
    port: await freePort(),
    log: () => {},
  })
  // As the SDK's own test environment does: without it the test service is not there.
  const withTestService = { [InternalConnectionOptionsSymbol]: { supportsTestService: true } }
  const opened = await open(server.address, withTestService)
  const { testService } = opened.connection
  if (testService === undefined) throw new Error('This Temporal server cannot skip time')
  await addSearchAttributes(opened.connection, 'default', SEARCH_ATTRIBUTES)
  return {
    ...opened,
    result: async (handle) => {
      await testService.unlockTimeSkipping({})
      try {
        return await handle.result()
      } finally {
        await testService.lockTimeSkipping({})
      }
    },
    skip: async (ms) => {
      const seconds = Math.floor(ms / 1_000)
      const nanos = (ms % 1_000) * 1_000_000
      await testService.unlockTimeSkippingWithSleep({
        duration: { seconds: seconds as never, nanos },
      })
    },
    now: async () => {
      const { time } = await testService.getCurrentTime({})
      return new Date(Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000)
    },
    close: async () => {
      await opened.close()
      await server.stop()
    },
  }
}

async function open(address: string, more: InternalConnectionOptions = {}): Promise<TestTemporal> {
  const connection = await Connection.connect({ ...more, address })
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
