import { writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import { scrub } from '../../domain/privacy/scrub.ts'

/**
 * JSON lines on standard error, since standard output is for the answers of commands. All fields
 * and texts pass `scrub`. Errors come out of it as plain objects, so pino's serializers never see
 * them.
 */
export const createLog = (
  level: string,
  name: string,
  destination: pino.DestinationStream = standardError(),
): Logger =>
  pino(
    {
      level,
      name,
      serializers: { err: (error: unknown) => error },
      hooks: {
        logMethod([first, ...words], method) {
          const fields: unknown = scrub(first instanceof Error ? { err: first } : first)
          Reflect.apply(method, this, [fields, ...words.map(scrub)])
        },
      },
    },
    destination,
  )

const HELD = 8_192
const FLUSH_EVERY_MS = 250
/** Wait for a slow reader of a pipe before the rest is written. */
const PAUSE_MS = 10

/**
 * Holds lines back and writes them in sets, in this thread: a write for each line was an eighth of
 * the work of a request, and other threads a fifth. A kill -9 loses the last quarter of a second.
 * Not pino's own stream, since it counts the bytes of each line, which costs more than all its
 * other work.
 */
function standardError(): pino.DestinationStream {
  let heldText = ''
  const flush = (): void => {
    const bytes = Buffer.from(heldText)
    heldText = ''
    for (let writtenBytes = 0; writtenBytes < bytes.length; )
      writtenBytes += writeSome(bytes, writtenBytes)
  }
  setInterval(flush, FLUSH_EVERY_MS).unref()
  process.once('exit', flush)
  return {
    write: (line) => {
      heldText += line
      if (heldText.length >= HELD) flush()
    },
  }
}

const STANDARD_ERROR = 2
const sleeper = new Int32Array(new SharedArrayBuffer(4))

function writeSome(bytes: Buffer, from: number): number {
  try {
    return writeSync(STANDARD_ERROR, bytes, from)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EAGAIN') {
      Atomics.wait(sleeper, 0, 0, PAUSE_MS)
      return 0
    }
    // A full disk costs lines, not the service.
    if (code === 'ENOSPC') return bytes.length
    // As SIGPIPE would: an orderly exit tries to write what is left, and never gives up.
    process.kill(process.pid, 'SIGKILL')
    return bytes.length
  }
}
