import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from './children.ts'
import { findTimeSkippingServer } from './time-skipping-binary.ts'

export { findTimeSkippingServer }

interface Where {
  cacheFolder: string
  /** For the file. */
  folder: string
  log: Log
}

export interface TimeSkippingExecutable {
  /** As `TestWorkflowEnvironment` wants an existing executable: one path, no arguments. */
  path: string
  /** Holds the number of the process once it runs. */
  pidFile: string
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Writes a program that runs Temporal's time-skipping test server. Its clock jumps to the next
 * timer when nothing else is to be done, once it is told to; its time is one for all who use it.
 */
export async function writeTimeSkippingServer({
  cacheFolder,
  folder,
  log,
}: Where): Promise<TimeSkippingExecutable> {
  const { command, args } = await findTimeSkippingServer({ cacheFolder, log })
  const path = join(folder, 'time-skipping-server')
  const pidFile = `${path}.pid`
  const words = [command, ...args].map(quoted).join(' ')
  const script = `#!/bin/sh\necho $$ > ${quoted(pidFile)}\nexec ${words} "$@"\n`
  await writeFile(path, script, { mode: 0o755 })
  return { path, pidFile }
}
