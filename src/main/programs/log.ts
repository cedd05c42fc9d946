import { writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import { scrub } from '../../domain/privacy/scrub.ts'

/**
 * JSON lines on standard error; standard output is for what a command answers. Whatever is logged
 * passes `scrub`, fields and words alike; errors come out of it as plain objects, so none of pino's
 * serializers sees them.
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

/** Characters. */
const HELD = 8_192
const FLUSH_EVERY_MS = 250
/** The reader of a pipe may be slow: how long to wait before the rest is written. */
const PAUSE_MS = 10

/**
 * Held back, and written in sets by this thread: a write for each line was an eighth of the work of
 * a request, and handing writes to other threads a fifth. What is lost is the last quarter of a
 * second before a kill -9. Not pino's own stream: it counts the bytes of each line, which costs
 * more than all else it does.
 */
function standardError(): pino.DestinationStream {
  let held = ''
  const flush = (): void => {
    const bytes = Buffer.from(held)
    held = ''
    for (let written = 0; written < bytes.length; ) written += writeSome(bytes, written)
  }
  setInterval(flush, FLUSH_EVERY_MS).unref()
  process.once('exit', flush)
  return {
    write: (line) => {
      held += line
      if (held.length >= HELD) flush()
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
