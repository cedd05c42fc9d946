import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** A file is not the expected one. Nothing may run or open it. */
export class ChecksumError extends Error {
  override name = 'ChecksumError'
}

export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}

/** Throws a `ChecksumError` that ends with `advice` if the file has another SHA-256. */
export async function requireSha256(file: string, expected: string, advice: string): Promise<void> {
  const actual = await sha256(file)
  if (actual === expected) return
  throw new ChecksumError(`${file} has the SHA-256 ${actual} instead of ${expected}. ${advice}`)
}
