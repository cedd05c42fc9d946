/**
 * What a worker costs that has nothing to do: transactions a second in Postgres, and processor time
 * of the worker and of Postgres:
 *
 *   npm run build && npx tsx test/bench/idle-worker.ts [seconds] [connections] [scheduled]
 *
 * The whole system on this machine, then without its worker: the difference is the worker's. The
 * tables have forty days of partitions; `connections` are verified, `scheduled` mails wait for
 * tomorrow, and another session holds a snapshot all the while, as a backup does.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { startSystem } from '../../src/main/dev/system.ts'

const [SECONDS = 20, CONNECTIONS = 10_000, SCHEDULED = 100_000] = process.argv.slice(2).map(Number)
const DAYS = 40
const CONNECTIONS_OF_AN_ORGANIZATION = 10
/** Of the system that has just started: schedules are made, tables are looked through. */
const SETTLE_MS = 15_000
const TICKS_PER_SECOND = 100
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const folder = await mkdtemp(join(tmpdir(), 'letterloom-idle-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const system = await startSystem(readConfig(), folder, () => {}, { timings: 'production' })
const { sql } = system
try {
  for (let day = 2; day < DAYS; day++) {
    for (const table of ['outbox', 'inbound_events']) {
      await sql`
        select make_partition(${table}, current_date - ${day}::integer,
          (current_date - ${day}::integer)::text, (current_date - ${day - 1}::integer)::text)`
    }
  }
  await fillTables()
  // A statement holds its snapshot while it runs: nothing deleted meanwhile can be vacuumed.
  const backup = sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`select pg_sleep(3600)`
  })
  const ended = backup.then(
    () => {},
    () => {},
  )
  await sleep(SETTLE_MS)
  const pid = system.worker.pid()
  if (pid === undefined) throw new Error('no worker runs')
  const both = await measure(pid)
  await system.worker.stop()
  const rest = await measure()
  const [snapshot] = await sql<{ held: boolean }[]>`
    select count(*) > 0 as held
    from pg_stat_activity
    where query like 'select pg_sleep%' and state = 'active' and backend_xmin is not null`
  if (snapshot?.held !== true) throw new Error('the snapshot was not held to the end')
  await sql`select pg_cancel_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'`
  await ended
  const figure = (name: keyof typeof both, digits: number) =>
    (both[name] - rest[name]).toFixed(digits)
  say(
    `a worker that has nothing to do: ${figure('transactions', 1)} transactions/s ` +
      `(of ${both.transactions.toFixed(1)} with the API's), ` +
      `${(both.worker * 100).toFixed(1)} % of a core, and ${(Number(figure('postgres', 4)) * 100).toFixed(1)} % in Postgres`,
  )
} finally {
  await system.stop()
  await rm(folder, { recursive: true, force: true })
}

async function fillTables() {
  await sql`
    insert into organizations (id, name)
    select md5('organization ' || n)::uuid, 'Organization ' || n
    from generate_series(1, ${CONNECTIONS / CONNECTIONS_OF_AN_ORGANIZATION}::integer) as n`
  await sql`
    insert into connections (organization_id, id, account_id, region, external_id, is_verified,
      checked_at, last_verified_at, first_verified_at, last_event_received_at)
    select md5('organization ' || 1 + n / ${CONNECTIONS_OF_AN_ORGANIZATION}::integer)::uuid,
      md5('connection ' || n)::uuid, lpad(n::text, 12, '0'), 'eu-central-1', gen_random_uuid(),
      true, now(), now(), now(), now()
    from generate_series(0, ${CONNECTIONS}::integer - 1) as n`
  await sql`
    insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
    select c.organization_id, gen_random_uuid(), gen_random_uuid(), c.id, 1,
      now() + interval '1 day'
    from generate_series(1, ${SCHEDULED}::integer) as n
    join connections c on c.id = md5('connection ' || n % ${CONNECTIONS}::integer)::uuid`
  await sql`analyze`
}

/** Transactions a second, and parts of a core that the worker and Postgres' sessions use. */
async function measure(workerPid?: number) {
  const before = await read(workerPid)
  await sleep(SECONDS * 1_000)
  const after = await read(workerPid)
  return {
    transactions: (after.transactions - before.transactions) / SECONDS,
    worker: (after.worker - before.worker) / SECONDS,
    postgres: (after.postgres - before.postgres) / SECONDS,
  }
}

async function read(workerPid?: number) {
  const [row] = await sql<{ transactions: number }[]>`
    select xact_commit + xact_rollback as transactions
    from pg_stat_database
    where datname = current_database()`
  return {
    transactions: row?.transactions ?? 0,
    worker: workerPid === undefined ? 0 : secondsOf(workerPid),
    postgres: postgresPids().reduce((sum, pid) => sum + secondsOf(pid), 0),
  }
}

/** Of the server in our folder: its sessions are its children. */
function postgresPids(): number[] {
  const [first = ''] = readFileSync(
    join(folder, 'postgres', 'data', 'postmaster.pid'),
    'utf8',
  ).split('\n')
  const parent = Number(first)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid === parent || statOf(pid)?.parent === parent)
}

function secondsOf(pid: number): number {
  return statOf(pid)?.seconds ?? 0
}

function statOf(pid: number): { parent: number; seconds: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const [, parent] = fields
    return {
      parent: Number(parent),
      seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    }
  } catch {
    return undefined
  }
}
