import { listLoginLacks } from '../../../store/db/login-check.ts'
import { keepsSessions } from '../../../store/db/kept-sessions.ts'
import { pendingMigrations } from '../../../store/db/migrate.ts'
import type { Sql } from '../../../store/db/sql.ts'
import { readClock } from '../../../store/platform/clock.ts'
import { readServerFacts } from '../../../store/platform/server-facts.ts'
import { readSystemFigures } from '../../../store/platform/system-figures.ts'
import { examined, type Finding, ok, problem } from './finding.ts'

const MOST_CLOCK_MS = 5_000
const LEAST_VERSION = 150_000
/** A query locks every partition of its table. */
const LEAST_LOCKS = 64
const LEAST_DAYS_AHEAD = 3
const MOST_TRANSACTION_SECONDS = 300
const MOST_DEAD_ROWS = 200_000
const MOST_CONNECTIONS_SHARE = 0.85
const REACH = 'Look at DATABASE_URL, and whether Postgres runs and lets this login in.'
const ASK_OPERATOR = 'Ask the administrator of the database.'

/** Looks at Postgres as the login of this program sees it. The rest needs a connection. */
export async function examinePostgres(
  sql: Sql,
  databaseUrl: string,
  mostTransactionSeconds = MOST_TRANSACTION_SECONDS,
): Promise<Finding[]> {
  const reached = await examined('postgres', REACH, async () => {
    const startedAt = performance.now()
    const there = await readClock(sql)
    const aheadMs = Date.now() - (performance.now() - startedAt) / 2 - there
    return [ok('postgres', 'Postgres answers.'), clockFinding(aheadMs)]
  })
  if (reached.some(({ check, isOk }) => check === 'postgres' && !isOk)) return reached
  const looks = [
    examined('pooler', REACH, () => examinePooler(databaseUrl)),
    examined('rights', 'Run migrations/roles.sql as a superuser.', () => examineRights(sql)),
    examined('migrations', 'Run letterloom migrate.', () => examineMigrations(sql)),
    examined('server', ASK_OPERATOR, () => examineServer(sql, mostTransactionSeconds)),
    examined('figures', ASK_OPERATOR, () => examineFigures(sql)),
  ]
  return [...reached, ...(await Promise.all(looks)).flat()]
}

function clockFinding(aheadMs: number): Finding {
  const seconds = Math.round(aheadMs / 1_000)
  return Math.abs(aheadMs) < MOST_CLOCK_MS
    ? ok('clock', 'The clock agrees with that of Postgres.')
    : problem(
        'clock',
        `The clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of Postgres.`,
        'Set it right, by NTP.',
      )
}

async function examinePooler(databaseUrl: string): Promise<Finding> {
  return (await keepsSessions(databaseUrl))
    ? ok('pooler', 'Each connection has a session of its own.')
    : problem(
        'pooler',
        'DATABASE_URL leads to a pooler of transactions.',
        'Set its pool_mode to session, or connect to Postgres itself.',
      )
}

async function examineRights(sql: Sql): Promise<Finding[]> {
  const lacks = await listLoginLacks(sql)
  return lacks.length === 0
    ? [ok('rights', 'The login has the rights that it needs.')]
    : lacks.map((lack) => problem('rights', `${lack}.`, 'Run migrations/roles.sql as a superuser.'))
}

async function examineMigrations(sql: Sql): Promise<Finding> {
  const pending = await pendingMigrations(sql)
  return pending.length === 0
    ? ok('migrations', 'The schema is up to date.')
    : problem('migrations', `${pending.join(', ')} did not run.`, 'Run letterloom migrate.')
}

async function examineServer(sql: Sql, mostTransactionSeconds: number): Promise<Finding[]> {
  const facts = await readServerFacts(sql)
  const { oldest, holdingSlots, preparedTransactions } = facts
  const isOld = oldest !== null && oldest.seconds > mostTransactionSeconds
  return [
    facts.version >= LEAST_VERSION
      ? ok('version', `Postgres ${Math.trunc(facts.version / 10_000)}.`)
      : problem('version', 'Postgres is older than 15.', 'Upgrade it, to 17 or newer at best.'),
    facts.hasTrigrams
      ? ok('extensions', 'pg_trgm is installed.')
      : problem(
          'extensions',
          'The extension pg_trgm is missing, which searches need.',
          'Run create extension pg_trgm in the database as its owner.',
        ),
    facts.isAutovacuumOn
      ? ok('autovacuum', 'Autovacuum is on.')
      : problem(
          'autovacuum',
          'Autovacuum is off, so queues get slower with each message.',
          'Set autovacuum = on.',
        ),
    facts.locksPerTransaction >= LEAST_LOCKS
      ? ok('locks', 'A transaction may hold enough locks.')
      : problem(
          'locks',
          `max_locks_per_transaction is ${facts.locksPerTransaction}, and one query may lock ninety partitions.`,
          'Set it to 256.',
        ),
    isOld
      ? problem(
          'transactions',
          `Process ${oldest.pid} (${oldest.login}, ${oldest.application || 'no name'}) has had a transaction open for ${Math.round(oldest.seconds)} s, so nothing is cleaned up.`,
          `End it: select pg_terminate_backend(${oldest.pid}).`,
        )
      : ok('transactions', 'No transaction has been open for long.'),
    preparedTransactions + holdingSlots.length === 0
      ? ok('slots', 'No replication slot or prepared transaction holds old rows.')
      : problem(
          'slots',
          `${preparedTransactions} prepared transactions and the replication slots ${holdingSlots.join(', ') || '(none)'} hold old rows.`,
          'End those that nobody uses: rollback prepared, pg_drop_replication_slot.',
        ),
    facts.seesAllSessions
      ? ok('statistics', 'The transactions of all logins can be seen.')
      : problem(
          'statistics',
          'Transactions of other logins cannot be seen, so an old one is not noticed.',
          'Run grant pg_read_all_stats to letterloom_definer as a superuser.',
        ),
  ]
}

async function examineFigures(sql: Sql): Promise<Finding[]> {
  const figures = await readSystemFigures(sql)
  const { partitionDaysAhead: days, connections, connectionsMost } = figures
  const dead = Object.entries(figures.deadRows).filter(([, rows]) => rows > MOST_DEAD_ROWS)
  return [
    days >= LEAST_DAYS_AHEAD
      ? ok('partitions', `Partitions are there for ${days} days to come.`)
      : problem(
          'partitions',
          days < 0 ? 'There is no partition for today.' : `Partitions end in ${days} days.`,
          'Run letterloom migrate, and see why no worker makes them.',
        ),
    dead.length === 0
      ? ok('queues', 'The tables of queues are cleaned up.')
      : problem(
          'queues',
          `Rows that are not cleaned up: ${dead.map(([queue, rows]) => `${rows} of ${queue}`).join(', ')}.`,
          'Look for old transactions, then vacuum these tables.',
        ),
    connections < MOST_CONNECTIONS_SHARE * connectionsMost
      ? ok('connections', `${connections} of ${connectionsMost} connections are in use.`)
      : problem(
          'connections',
          `${connections} of ${connectionsMost} connections are in use.`,
          'Run fewer programs, or raise max_connections.',
        ),
  ]
}
