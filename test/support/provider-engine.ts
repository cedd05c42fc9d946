import { Client as Temporal, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { pino } from 'pino'
import { inject } from 'vitest'
import { createAsker } from '../../api/accounts/asker.ts'
import { dailyChecks } from '../../activities/accounts/daily-checks.ts'
import { createConnectionActivities } from '../../activities/accounts/verify-connection.ts'
import { createHealthReader } from '../../activities/aws/health.ts'
import { createConsolePolicies } from '../../activities/aws/console-policy.ts'
import { createIdentities } from '../../activities/aws/identities.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import { createVerifier } from '../../activities/aws/verifier.ts'
import { createHealthActivities, createProviderActivities } from '../../activities/index.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { POLICY_VERSION } from '../../src/domain/accounts/aws-actions.ts'
import type { AccountUpdate } from '../../tools/sandbox/accounts.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { startSandbox } from '../../tools/sandbox/index.ts'
import type { DnsResolver } from '../../src/net/resolver.ts'
import { CONTROL_QUEUE, PROVIDER_QUEUE } from '../../workflows/contract.ts'
import { type Client, connectAccount } from './api.ts'
import { createDatabase } from './database.ts'
import { newNamespace } from './engine.ts'
import { newAccountId, REGION } from './seed.ts'
import { emptyDns } from './provider.ts'
import { connectAs } from './logins.ts'
import './worker-log.ts'

export type ProviderEngine = Awaited<ReturnType<typeof startProviderEngine>>

/**
 * The other side of live reads: a Temporal namespace of this file and the sandbox. An API asks
 * through `asker`. `work` starts the workers once there is a database.
 */
export async function startProviderEngine() {
  const address = inject('temporalAddress')
  const connection = await Connection.connect({ address })
  const namespace = await newNamespace(connection)
  const client = new Temporal({ connection, namespace })
  const database = await createDatabase()
  const sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: database.url,
    log: pino({ level: 'silent' }),
  })
  process.env['AWS_ENDPOINT_URL'] = sandbox.url
  process.env['AWS_ACCESS_KEY_ID'] = 'LETTERLOOMSANDBOX'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'letterloom-sandbox-secret'
  const control = sandboxControl(sandbox.url)
  const stops: (() => Promise<unknown>)[] = []

  return {
    address,
    namespace,
    client,
    control,
    asker: createAsker({ client, log: { warn: () => {} } }),

    /**
     * Workers of both queues on a database. Returns a function that stops them. `whole`: workflows
     * of a registration run, too.
     */
    work: async (databaseUrl: string, resolver: DnsResolver = emptyDns, { whole = false } = {}) => {
      const native = await NativeConnection.connect({ address })
      const sql = connectAs(databaseUrl, { name: 'provider', role: 'letterloom_worker', max: 12 })
      const roles = createRoles()
      const shared = { connection: native, namespace, shutdownForceTime: '5s' as const }
      const verifier = createVerifier(roles)
      const consolePolicies = createConsolePolicies(roles)
      const health = createHealthActivities({
        sql,
        health: createHealthReader(roles),
        daily: dailyChecks({ sql, verifier, consolePolicies, roles }),
        now: Date.now,
        log: { warn: () => {} },
      })
      const workers = [
        await Worker.create({
          ...shared,
          taskQueue: CONTROL_QUEUE,
          workflowBundle: { codePath: inject('workflowBundle') },
          ...(whole ? { activities: createConnectionActivities({ sql, verifier }) } : {}),
        }),
        await Worker.create({
          ...shared,
          taskQueue: PROVIDER_QUEUE,
          activities: {
            ...health,
            ...createProviderActivities({
              sql,
              identities: createIdentities(roles),
              consolePolicies,
              verifier,
              resolver,
            }),
          },
        }),
      ]
      const runs = workers.map((worker) => worker.run())
      const log = { info: () => {}, warn: () => {}, error: () => {} }
      const relay = whole ? startOutboxRelay({ sql, temporal: client, log }) : undefined
      const stop = async (): Promise<void> => {
        await relay?.stop()
        for (const worker of workers) {
          if (worker.getState() === 'RUNNING') worker.shutdown()
        }
        await Promise.all(runs)
        await native.close()
        await sql.end()
      }
      stops.push(stop)
      return stop
    },

    /** Connects a new account of the sandbox, as its owner would. */
    connect: async (owner: Client, account: AccountUpdate = {}) => {
      const accountId = newAccountId()
      const { connectionId, externalId } = await connectAccount(owner, {
        accountId,
        region: REGION,
      })
      await control.putAccount(accountId, {
        region: REGION,
        roles: [
          {
            name: `letterloom-${externalId.slice(0, 8)}`,
            externalId,
            policyVersion: POLICY_VERSION,
          },
        ],
        ...account,
      })
      return { id: connectionId, accountId, region: REGION, externalId }
    },

    /** Everything that Temporal stores about these workflows. */
    histories: async (workflowIds: readonly string[]): Promise<string> => {
      const texts = workflowIds.map(async (workflowId) => {
        const history = await client.workflow.getHandle(workflowId).fetchHistory()
        return [workflowId, ...textsOf(history)].join('\n')
      })
      return (await Promise.all(texts)).join('\n')
    },

    stop: async (): Promise<void> => {
      for (const stop of stops.splice(0)) await stop().catch(() => {})
      await sandbox.stop()
      await database.drop()
      await connection.close()
    },
  }
}

/** Every text in a value. Payloads are bytes. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Uint8Array) return [Buffer.from(value).toString()]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsOf(each)])
}
