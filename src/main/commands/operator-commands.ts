import type { Command } from 'commander'
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
}

/**
 * Adds the command that reports a restore. Workers notice one by themselves if Temporal has its
 * copy.
 */
function addRestoredCommand(program: Command): void {
  program
    .command('restored')
    .description(
      'after a restore of Postgres while Temporal has lost its data, too: no silence of delivery events proves anything about mails that were claimed before',
    )
    .addOption(jsonOption())
    .action((options: Output) =>
      act(options, async (sql) => {
        const { noteRestored } = await import('../../store/platform/ledger-beats.ts')
        return { restored: await noteRestored(sql) }
      }),
    )
}
