import { type Command, InvalidArgumentError } from 'commander'
import { isUuid } from '../../runtime/ids.ts'
import { act } from './act.ts'
import { jsonOption, type Output } from './output.ts'

export function addMetricsCommands(program: Command): void {
  program
    .command('metrics')
    .description('email metrics')
    .command('rebuild')
    .description(
      'count the figures again from the logs and correct those that differ; safe while mail is sent',
    )
    .option('--organization <id>', 'only those of one organization', id)
    .addOption(jsonOption())
    .action((options: { organization?: string } & Output) =>
      act(options, async (sql) => {
        const { rebuildFigures } = await import('../../core/metrics/rebuild-figures.ts')
        return rebuildFigures(sql, options.organization)
      }),
    )
}

function id(text: string): string {
  if (isUuid(text)) return text
  throw new InvalidArgumentError('It must be the id of an organization.')
}
