import { Connection } from '@temporalio/client'
import { SEARCH_ATTRIBUTES } from '../../../../workflows/contract.ts'
import type { Config } from '../../../config.ts'
import { OtherDatabase, requireOwnDatabase } from '../../../loops/restore-watch.ts'
import type { Sql } from '../../../store/db/sql.ts'
import { createTemporalClient } from '../temporal-client.ts'
import { temporalAddress, temporalConnection } from '../../programs/required.ts'
import { missingSearchAttributes } from '../../programs/search-attributes.ts'
import { examined, type Finding, ok, problem } from './finding.ts'

const CONNECT_MS = 5_000
/** A failure on Friday is examined on Monday. Not required in development. */
const LEAST_RETENTION_DAYS = 3
const FAIR_SINCE = [1, 29] as const
const PREPARE = 'Run the namespace job (tools/production/namespace.mjs).'
const SECONDS_PER_DAY = 86_400
/** temporal.api.enums.v1.TaskQueueType: every queue of ours has activities. */
const ACTIVITIES = 2
/** gRPC status code. */
const NOT_FOUND = 5

/** Looks at Temporal: whether it answers, and the namespace with what it needs. */
export async function examineTemporal(
  config: Config,
  queues: readonly string[],
  sql: Sql,
): Promise<Finding[]> {
  const { namespace } = config.temporal
  const reach = `Look at TEMPORAL_ADDRESS (${temporalAddress(config)}), TEMPORAL_TLS_… and TEMPORAL_API_KEY, and whether Temporal runs.`
  let connection: Connection
  try {
    connection = await Connection.connect({
      ...temporalConnection(config),
      connectTimeout: CONNECT_MS,
    })
  } catch {
    return [problem('temporal', 'Temporal cannot be reached.', reach)]
  }
  try {
    const looks = [
      examined('namespace', PREPARE, () => examineNamespace(connection, config)),
      examined('search attributes', PREPARE, () => examineAttributes(connection, namespace)),
      examined('fairness', reach, () => examineServer(connection, config)),
      examined('database', 'Look at DATABASE_URL.', () => examineDatabase(connection, config, sql)),
      examined('workers', 'Start workers.', () => examineWorkers(connection, namespace, queues)),
    ]
    return [ok('temporal', 'Temporal answers.'), ...(await Promise.all(looks)).flat()]
  } finally {
    await connection.close()
  }
}

async function examineNamespace(
  connection: Connection,
  { temporal: { namespace }, mode }: Config,
): Promise<Finding[]> {
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace })
    const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0)
    const days = Math.floor(seconds / SECONDS_PER_DAY)
    return [
      ok('namespace', `The namespace ${namespace} is there.`),
      days >= LEAST_RETENTION_DAYS || mode === 'development'
        ? ok('retention', 'Closed runs are kept for long enough.')
        : problem(
            'retention',
            `Closed runs are kept for ${days} days only.`,
            `Run temporal operator namespace update --retention 30d ${namespace}.`,
          ),
    ]
  } catch (error) {
    if (!isNotFound(error)) throw error
    return [problem('namespace', `There is no namespace ${namespace}.`, PREPARE)]
  }
}

async function examineAttributes(connection: Connection, namespace: string): Promise<Finding> {
  try {
    const missing = await missingSearchAttributes(connection, namespace, SEARCH_ATTRIBUTES)
    return missing.length === 0
      ? ok('search attributes', 'All search attributes are registered.')
      : problem('search attributes', `${missing.join(', ')} are not registered.`, PREPARE)
  } catch (error) {
    if (!isNotFound(error)) throw error
    return problem('search attributes', `There is no namespace ${namespace}.`, PREPARE)
  }
}

async function examineServer(connection: Connection, config: Config): Promise<Finding[]> {
  const info = await connection.workflowService.getClusterInfo({})
  const [major = 0, minor = 0] = (info.serverVersion ?? '').split('.').map(Number)
  const isFair = major > FAIR_SINCE[0] || (major === FAIR_SINCE[0] && minor >= FAIR_SINCE[1])
  // Temporal Cloud tells neither.
  const knowsVersion = major > 0
  return [
    ok('shards', `Temporal has ${info.historyShardCount || 'its own number of'} shards.`),
    !knowsVersion || isFair || !config.temporal.isFair
      ? ok('fairness', 'Fairness between organizations is as it is set.')
      : problem(
          'fairness',
          `Temporal ${info.serverVersion} knows no fairness, so one organization may be ahead of all others.`,
          'Upgrade Temporal to 1.29 or newer, or set TEMPORAL_FAIRNESS=off.',
        ),
  ]
}

async function examineDatabase(connection: Connection, config: Config, sql: Sql): Promise<Finding> {
  try {
    await requireOwnDatabase({ sql, temporal: createTemporalClient(config, connection) })
    return ok('database', 'The database is that of the namespace.')
  } catch (error) {
    if (!(error instanceof OtherDatabase)) throw error
    return problem('database', error.found, error.remedy)
  }
}

async function examineWorkers(
  connection: Connection,
  namespace: string,
  queues: readonly string[],
): Promise<Finding> {
  const unpolled = await Promise.all(
    queues.map(async (name) => {
      const { pollers } = await connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name },
        // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
        taskQueueType: ACTIVITIES,
      })
      return pollers?.length ? [] : [name]
    }),
  )
  const missing = unpolled.flat()
  return missing.length === 0
    ? ok('workers', 'Workers poll every queue.')
    : problem(
        'workers',
        `No worker polls ${missing.join(', ')}.`,
        'Start letterloom worker, or add the queues to --queues.',
      )
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === NOT_FOUND
