import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, Connection } from '@temporalio/client'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createMailer } from '../../activities/aws/mailer.ts'
import { applyProviderFeedback } from '../../activities/provider-feedback.ts'
import { noteMissingEvents } from '../../src/core/accounts/missing-events.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { measureLags } from '../../src/main/programs/lag-metrics.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { ownMetrics } from '../../src/runtime/metrics.ts'
import { noteEvent } from '../../src/store/accounts/connections.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { findWrongAlarms, hasPromtool, type Period } from '../support/alarms.ts'
import { createDrainer, seedEndpoints, startHookReceiver } from '../support/hooks.ts'
import { connectAs } from '../support/logins.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { REGION, seedBatch, seedOrganization } from '../support/seed.ts'
import { createServers } from '../support/servers.ts'
import { openTemporal } from '../support/temporal.ts'

const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }
let database: TestDatabase
let seeded: Awaited<ReturnType<typeof seedOrganization>>
let worker: ReturnType<typeof connectAs>
beforeAll(async () => {
  database = await createDatabase()
  seeded = await seedOrganization(database.sql)
  worker = connectAs(database.url, { name: 'alarms', role: 'letterloom_worker', max: 4 })
})
afterAll(async () => {
  await worker.end()
  await database.drop()
})

/** What Prometheus would read of a worker now. */
async function scrape(): Promise<string> {
  const registry = new Registry()
  const lags = measureLags(registry, { sql: worker, log })
  const page = await Registry.merge([registry, ownMetrics]).metrics()
  await lags.stop()
  // Other tests share the server, and with it the number of connections.
  return page.replaceAll(/^letterloom_postgres_connections .*$/gm, '')
}

/**
 * Scrapes before, during and after a cause. Returns what is wrong, unless the alarm is on during
 * it, and only then.
 */
async function wrongWhile(
  alarm: string,
  { begin, end, growing = [] }: { begin: () => unknown; end: () => unknown; growing?: string[] },
): Promise<string> {
  const before = await scrape()
  await begin()
  const during = await scrape()
  await end()
  const after = await scrape()
  const periods: Period[] = [
    { page: before, firing: [] },
    { page: during, firing: [alarm] },
    { page: after, firing: [] },
  ]
  return findWrongAlarms(periods, growing)
}

describe.skipIf(!hasPromtool)('an alarm is on while its cause is there, and only then', () => {
  test('SES cannot be reached', async () => {
    const ses = createServer((request, response) => {
      request.resume().on('end', () => response.end('{"MessageId":"0102-a"}'))
    })
    ses.listen(0, '127.0.0.1')
    await once(ses, 'listening')
    const { port } = ses.address() as AddressInfo
    vi.stubEnv('AWS_ENDPOINT_URL_SESV2', `http://127.0.0.1:${port}`)
    const credentials = async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' })
    const { accountId, organizationId, connectionId } = seeded
    const send = async () => {
      const iamRole = { organizationId, connectionId, accountId, region: REGION, externalId: 'x' }
      const roles = { credentials, forget: quiet }
      const mailer = createMailer({ roles, callMs: SHORT_TIMINGS.callMs })
      const beginBy = performance.now() + 60_000
      await mailer.send(MAIL, { iamRole, signedAt: new Date(), beginBy })
      await mailer.close()
    }
    try {
      await send()
      const wrong = await wrongWhile('LetterloomSesUnreachable', {
        begin: async () => {
          ses.closeAllConnections()
          ses.close()
          await once(ses, 'close')
          await send()
        },
        end: async () => {
          ses.listen(port, '127.0.0.1')
          await once(ses, 'listening')
          await send()
        },
      })
      expect(wrong).toBe('')
    } finally {
      vi.unstubAllEnvs()
      ses.closeAllConnections()
      ses.close()
    }
  })

  test('Temporal cannot be reached', async () => {
    const { client, close } = await openTemporal()
    const away = new Client({
      connection: Connection.lazy({ address: '127.0.0.1:1', interceptors: [] }),
    })
    const relayed = async (temporal: Client, isDone: (row: Row) => boolean) => {
      const relay = startOutboxRelay({ sql: worker, temporal, log })
      try {
        await until(async () => {
          const [row] = await database.sql<Row[]>`
            select attempts, done_at from outbox where organization_id = ${seeded.organizationId}
            order by position desc limit 1`
          return row && isDone(row)
        })
      } finally {
        await relay.stop()
      }
    }
    const wrong = await wrongWhile('LetterloomTemporalUnreachable', {
      begin: async () => {
        const message = { kind: 'cancel_execution', payload: { workflowId: 'nobody' } } as const
        await outbox.put(database.sql, seeded.organizationId, message, undefined)
        await relayed(away, ({ attempts }) => attempts > 0)
      },
      end: () => relayed(client, ({ doneAt }) => doneAt !== null),
    })
    expect(wrong).toBe('')
    await away.connection.close()
    await close()
  })

  test('delivery events are missing', async () => {
    const wrong = await wrongWhile('LetterloomEventsMissing', {
      begin: async () => {
        await database.sql`
          update connections
          set last_event_received_at = clock_timestamp() - interval '1 hour'
          where id = ${seeded.connectionId}`
        await database.sql`
          insert into answered_counts (organization_id, connection_id, slot, answered, arrived)
          values (${seeded.organizationId}, ${seeded.connectionId},
            clock_timestamp() - interval '20 minutes', 1, 0)`
        await noteMissingEvents(worker, 10)
      },
      end: () => noteEvent(worker, seeded.organizationId, seeded.connectionId),
    })
    expect(wrong).toBe('')
  })

  test('the quota of an account is used up', async () => {
    const account = { accountId: seeded.accountId, region: REGION }
    const verdict = {
      answers: { calls: 0, throttled: 0 },
      quotaUsedUp: true,
      unreachable: undefined,
      own: false,
      unavailable: undefined,
      isOfSender: false,
      senderRefused: new Set<string>(),
      notBegun: 0,
    }
    const wrong = await wrongWhile('LetterloomQuotaUsedUp', {
      begin: () =>
        applyProviderFeedback(worker, account, {
          verdict,
          isWatched: false,
          timings: { ...SHORT_TIMINGS, quotaPauseMs: 600_000 },
        }),
      end: () => database.sql`
        update sending_limits set paused_until = now() where account_id = ${seeded.accountId}`,
    })
    expect(wrong).toBe('')
  })

  test('a batch stands still', async () => {
    const stand = (interval: string) => database.sql`
      update batches
      set status = 'processing', audience_frozen_at = now(), total_recipients = 10,
        progressed_at = now() - ${interval}::interval`
    const wrong = await wrongWhile('LetterloomBatchStalled', {
      begin: async () => {
        await seedBatch(database.sql, seeded)
        await database.sql`update outbox set done_at = now()`
        await stand('10 minutes')
      },
      end: () => stand('1 second'),
    })
    expect(wrong).toBe('')
  })

  test('the outbox is full', async () => {
    const wrong = await wrongWhile('LetterloomOutboxFull', {
      begin: () => database.sql`
        insert into outbox (organization_id, kind, payload)
        select ${seeded.organizationId}, 'wake_execution', '{}' from generate_series(1, 50001)`,
      end: () => database.sql`update outbox set done_at = now() where done_at is null`,
    })
    expect(wrong).toBe('')
  })

  test('webhook deliveries are due, and no dispatcher calls', async () => {
    const servers = createServers()
    const receiver = await startHookReceiver(servers)
    const keyring = parseKeyring(newKeyringText())
    const { organizationId } = seeded
    const endpoints = [{ organizationId, url: receiver.url, shard: 0 }]
    let ids: Uuid[] = []
    const wrong = await wrongWhile('LetterloomWebhooksLate', {
      begin: async () => {
        ids = await seedEndpoints(database.sql, keyring, endpoints, 1)
        await database.sql`update hook_queue set due_at = now() - interval '10 minutes'`
      },
      end: () => createDrainer({ sql: worker, keyring }).drainOf(...ids),
      growing: ['letterloom_hook_oldest_due_seconds'],
    })
    expect(wrong).toBe('')
    expect(receiver.calls).toHaveLength(1)
    await servers.close()
  })

  test('a transaction stays open', async () => {
    const other = connectAs(database.url, { name: 'analyst', role: 'letterloom_worker', max: 1 })
    let commit = (): void => {}
    let ended: Promise<unknown> = Promise.resolve()
    const wrong = await wrongWhile('LetterloomOldTransaction', {
      begin: () =>
        new Promise<void>((resolve) => {
          ended = other.begin(async (tx) => {
            await tx`select count(*) from contacts`
            resolve()
            await new Promise<void>((end) => (commit = end))
          })
        }),
      end: async () => {
        commit()
        await ended
      },
      growing: ['letterloom_oldest_transaction_seconds'],
    })
    expect(wrong).toBe('')
    await other.end()
  })

  test('a partition of the coming days is missing', async () => {
    const wrong = await wrongWhile('LetterloomPartitionsMissing', {
      begin: async () => {
        const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
        await database.admin.unsafe(`drop table messages_${day.replaceAll('-', '')}`)
      },
      end: () => createPartitions(worker),
    })
    expect(wrong).toBe('')
  })
})

interface Row {
  attempts: number
  doneAt: string | null
}

const MAIL = {
  from: 'news@example.com',
  replyTo: null,
  to: 'ada@example.com',
  subject: 'Hello',
  html: null,
  text: 'Hello',
  headers: [],
  tags: [],
}
