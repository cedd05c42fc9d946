import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { wholeNumber } from './arguments.ts'
import { runUntilStopped, whenStopped } from '../programs/lifetime.ts'

const MOST_STOPPING_MS = 60_000
const MOST_MAILS = 1_000_000
const MOST_ROUNDS = 20
const MOST_LATENCY_MS = 5_000

interface Options {
  mails: number
  rounds: number
  latency: number[]
  events: boolean
  out: string
}

/** `bench`: measurements that anybody can repeat. `loadBench` loads what a checkout has only. */
export function addBenchCommands(
  program: Command,
  loadBench: () => Promise<typeof import('../dev/bench/send-bench.ts')>,
): void {
  program
    .command('bench')
    .description('measure this machine')
    .command('send')
    .description('measure batches beside a bare loop that sends the same mails to the same sink')
    .option('--mails <number>', 'recipients of each batch', wholeNumber(1, MOST_MAILS), 20_000)
    .option('--rounds <number>', 'rounds for each latency', wholeNumber(1, MOST_ROUNDS), 3)
    .option(
      '--latency <ms,…>',
      'how long the provider takes for an answer, comma-separated',
      latencies,
      [0, 170],
    )
    .option('--no-events', 'without delivery events')
    .option('--out <file>', 'where the raw results go', 'bench-send.json')
    .addHelpText(
      'after',
      `
It starts a system of its own, with one worker, and removes it afterwards. The provider is a light
sink: a process that accepts each mail, remembers the recipient and posts two delivery events. The
bare loop makes a body, signs it and posts it, on as many sockets as a worker has, and keeps no
record. A rate is that from the first accepted mail to the last. Compare ratios, not rates: all of
it shares one machine. It exits with 1 when somebody was left out or mailed twice.

Example: npm run build && node dist/src/main/cli.js bench send --mails 50000 --latency 0,170`,
    )
    .action(async ({ latency, ...options }: Options) => {
      const { runSendBench } = await loadBench()
      const config = readConfig()
      await runUntilStopped(MOST_STOPPING_MS, async (stopped) => {
        const bench = { ...options, latencies: latency }
        const isExact = await runSendBench(config, bench, whenStopped(stopped))
        process.exitCode = isExact ? 0 : 1
      })
    })
}

const latencies = (text: string): number[] => text.split(',').map(wholeNumber(0, MOST_LATENCY_MS))
