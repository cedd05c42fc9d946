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
  destination: pino.DestinationStream = pino.destination({ dest: 2, sync: false }),
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
