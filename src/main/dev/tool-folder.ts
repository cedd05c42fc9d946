import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns a folder under `tools/` of the checkout, also if we run from `dist`. */
export function toolFolder(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'tools', name))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error(`tools/${name} is missing from this installation`)
    folder = parent
  }
  return join(folder, 'tools', name)
}
