import { existsSync, readFileSync } from 'node:fs'

/** Paths beside the sources, and one folder further up from the compiled code. */
const FILE = ['../../../package.json', '../../../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url))

/** Version of package.json, for `/health` and the image's tag. */
export const version: string = readVersion()

function readVersion(): string {
  if (!FILE) throw new Error('package.json is missing')
  const parsed: unknown = JSON.parse(readFileSync(FILE, 'utf8'))
  const packageVersion: unknown =
    typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'version') : undefined
  if (typeof packageVersion !== 'string') throw new Error('package.json has no version')
  return packageVersion
}
