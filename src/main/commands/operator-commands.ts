import { type Command, InvalidArgumentError } from 'commander'
import type { Sql } from '../../store/db/sql.ts'
import { act } from './act.ts'
import { addKeyCommands } from './key-commands.ts'
import { addOrganizationCommands } from './organization-commands.ts'
import { jsonOption, type Output } from './output.ts'
import { addUserCommands } from './user-commands.ts'

/** Adds `org`, `user` and `key`, with which an operator changes the database directly. */
export function addOperatorCommands(program: Command): void {
  addOrganizationCommands(program.command('org').description('organizations'))
  addUserCommands(program.command('user').description('people who log in'))
  addKeyCommands(program.command('key').description('API keys'))
  addRestoredCommand(program)
  addRestoreCheckCommand(program)
}

/**
 * Adds the command that reports a restore. Workers notice one by themselves if Temporal has its
 * copy, and refuse to start if the copy is of another database.
 */
function addRestoredCommand(program: Command): void {
  program
    .command('restored')
    .description(
      'after a restore of Postgres that workers cannot notice, since Temporal has lost its data, too, or for a database that takes the place of another: nothing is sent until restore-check has run',
    )
    .addOption(jsonOption())
    .action((options: Output) =>
      act(options, async (sql) => {
        const [beats, { markRestored }] = await Promise.all([
          import('../../store/platform/ledger-beats.ts'),
          import('../../core/delivery/restored.ts'),
        ])
        const { agoMs } = await beats.read(sql)
        const restoredAt = await beats.noteRestored(sql, agoMs)
        await beats.beginAnew(sql)
        await markRestored(sql)
        return { restored: restoredAt }
      }),
    )
}

/** Exit status while nothing is released. */
const HELD = 2

interface CheckOptions extends Output {
  until?: Date
  withoutEvents: boolean
  release?: string
}

/** After a restore nothing is sent until this has run. */
function addRestoreCheckCommand(program: Command): void {
  program
    .command('restore-check')
    .description(
      'after a restore of Postgres, while nothing is sent: says what may have been mailed and is not known any more, and lets mail leave again once delivery events were awaited for a day; exit status 2 while nothing is released',
    )
    .option('--until <time>', 'events are awaited until then, instead of for a day', isoTime)
    .option('--without-events', 'let mail leave although no event came', false)
    .option(
      '--release <batch id>',
      'resume a batch that the restore stopped: those who are not known to be mailed are mailed',
    )
    .addOption(jsonOption())
    .action((options: CheckOptions) =>
      act(options, async (sql) => {
        const { release, until, withoutEvents } = options
        if (release !== undefined) return releaseBatch(sql, release)
        const { checkRestore } = await import('../../core/delivery/restored.ts')
        const check = await checkRestore(sql, {
          ...(until === undefined ? {} : { until }),
          isWithoutEvents: withoutEvents,
          now: Date.now(),
        })
        if (check.outcome === 'waiting' || check.outcome === 'no_events') process.exitCode = HELD
        return check
      }),
    )
}

async function releaseBatch(sql: Sql, batchId: string): Promise<object> {
  const [{ resumeBatch }, { RESTORED }, { findStopped }, { transact }] = await Promise.all([
    import('../../core/batches/resume-batch.ts'),
    import('../../core/delivery/restored.ts'),
    import('../../store/delivery/restored.ts'),
    import('../../store/db/sql.ts'),
  ])
  const stopped = await findStopped(sql, { batchId, reason: RESTORED })
  if (!stopped) throw new Error('No restore has stopped a batch of this id')
  const resumed = await transact(sql, (tx) => resumeBatch(tx, stopped.organizationId, batchId))
  if (resumed?.outcome !== 'resumed') {
    throw new Error(`The batch cannot be resumed: ${resumed?.outcome ?? 'it has gone on'}`)
  }
  return { released: batchId }
}

function isoTime(text: string): Date {
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  throw new InvalidArgumentError('It must be a time, such as 2026-11-27T12:00:00Z.')
}
