#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander'
import { QUEUES } from '../../workflows/contract.ts'
import { type Config, readConfig } from '../config.ts'
import { wholeNumber } from './commands/arguments.ts'
import { addBenchCommands } from './commands/bench-commands.ts'
import { addDoctorCommand } from './commands/doctor/doctor-command.ts'
import { addFlowCommands } from './commands/flow-commands.ts'
import { fail, runUntilStopped } from './programs/lifetime.ts'
import { addMetricsCommands } from './commands/metrics-commands.ts'
import { addOperatorCommands } from './commands/operator-commands.ts'
import { addSegmentCommands } from './commands/segment-commands.ts'
import { addTemplateCommands } from './commands/template-commands.ts'
import { addToolCommands } from './commands/tool-commands.ts'
import { version } from './programs/version.ts'

// Each command loads what it needs: a worker without the API and the sandbox is 30 MB smaller.

type Queue = (typeof QUEUES)[number]

/**
 * Longest time until each program has stopped. DRAIN_SECONDS of the API are added. API and worker
 * have shorter limits for requests and activities under way.
 */
const MOST_STOPPING_MS = {
  system: 60_000,
  api: 28_000,
  smtp: 28_000,
  worker: 43_000,
  sandbox: 10_000,
}

const program = new Command('letterloom')
  .description('Self-hosted email marketing backend on your own AWS account')
  .version(version)
  .showHelpAfterError()

program
  .command('dev')
  .description(
    'run the whole system on this machine: Postgres, Temporal, provider sandbox, API, worker',
  )
  .option('--fresh', 'begin anew: delete the data that earlier starts have kept', false)
  .action(async (options: { fresh: boolean }) => {
    const { runDev } = await ofCheckout(import('./dev/dev.ts'))
    const config = readConfig()
    await runUntilStopped(MOST_STOPPING_MS.system, (stopped) => runDev(config, options, stopped))
  })

program
  .command('demo')
  .description(
    'run the main job once: import contacts, send a batch, receive its events, check the figures',
  )
  .option('--contacts <number>', 'how many contacts to mail', wholeNumber(1, 1_000_000), 5_000)
  .option(
    '--rate <number>',
    'mails a second the sandbox account allows',
    wholeNumber(1, 100_000),
    1_000,
  )
  .option(
    '--keep',
    'stay up afterwards, so that the inbox and the Temporal UI can be looked at',
    false,
  )
  .action(async (options: { contacts: number; rate: number; keep: boolean }) => {
    const { runDemo } = await ofCheckout(import('./dev/demo.ts'))
    const config = readConfig()
    await runUntilStopped(MOST_STOPPING_MS.system, async (stopped) => {
      process.exitCode = (await runDemo(config, options, stopped)) ? 0 : 1
    })
  })

program
  .command('api')
  .description('serve the API and the web console')
  .option('--no-console', 'leave the web console out')
  .action(async (options: { console: boolean }) => {
    const config = readConfig()
    const { runApi } = await import('./programs/api.ts')
    const log = await logOf(config, 'api')
    const mostMs = config.drainSeconds * 1_000 + MOST_STOPPING_MS.api
    await runUntilStopped(mostMs, (stopped) => runApi(config, log, { ...options, stopped }))
  })

program
  .command('smtp')
  .description('take mail by SMTP: each message is a single mail to each recipient')
  .action(async () => {
    const config = readConfig()
    const { runSmtp } = await import('./commands/smtp.ts')
    const log = await logOf(config, 'smtp')
    await runUntilStopped(MOST_STOPPING_MS.smtp, (stopped) => runSmtp(config, log, stopped))
  })

program
  .command('worker')
  .description('run Temporal workers and the loops beside them')
  .option('--queues <names>', `comma-separated: ${QUEUES.join(', ')}`, queueNames, [...QUEUES])
  .action(async ({ queues }: { queues: Queue[] }) => {
    const config = readConfig()
    const { runWorker } = await import('./programs/worker.ts')
    const log = await logOf(config, 'worker')
    await runUntilStopped(MOST_STOPPING_MS.worker, (stopped) =>
      runWorker(config, log, { queues, stopped }),
    )
  })

program
  .command('migrate')
  .description('bring the database to the newest schema and make the coming partitions')
  .action(async () => {
    const { runMigrate } = await import('./programs/migrate.ts')
    const ran = await runMigrate(readConfig())
    print(ran.length > 0 ? `Ran ${ran.join(', ')}` : 'The schema is up to date')
  })

program
  .command('sandbox')
  .description(
    'serve the provider sandbox: SES, STS, IAM and CloudWatch on loopback, for development',
  )
  .action(async () => {
    const config = readConfig()
    const { runSandbox } = await ofCheckout(import('./dev/sandbox.ts'))
    const log = await logOf(config, 'sandbox')
    await runUntilStopped(MOST_STOPPING_MS.sandbox, (stopped) => runSandbox(config, log, stopped))
  })

addDoctorCommand(program, QUEUES)
addOperatorCommands(program)
addMetricsCommands(program)
addFlowCommands(program)
addSegmentCommands(program)
addTemplateCommands(program)
addToolCommands(program)
addBenchCommands(program, () => ofCheckout(import('./dev/bench/send-bench.ts')))

// A child of `dev` ends with it, however it ends. At once: its last words are not read, and writing
// them to a closed pipe is what the log would try for ever.
if (process.connected) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  // The channel alone does not keep it running once its work is done.
  process.channel?.unref()
}

await program.parseAsync().catch(fail)

/** Runs a command of `main/dev`, which is not in the image and the package. */
async function ofCheckout<T>(module: Promise<T>): Promise<T> {
  return module.catch((error: unknown) => {
    const isLeftOut = ['Cannot find module', '/main/dev/'].every((each) =>
      String(error).includes(each),
    )
    if (!isLeftOut) throw error
    throw new Error(
      'This command runs from a checkout: it is not part of the image and the package.',
    )
  })
}

async function logOf({ logLevel }: Config, name: string) {
  const { createLog } = await import('./programs/log.ts')
  const log = createLog(logLevel, name)
  // Node would print it as it is; a log is scrubbed.
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'crashed')
    process.exit(1)
  })
  return log
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function queueNames(text: string): Queue[] {
  return text.split(',').map((name) => {
    const queue = QUEUES.find((queue) => queue === name.trim())
    if (!queue) throw new InvalidArgumentError(`Queues are ${QUEUES.join(', ')}.`)
    return queue
  })
}
