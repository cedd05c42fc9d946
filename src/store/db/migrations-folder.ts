import { existsSync } from 'node:fs'

/** Beside the sources, or one folder further up from the compiled code. */
const FOLDER = ['../../../migrations/', '../../../../migrations/']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url))

export function migrationsFolder(): URL {
  if (!FOLDER) throw new Error('the folder of the migrations is missing')
  return FOLDER
}
