import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that anybody may enter. Its maker removes it. */
export async function makeFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `letterloom-${name}-`))
  await chmod(folder, 0o755)
  return folder
}

export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true })

/** A folder for one test. */
export async function testFolder(name: string): Promise<string> {
  const folder = await makeFolder(name)
  onTestFinished(() => removeFolder(folder))
  return folder
}
