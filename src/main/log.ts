import { type Logger, pino } from 'pino'
import { scrub } from '../domain/scrub.ts'

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

/** Characters; pino's stream writes at most 16,384 at once. */
const BUFFERED = 8_192
const FLUSH_EVERY_MS = 250

/**
 * Buffered: a write for each line was an eighth of the work of a request, and handing writes to
 * other threads a fifth. What is lost is the last quarter of a second before a kill -9.
 */
function standardError(): pino.DestinationStream {
  const stream = pino.destination({
    dest: 2,
    sync: true,
    minLength: BUFFERED,
    periodicFlush: FLUSH_EVERY_MS,
  })
  process.once('exit', () => stream.flush())
  // As SIGPIPE would: an orderly exit tries to write what is left, and never gives up.
  stream.on('error', () => process.kill(process.pid, 'SIGKILL'))
  return stream
}
