import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { createEventQueues } from '../../activities/aws/event-queue.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import type { EventQueues } from '../../src/domain/delivery/event-queue.ts'
import { startEventQueuePoller } from '../../src/loops/event-queue-poller.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { startSandbox } from '../../tools/sandbox/index.ts'
import { newAccountId, REGION } from './seed.ts'

/** Short, so that an undeleted message is visible again after two seconds. */
export const QUEUE_TIMINGS = { leaseMs: 2_000, receivingGapMs: 500 }

export interface QueueConnection {
  organizationId: string
  connectionId: string
  accountId: string
  queue: { region: string; name: string }
}

interface QueueAccount {
  accountId: string
  externalId: string
  lacks?: string[]
  maxReceiveCount?: number
  region?: string
}

/** The sandbox over the wire, whose queues are polled by the tests' pollers. */
export async function startQueues(sql: Sql, databaseUrl: string) {
  const silent = pino({ level: 'silent' })
  const sandbox = await startSandbox({ host: '127.0.0.1', port: 0, databaseUrl, log: silent })
  process.env['AWS_ENDPOINT_URL'] = sandbox.url
  process.env['AWS_ACCESS_KEY_ID'] = 'LETTERLOOMSANDBOX'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'letterloom-sandbox-secret'
  const control = sandboxControl(sandbox.url)
  const logged: { fields: object; message: string }[] = []
  const note = (fields: object, message: string): void => void logged.push({ fields, message })
  const log = { info: note, warn: note, error: note }
  const started: { stop(): Promise<void> }[] = []

  /** The account of a connection, with its role and a queue. */
  const putQueue = async (account: QueueAccount): Promise<QueueConnection['queue']> => {
    const { accountId, externalId, lacks = [], maxReceiveCount = 3, region = REGION } = account
    const roleName = `letterloom-${externalId.slice(0, 8)}`
    const name = `${roleName}-events`
    await control.putAccount(accountId, {
      region,
      roles: [{ name: roleName, externalId, policyVersion: 2, lacks }],
      queues: [{ name, deadLetterQueue: `${roleName}-undelivered`, maxReceiveCount }],
      webhooks: [{ queue: name, region }],
    })
    return { region, name }
  }

  return {
    control,
    logged,
    notApplied: [] as string[],

    /** A connection of the organization with its role and a queue, not yet polled. */
    connect: async (
      organizationId: string,
      {
        lacks = [],
        maxReceiveCount = 3,
        accountId = newAccountId(),
      }: { lacks?: string[]; maxReceiveCount?: number; accountId?: string } = {},
    ): Promise<QueueConnection> => {
      const [connectionId, externalId] = [uuidv7(), randomUUID()]
      await sql`
        insert into connections (organization_id, id, account_id, region, external_id, is_verified)
        values (${organizationId}, ${connectionId}, ${accountId}, ${REGION}, ${externalId}, true)`
      const queue = await putQueue({ accountId, externalId, lacks, maxReceiveCount })
      return { organizationId, connectionId, accountId, queue }
    },

    putQueue,

    /** One worker's poller. `queues` may fail. */
    startPoller(
      change: (queues: EventQueues) => EventQueues = (queues) => queues,
      timings = QUEUE_TIMINGS,
    ) {
      const poller = startEventQueuePoller({
        sql,
        queues: change(createEventQueues(createRoles())),
        timings,
        log,
        onNotApplied: (reason) => this.notApplied.push(reason),
      })
      started.push(poller)
      return poller
    },

    stop: async (): Promise<void> => {
      await Promise.all(started.map((each) => each.stop()))
      await sandbox.stop()
    },
  }
}

export const queueUrl = ({ accountId, queue: { region, name } }: QueueConnection): string =>
  `https://sqs.${region}.amazonaws.com/${accountId}/${name}`
