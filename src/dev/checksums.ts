import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/** SHA-256 of a file, in hexadecimal. */
export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}

/** Name → sum, from a list as `sha256sum` writes it; lines that begin with # are comments. */
export async function readSums(file: string): Promise<Map<string, string>> {
  const sums = new Map<string, string>()
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const [, sum, name] = /^([0-9a-f]{64})\s+(\S+)$/.exec(line) ?? []
    if (sum !== undefined && name !== undefined) sums.set(name, sum)
  }
  return sums
}

const recordOf = (file: string): string => `${file}.sha256`

/** Remembers what a file is now, for `verify`. */
export async function record(file: string): Promise<void> {
  await writeFile(recordOf(file), await sha256(file))
}

/** Throws if the file is not what it was when it was recorded. */
export async function verify(file: string): Promise<void> {
  const expected = await readFile(recordOf(file), 'utf8').catch(() => undefined)
  if (expected !== undefined && expected === (await sha256(file))) return
  throw new Error(`${file} is not what was put there. Delete it, and it is fetched or built again`)
}
