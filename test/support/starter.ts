import { startChild } from '../../src/main/dev/children.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { startTemporal } from '../../src/main/dev/temporal.ts'

/**
 * A program that starts a server, prints one line of JSON and then idles, for tests that kill it
 * (support/starters.ts).
 */
const log = (line: string): void => void process.stderr.write(`${line}\n`)
const [kind, json = '{}'] = process.argv.slice(2)
const options = JSON.parse(json)

async function start(): Promise<unknown> {
  switch (kind) {
    case 'postgres':
      return startPostgres({ ...options, log })
    case 'temporal':
      return startTemporal({ ...options, log })
    case 'child': {
      const { pid } = await startChild({ ...options, log })
      return { pid }
    }
    default:
      throw new Error(`There is no starter for ${kind}`)
  }
}

process.stdout.write(`${JSON.stringify(await start())}\n`)
setInterval(() => {}, 60_000)
