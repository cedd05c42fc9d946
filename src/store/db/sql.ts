import postgres from 'postgres'
import { readArray, writeArray } from './arrays.ts'
import { createPool, type Sql } from './pool.ts'
import { openSession, type Options } from './session.ts'
import type { Executor, Json, Pending } from './statement.ts'
import { readEncryption } from './tls.ts'
import type { Transaction } from './transaction.ts'

/**
 * The border to Postgres: rows have camelCase names, times are ISO 8601 strings with milliseconds,
 * bigint counters are numbers. Nothing outside of this folder knows the driver's conventions.
 */
export type { Sql, Transaction, Executor, Json }
export { columnName } from './statement.ts'
export type Part = Pending

export const UNIQUE_VIOLATION = '23505'
/** A statement exceeded the session's time limit. */
export const QUERY_CANCELED = '57014'
/** An organization has stored as much as its plan allows, from `require_storage_room`. */
export const STORAGE_FULL = 'LS001'
const LOCK_NOT_AVAILABLE = '55P03'
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const DUPLICATE_TABLE = '42P07'

const TIMESTAMPTZ = 1184
const DATE = 1082
const INT8 = 20
const JSONB = 3802

export interface Pool {
  max?: number
  name: string
  /**
   * The role of the session, of which the login must be a member. Absent: the login's own rights.
   */
  role?: 'letterloom_api' | 'letterloom_worker' | 'letterloom_search'
  statementTimeoutMs?: number
  /**
   * Called with every statement before it runs, so that tests can read the plans of real queries.
   */
  onQuery?: (query: string, parameters: unknown[]) => void
}

/**
 * A transaction may take as long as this many of its longest statements. This is the only limit of
 * a session whose client stops between the parts of a statement (the driver sends values once it
 * knows their types) while others wait for its locks. Only Postgres 17 and later have it.
 */
const STATEMENTS_PER_TRANSACTION = 10

/** A server answers within its statement timeout, or at most this much later. */
const SILENCE_MS = 5_000

/**
 * A search takes milliseconds. The planner does not know how few contacts have a word and
 * overestimates it: it would start other processes, compile code, or read the contacts of all
 * organizations instead of the index.
 */
const SHORT_STATEMENTS = {
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  enable_seqscan: 'off',
} as const

type Bind = (organizationId: string) => Sql
const binders = new WeakMap<Sql, Bind>()

/**
 * A pool of connections. Close it with `sql.end()`: waiting queries are refused, running ones get
 * five seconds (`{ timeout }`), then every connection is closed.
 */
export function connect(url: string, pool: Pool): Sql {
  const { max = 8, name, role, statementTimeoutMs = 30_000, onQuery } = pool
  const settings = {
    TimeZone: 'UTC',
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 15_000,
    // Older servers do not have it.
    transaction_timeout: statementTimeoutMs * STATEMENTS_PER_TRANSACTION,
    // An idle session whose machine disappeared ends within half a minute.
    tcp_keepalives_idle: 15,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
    ...(role === 'letterloom_search' ? SHORT_STATEMENTS : {}),
    ...(role === undefined ? {} : { role }),
  }
  const { url: address, ssl } = readEncryption(url)
  const options: Options = {
    ...(ssl === undefined ? {} : { ssl }),
    ...(onQuery ? { debug: (_, query, parameters) => onQuery(query, parameters) } : {}),
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: name },
    transform: { column: { from: postgres.toCamel }, undefined: null },
    types: {
      date: { to: TIMESTAMPTZ, from: [TIMESTAMPTZ], serialize: String, parse: toIso },
      day: { to: DATE, from: [DATE], serialize: String, parse: (text: string) => text },
      bigint: { to: INT8, from: [INT8], serialize: String, parse: Number },
      json: { to: JSONB, from: [JSONB], serialize: writeJson, parse: JSON.parse },
      ...ARRAYS,
    },
    fetch_types: false,
  }
  const mostMs = statementTimeoutMs + SILENCE_MS
  const { sql, within } = createPool(
    (onLost) => openSession(address, options, { settings, mostMs }, onLost),
    { name, max },
  )
  binders.set(sql, within)
  return sql
}

/**
 * The same pool on behalf of one organization: under `letterloom_api` its queries see and write
 * that organization's rows only, whatever their `where` says. Throws if `sql` does not come from
 * `connect`.
 */
export function within(sql: Sql, organizationId: string): Sql {
  const bind = binders.get(sql)
  if (!bind) throw new Error('only a pool of its own can be bound to an organization')
  return bind(organizationId)
}

const UTC_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/

/** `2026-11-21 10:56:09.12+00` as Postgres writes it in UTC → `2026-11-21T10:56:09.120Z`. */
function toIso(text: string): string {
  const [, day, time, fraction = ''] = UTC_TIME.exec(text) ?? []
  if (day === undefined) throw new RangeError(`"${text}" is not a time of this era in UTC`)
  return `${day}T${time}.${fraction.padEnd(3, '0')}Z`
}

const arrays = (oid: number, read: (text: string) => unknown = String) => ({
  to: oid,
  from: [oid],
  serialize: writeArray,
  parse: readArray(read),
})

/** A text is JSON already, written by `sql.json`. */
const writeJson = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const ARRAYS = {
  booleans: arrays(1000, (text) => text === 't'),
  smallints: arrays(1005, Number),
  integers: arrays(1007, Number),
  texts: arrays(1009),
  bigints: arrays(1016, Number),
  doubles: arrays(1022, Number),
  days: arrays(1182),
  times: arrays(1185, toIso),
  uuids: arrays(2951),
}

/** A value that the transaction read is outdated. `transact` runs it again. */
export class Superseded extends Error {}

/**
 * Runs `work` in a transaction, and again from the start if Postgres aborted it because of others.
 */
export async function transact<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const ATTEMPTS = 5
  for (let attempt = 1; ; attempt++) {
    try {
      return await sql.begin(work)
    } catch (error) {
      const retry =
        error instanceof Superseded ||
        hasState(error, SERIALIZATION_FAILURE) ||
        hasState(error, DEADLOCK)
      if (!retry || attempt === ATTEMPTS) throw error
    }
  }
}

export const hasState = (error: unknown, state: string): boolean =>
  error instanceof postgres.PostgresError && error.code === state

/**
 * The function of Postgres that finds the partition of a row. Its error has the SQLSTATE of a
 * check.
 */
const FINDS_PARTITION = 'ExecFindPartition'

const lacksPartition = (error: postgres.PostgresError): boolean => error.routine === FINDS_PARTITION

/**
 * Postgres refuses a value or a size (classes 22 and 54, a check), so retrying cannot help. A
 * missing partition is no refusal, since a loop creates partitions.
 */
export const isRefusedValue = (error: unknown): boolean =>
  error instanceof postgres.PostgresError &&
  /^(?:22|54|23514$)/.test(error.code) &&
  !lacksPartition(error)

export const isLockUnavailable = (error: unknown): boolean => hasState(error, LOCK_NOT_AVAILABLE)

export const isDeadlock = (error: unknown): boolean => hasState(error, DEADLOCK)

export const isDuplicateTable = (error: unknown): boolean => hasState(error, DUPLICATE_TABLE)

const REFUSED_LOGIN = /^(?:28|3D000$|42501$)/

/** Postgres' own message when it refuses the login. It contains no secret. */
export const loginRefusal = (error: unknown): string | undefined =>
  error instanceof postgres.PostgresError && REFUSED_LOGIN.test(error.code)
    ? error.message
    : undefined

/**
 * SQLSTATEs of a server that is away, busy or starting, or that aborted a transaction because of
 * others.
 */
const PASSING = /^(?:08|25|40|53|55|57|58)/
const LOST = /^(?:CONNECT|E[A-Z]+$)/

/**
 * Returns whether the same statements may succeed later: Postgres was away, busy, or lacks a
 * partition.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) {
    return PASSING.test(error.code) || lacksPartition(error)
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && LOST.test(code)
}
