import { createWriteStream } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Log } from './children.ts'
import { runJob } from './job.ts'

interface DownloadOptions {
  service: string
  artifact: string
  version: string
  work: string
  log: Log
}

/** The service from which Temporal's SDKs download their test servers. */
export const DOWNLOAD_SERVICE = 'https://temporal.download'
/** Time to the first byte. Nobody should wait long where the service is blocked. */
const ANSWER_MS = 5_000
/** Longest silence between two pieces. */
const SILENCE_MS = 20_000

/**
 * Downloads a program as Temporal's SDKs do and returns its path. The caller checks its sum. Throws
 * if the service cannot be reached.
 */
export async function downloadArchive(options: DownloadOptions): Promise<string> {
  const { service, artifact, version, work, log } = options
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const query = `${service}/${artifact}/v${version}?arch=${arch}&platform=${platform}`
  try {
    const { archiveUrl, fileToExtract } = await describe(query)
    log(`downloading ${archiveUrl}`)
    const archive = join(work, basename(new URL(archiveUrl).pathname))
    await save(archiveUrl, archive)
    await runJob({
      title: `unpacking ${basename(archive)}`,
      command: 'tar',
      args: ['-xf', archive, '-C', work, fileToExtract],
      log: () => {},
    })
    return join(work, fileToExtract)
  } catch (error) {
    const { cause = error } = error instanceof Error ? error : {}
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${new URL(service).host} cannot be used (${reason}).`, {
      cause: error,
    })
  }
}

async function describe(query: string): Promise<{ archiveUrl: string; fileToExtract: string }> {
  const response = await fetch(query, { signal: AbortSignal.timeout(ANSWER_MS) })
  if (!response.ok) throw new Error(`it answers ${response.status}`)
  const answer = (await response.json()) as { archiveUrl?: unknown; fileToExtract?: unknown }
  const { archiveUrl, fileToExtract } = answer
  if (typeof archiveUrl === 'string' && typeof fileToExtract === 'string') {
    return { archiveUrl, fileToExtract }
  }
  throw new Error('its answer names no archive')
}

/** Streams to a file. Gives up after a long silence, but the whole may take any time. */
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
