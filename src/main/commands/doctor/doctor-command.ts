import { Command } from 'commander'
import type { Config } from '../../../config.ts'
import { jsonOption, type Output, print } from '../output.ts'
import { examined, type Finding, ok, problem } from './finding.ts'

interface Options extends Output {
  account?: string
}

const LONGEST_STATEMENT_MS = 20_000
const REACH_AWS = 'Look at the network of this machine, and at AWS_ENDPOINT_URL if it is set.'

/** `doctor` looks at settings, Postgres, Temporal and AWS, and says what to do. */
export function addDoctorCommand(program: Command, queues: readonly string[]): void {
  program
    .command('doctor')
    .description(
      'look at settings, Postgres, Temporal and AWS, and say what is wrong; exit status 1 if something is',
    )
    .option('--account <connection id>', 'try out a connected AWS account: sends to its simulator')
    .addOption(jsonOption())
    .action(async ({ account, json }: Options) => {
      const findings = await examine(queues, account)
      print(json ? findings : rowsOf(findings), json)
      if (findings.some(({ isOk }) => !isOk)) process.exitCode = 1
    })
}

const rowsOf = (findings: readonly Finding[]) =>
  findings.map(({ check, isOk, found, remedy }) => ({
    state: isOk ? 'ok' : 'PROBLEM',
    check,
    found: remedy === '' ? found : `${found} ${remedy}`,
  }))

async function examine(queues: readonly string[], account?: string): Promise<Finding[]> {
  const { readConfig } = await import('../../../config.ts')
  const { checkedKeyring } = await import('../../programs/keys.ts')
  let config: Config
  try {
    config = readConfig()
    checkedKeyring(config)
  } catch (error) {
    const problems = error instanceof Error ? error.message : String(error)
    const remedy = 'See docs/configuration.md.'
    return problems
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.endsWith(':'))
      .map((line) => problem('settings', `${line}.`, remedy))
  }
  const { databaseUrl } = config
  if (databaseUrl === undefined) {
    return [problem('settings', 'DATABASE_URL is not set.', 'See docs/configuration.md.')]
  }
  const [{ connect }, { examinePostgres }, { examineTemporal }] = await Promise.all([
    import('../../../store/db/sql.ts'),
    import('./postgres.ts'),
    import('./temporal.ts'),
  ])
  const sql = connect(databaseUrl, {
    name: 'letterloom-doctor',
    role: 'letterloom_worker',
    max: 4,
    statementTimeoutMs: LONGEST_STATEMENT_MS,
  })
  try {
    const findings = await Promise.all([
      examinePostgres(sql, databaseUrl),
      examineTemporal(config, queues, sql),
      examined('aws', REACH_AWS, async () => {
        const { examineAws } = await import('./aws.ts')
        return examineAws(config.notices.region)
      }),
      account === undefined
        ? []
        : examined('account', 'Look at the AWS credentials of this machine.', async () => {
            const { examineAccount } = await import('./account.ts')
            return examineAccount(sql, config, account)
          }),
    ])
    return [ok('settings', 'The settings can be used.'), ...findings.flat()]
  } finally {
    await sql.end()
  }
}
