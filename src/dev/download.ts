import { createWriteStream } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Log } from './children.ts'
import { readSums, sha256 } from './checksums.ts'
import { runJob } from './job.ts'

interface Download {
  /** Address of the download service. */
  service: string
  /** As Temporal's download service calls it: `cli` or `temporal-test-server`. */
  artifact: string
  version: string
  /** Where the program is to be. */
  target: string
  /** Sums of programs that are known: `<artifact>-<version>-<platform>-<arch>`. */
  sums: string
  log: Log
}

/** Where the SDK itself downloads its test servers from. */
export const SERVICE = 'https://temporal.download'
/** To the first byte: where there is no way out, whoever waits should not do so for long. */
const ANSWER_MS = 5_000
/** Between two pieces. */
const SILENCE_MS = 20_000

/**
 * Fetches a program of Temporal's as the SDK does. Throws if the service cannot be reached, or if
 * the program is not the one the list of sums knows.
 */
export async function download(options: Download): Promise<void> {
  const { service, artifact, version, target, sums, log } = options
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const place = `${service}/${artifact}/v${version}?arch=${arch}&platform=${platform}`
  const { archiveUrl, fileToExtract } = await describe(place)
  log(`downloading ${archiveUrl}`)
  const work = `${target}.download`
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  try {
    const archive = join(work, basename(new URL(archiveUrl).pathname))
    await save(archiveUrl, archive)
    await runJob({
      title: `unpacking ${basename(archive)}`,
      command: 'tar',
      args: ['-xf', archive, '-C', work, fileToExtract],
      log: () => {},
    })
    const unpacked = join(work, fileToExtract)
    await check(unpacked, `${artifact}-${version}-${platform}-${arch}`, sums)
    await chmod(unpacked, 0o755)
    await mkdir(dirname(target), { recursive: true })
    await rename(unpacked, target)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function describe(place: string): Promise<{ archiveUrl: string; fileToExtract: string }> {
  const response = await fetch(place, { signal: AbortSignal.timeout(ANSWER_MS) })
  if (!response.ok) throw new Error(`${place} answers ${response.status}`)
  const said = (await response.json()) as { archiveUrl?: unknown; fileToExtract?: unknown }
  const { archiveUrl, fileToExtract } = said
  if (typeof archiveUrl === 'string' && typeof fileToExtract === 'string') {
    return { archiveUrl, fileToExtract }
  }
  throw new Error(`${place} answers something else than it used to`)
}

/** Streams to a file; gives up when nothing comes for a while, however long the whole may take. */
async function save(url: string, file: string): Promise<void> {
  const stop = new AbortController()
  const giveUp = (): void => stop.abort(new Error(`${url} has gone silent`))
  let timer = setTimeout(giveUp, ANSWER_MS)
  try {
    const { ok, status, body } = await fetch(url, { signal: stop.signal })
    if (!ok || body === null) throw new Error(`${url} answers ${status}`)
    const pieces = Readable.fromWeb(body)
    pieces.on('data', () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, SILENCE_MS)
    })
    await pipeline(pieces, createWriteStream(file))
  } finally {
    clearTimeout(timer)
  }
}

async function check(file: string, name: string, sums: string): Promise<void> {
  const expected = (await readSums(sums)).get(name)
  const is = await sha256(file)
  if (expected === undefined || expected === is) return
  throw new Error(`The download of ${name} is not the known one: ${is} instead of ${expected}`)
}
