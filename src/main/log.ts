import { type Logger, pino } from 'pino'

/** Never in a log, whatever object it is part of: secrets, addresses, bodies. */
const SECRET = [
  'authorization',
  'password',
  'token',
  'key',
  'secret',
  'email',
  'recipient',
  'html',
  'text',
  'body',
]

/** JSON lines on standard error; standard output is for what a command answers. */
export const createLog = (level: string, name: string): Logger =>
  pino(
    {
      level,
      name,
      redact: {
        paths: SECRET.flatMap((each) => [each, `*.${each}`, `*.*.${each}`]),
        censor: '[redacted]',
      },
    },
    pino.destination({ dest: 2, sync: false }),
  )
