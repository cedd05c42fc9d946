import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from './children.ts'
import { findTimeSkippingServer } from './temporal-programs.ts'

interface Where {
  cacheFolder: string
  folder: string
  log: Log
}

/** A program that `exec` runs has the number of this shell, `$$`. */
const END_WITH_PARENT = `parent=$PPID
(while kill -0 $$; do kill -0 "$parent" || kill -9 $$; sleep 1; done) >/dev/null 2>&1 &
`

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Writes a program that runs Temporal's time-skipping test server. Its clock jumps to the next
 * timer when nothing else is to be done, once it is told to; its time is one for all who use it.
 * Returns its path, which `TestWorkflowEnvironment` takes as an existing executable. The server
 * ends with the process that started it, however that ends: the SDK only ends it when it is asked.
 */
export async function writeTimeSkippingServer({
  cacheFolder,
  folder,
  log,
}: Where): Promise<string> {
  const program = quoted(await findTimeSkippingServer({ cacheFolder, log }))
  const path = join(folder, 'time-skipping-server')
  await writeFile(path, `#!/bin/sh\n${END_WITH_PARENT}exec ${program} "$@"\n`, { mode: 0o755 })
  return path
}
