#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../config.ts'
import { connect } from '../store/sql.ts'
import { runApi } from './api.ts'
import { runDemo } from './demo.ts'
import { runDev } from './dev.ts'
import { createLog } from './log.ts'
import { runMigrate } from './migrate.ts'
import { createOrganization } from './organizations.ts'
import { required } from './required.ts'
import { runSandbox } from './sandbox.ts'
import { version } from './version.ts'
import { QUEUES, type Queue, runWorker } from './worker.ts'

const program = new Command('letterloom')
  .description('Self-hosted email marketing backend on your own AWS account')
  .version(version)
  .showHelpAfterError()

program
  .command('dev')
  .description(
    'run the whole system on this machine: Postgres, Temporal, provider sandbox, API, worker',
  )
  .action(() => runDev(readConfig()))

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
    process.exitCode = (await runDemo(readConfig(), options)) ? 0 : 1
  })

program
  .command('api')
  .description('serve the API')
  .action(() => {
    const config = readConfig()
    return runApi(config, createLog(config.logLevel, 'api'))
  })

program
  .command('worker')
  .description('run Temporal workers and the loops beside them')
  .option('--queues <names>', `comma-separated: ${QUEUES.join(', ')}`, queueNames, [...QUEUES])
  .action(({ queues }: { queues: Queue[] }) => {
    const config = readConfig()
    return runWorker(config, createLog(config.logLevel, 'worker'), queues)
  })

program
  .command('migrate')
  .description('bring the database to the newest schema and make the coming partitions')
  .action(async () => {
    const ran = await runMigrate(readConfig())
    print(ran.length > 0 ? `Ran ${ran.join(', ')}` : 'The schema is up to date')
  })

program
  .command('sandbox')
  .description(
    'serve the provider sandbox: SES, STS, IAM and CloudWatch on loopback, for development',
  )
  .action(() => {
    const config = readConfig()
    return runSandbox(config, createLog(config.logLevel, 'sandbox'))
  })

program
  .command('org')
  .description('organizations')
  .command('create')
  .description('make an organization, its owner and a first API key, which is shown only now')
  .requiredOption('--name <text>', 'name of the organization')
  .requiredOption('--owner-email <address>', "the owner's address")
  .option('--owner-name <text>', "the owner's name", 'Owner')
  .action(async (options: { name: string; ownerEmail: string; ownerName: string }) => {
    const sql = connect(required(readConfig().databaseUrl, 'DATABASE_URL'), {
      name: 'letterloom-org',
    })
    try {
      const { organizationId, key } = await createOrganization(sql, options)
      print(`organization ${organizationId}\napi key      ${key}`)
    } finally {
      await sql.end()
    }
  })

// A child of `dev` ends with it, however it ends.
if (process.connected) {
  process.once('disconnect', () => process.exit(1))
  // The channel alone does not keep it running once its work is done.
  process.channel?.unref()
}

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}

function queueNames(text: string): Queue[] {
  return text.split(',').map((name) => {
    const found = QUEUES.find((queue) => queue === name.trim())
    if (!found) throw new InvalidArgumentError(`Queues are ${QUEUES.join(', ')}.`)
    return found
  })
}
