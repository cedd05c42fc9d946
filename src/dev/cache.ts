import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Home {
  platform: NodeJS.Platform
  /** The person's home folder. */
  home: string
  /** `XDG_CACHE_HOME`, if set. */
  xdgCacheHome?: string | undefined
}

/**
 * Where tools that took minutes to build or fetch are kept: outside the checkout, so that a second
 * checkout and CI need not do it again.
 */
export function cacheFolder({ platform, home, xdgCacheHome }: Home): string {
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'letterloom')
  const caches = xdgCacheHome === undefined || xdgCacheHome === '' ? undefined : xdgCacheHome
  return join(caches ?? join(home, '.cache'), 'letterloom')
}

/** A folder under `tools/` of the checkout, also when we run compiled, from `dist`. */
export function toolFolder(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'tools', name))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error(`tools/${name} is missing from this installation`)
    folder = parent
  }
  return join(folder, 'tools', name)
}
