import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./bare-worker.ts', import.meta.url))
/** Of the product's worker: src/main/programs.ts and src/main/worker.ts. */
const HEAP = ['--max-old-space-size=192', '--max-semi-space-size=8']
const CACHED = 300

/** Runs `act` while a worker with the product's settings works: see bare-worker.ts. */
export async function withBareWorker<T>(
  address: string,
  taskQueue: string,
  act: () => Promise<T>,
): Promise<T> {
  const command = [...HEAP, '--import', 'tsx', PROGRAM, address, taskQueue, String(CACHED)]
  const worker = spawn(process.execPath, command, { stdio: 'inherit' })
  try {
    return await act()
  } finally {
    const ended = once(worker, 'exit')
    worker.kill('SIGTERM')
    await ended
  }
}
