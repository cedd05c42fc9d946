import { type Log, startChild } from './children.ts'
import { connectWhenReady } from './grpc-ready.ts'
import { requireFree } from './ports.ts'
import { findTimeSkippingServer } from './time-skipping-binary.ts'

export { findTimeSkippingServer }

interface TimeSkippingOptions {
  cacheFolder: string
  port: number
  log: Log
}

interface RunningTimeSkippingServer {
  address: string
  /** Of the server itself, for those who look at it from outside. */
  pid: number
  stop: () => Promise<void>
}

const FAREWELL = { signal: 'SIGTERM', graceMs: 2_000 } as const

/**
 * Starts a Temporal server whose clock jumps to the next timer when nothing else is to be done,
 * once it is told to (`unlockTimeSkipping`). It keeps everything in memory, and its time is one for
 * all: one server per test file.
 */
export async function startTimeSkippingServer({
  cacheFolder,
  port,
  log,
}: TimeSkippingOptions): Promise<RunningTimeSkippingServer> {
  const { command, args } = await findTimeSkippingServer({ cacheFolder, log })
  await requireFree(port)
  const child = await startChild({
    command,
    args: [...args, String(port)],
    farewell: FAREWELL,
    log,
  })
  try {
    const connection = await connectWhenReady(child, port, 'The time-skipping server')
    await connection.close()
  } catch (error) {
    await child.stop()
    throw error
  }
  return {
    address: `127.0.0.1:${port}`,
    pid: child.pid,
    stop: async () => {
      await child.stop()
    },
  }
}
