import type { Command } from 'commander'
import { readConfig } from '../../config.ts'

/** Adds `segment`: how Postgres finds the members of a segment. */
export function addSegmentCommands(program: Command): void {
  program
    .command('segment')
    .description('segments')
    .command('explain <id-or-file>')
    .description(
      "print a segment's condition in words and the plan by which Postgres finds its members; a file holds a condition as JSON",
    )
    .option('--org <id>', 'the organization whose contacts are meant: needed with a file')
    .option('--run', 'run it, and print what it took', false)
    .action(async (idOrFile: string, options: ExplainOptions) => {
      const [{ connect }, { required }, { explainSegment }] = await Promise.all([
        import('../../store/db/sql.ts'),
        import('../programs/required.ts'),
        import('./segment-plan.ts'),
      ])
      // As the API asks: another role has other plans.
      const sql = connect(required(readConfig().databaseUrl, 'DATABASE_URL'), {
        name: 'letterloom-operator',
        role: 'letterloom_search',
        max: 1,
      })
      try {
        const lines = await explainSegment(sql, idOrFile, options)
        process.stdout.write(`${lines.join('\n')}\n`)
      } finally {
        await sql.end()
      }
    })
}

interface ExplainOptions {
  org?: string
  run: boolean
}
