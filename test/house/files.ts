import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Every file that is or would be committed, relative to the root. */
export const trackedFiles = (): string[] =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
    .split('\0')
    // Deleted but not yet committed as such.
    .filter((path) => path !== '' && existsSync(join(root, path)))
