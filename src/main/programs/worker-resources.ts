import { Connection } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import type { Logger } from 'pino'
import { namingConfigurationSets } from '../../../activities/aws/configuration-set.ts'
import { createEventQueues } from '../../../activities/aws/event-queue.ts'
import { createMailer } from '../../../activities/aws/mailer.ts'
import { createOperatorSessions } from '../../../activities/aws/operator.ts'
import { createRoles } from '../../../activities/aws/roles.ts'
import { createTexter } from '../../../activities/aws/texter.ts'
import { createMailDrains } from '../../../activities/mails/drain-mail.ts'
import { createDrainTexts } from '../../../activities/mails/drain-texts.ts'
import { createMailBytes } from '../../../activities/mails/mail-claims.ts'
import type { Config } from '../../config.ts'
import { createRenderer } from '../../mail/renderer.ts'
import * as senders from '../../store/accounts/senders.ts'
import { connect } from '../../store/db/sql.ts'
import { checkedKeyring } from './keys.ts'
import { required, temporalConnection } from './required.ts'
import { createTemporalClient } from '../commands/temporal-client.ts'

/** Limit of a claim. After it, the claim's second would be over before the first call. */
const CLAIM_TIMEOUT_MS = 1_000
/** Connections of the loop that sees due mail, and of transactional mail that it sends. */
const RECEIPT_POOL = 3

export type WorkerResources = Awaited<ReturnType<typeof openWorkerResources>>

export async function openWorkerResources(config: Config, log: Logger) {
  const databaseUrl = required(config.databaseUrl, 'DATABASE_URL')
  const keyring = checkedKeyring(config)
  const { channelArgs, ...reached } = temporalConnection(config)
  const native = await NativeConnection.connect(reached)
  const connection = await Connection.connect({ ...reached, channelArgs })
  const temporal = createTemporalClient(config, connection)
  const role = 'letterloom_worker'
  const sql = connect(databaseUrl, { name: 'letterloom-worker', role, max: 12 })
  const claimSql = connect(databaseUrl, {
    name: 'letterloom-claim',
    role,
    max: 6,
    statementTimeoutMs: CLAIM_TIMEOUT_MS,
  })
  // Transactional mail waits for no connection behind the statements of other mail.
  const receiptSql = connect(databaseUrl, { name: 'letterloom-receipts', role, max: RECEIPT_POOL })
  const renderer = createRenderer()
  const { callMs, beginMs } = config.timings
  const roles = createRoles({ log })
  const mailer = namingConfigurationSets(
    createMailer({ roles, callMs, beginMs }),
    (iamRole, configurationSet) => {
      const { connectionId } = iamRole
      log.warn({ connectionId, configurationSet }, 'mail goes without its configuration set')
      senders.recordConfigurationSet(sql, iamRole, null).catch((error: unknown) => {
        log.error({ err: error, connectionId }, 'a configuration set could not be noted as gone')
      })
    },
  )
  const texter = createTexter({ roles, callMs, beginMs })
  // A transport of its own: it knows other credentials than the customers' roles.
  const operator = createMailer({ roles: createOperatorSessions(), callMs, beginMs })
  const { from, region } = config.notices
  const drainDeps = {
    mailer,
    timings: config.timings,
    content: { keyring },
    held: createMailBytes(),
  }
  return {
    databaseUrl,
    keyring,
    native,
    temporal,
    sql,
    claimSql,
    renderer,
    roles,
    eventQueues: createEventQueues(roles),
    mailer,
    receiptSql,
    mailDrains: createMailDrains({ ...drainDeps, sql, claimSql }),
    drainTexts: createDrainTexts({
      sql,
      claimSql,
      texter,
      timings: config.timings,
      content: { keyring },
    }),
    /** The worker's own, of transactional mail. */
    receiptDrains: createMailDrains({ ...drainDeps, sql: receiptSql, claimSql: receiptSql }),
    /** Undefined: the operator has not configured the sender of health notices. */
    noticeSender: from === undefined ? undefined : { from, region, mailer: operator },
    close: async () => {
      await Promise.all([mailer.close(), texter.close(), operator.close(), renderer.close()])
      await connection.close()
      await native.close()
      await Promise.all([sql.end(), claimSql.end(), receiptSql.end()])
    },
  }
}
