import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { badRequest, conflict, refuse } from '../../src/domain/errors.ts'
import { partition, roleArn } from '../../src/domain/role.ts'
import { VERIFY_EVERY_MS } from '../../src/domain/verification.ts'
import { isUuid, uuidv7 } from '../../src/ids.ts'
import { IdParams, Success } from '../../src/schemas/common.ts'
import {
  Connection,
  ConnectionInput,
  ConnectionList,
  ConnectionPatch,
  ConnectionVerification,
  RegisteredConnection,
  SetupQuery,
} from '../../src/schemas/connection.ts'
import * as connectionSecrets from '../../src/store/connection-secrets.ts'
import * as connections from '../../src/store/connections.ts'
import * as outbox from '../../src/store/outbox.ts'
import { transact } from '../../src/store/sql.ts'
import { newWebhookSecret, sha256 } from '../../src/tokens.ts'
import { VERIFICATION } from '../../workflows/contract.ts'
import { unavailable } from '../asker.ts'
import { setupFile, webhookEndpoint } from '../connection-setup.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { missing } from '../ownership.ts'
import { requireRoom } from '../plan.ts'
import { invalidBody } from '../validation.ts'
import { createWaitingRoom } from '../waiting-room.ts'

const tags = ['connections']

/** Each rotation keeps the secret before it for a day; whoever rotates in a loop is stopped. */
const MOST_SECRETS = 100
/** A disconnected account gives its place back and stays in the list, which is one answer. */
const MOST_RECORDS = 10_000
/** Longer than the verification itself may take. */
const VERIFY_MS = 12_000

export const connectionRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { publicUrl, keyring, asker, now } = deps
  const waiting = createWaitingRoom()

  app.post(
    '/v1/connections',
    {
      config: { scope: 'full', secrets: ['webhookSecret'] },
      schema: {
        tags,
        operationId: 'registerConnection',
        summary: 'Register a cloud account, or update it and rotate its webhook secret',
        description:
          'Registering the same account and region again updates it: `externalId` stays, the webhook secret is a new one, and those before it work for another 24 hours each. Create the role `roleArn`, which trusts us with `externalId`, and forward delivery events to `webhookEndpoint` with the secret in `x-webhook-secret`.',
        body: ConnectionInput,
        response: { 200: RegisteredConnection, ...failures(402, 409) },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, body: given }) => {
      const { region, name, features, ...body } = given
      const accountId = accountNumber(body)
      await requireRoom(tx, organizationId, 'connections', () =>
        connections.countUnless(tx, { organizationId, accountId, region }),
      )
      const webhookSecret = newWebhookSecret(keyring, accountId)
      const registered = await connections.register(tx, {
        organizationId,
        id: uuidv7(),
        accountId,
        region,
        name,
        features,
        externalId: randomUUID(),
      })
      if (
        registered.created &&
        (await connections.countRecords(tx, organizationId)) > MOST_RECORDS
      ) {
        const message = `The organization has records of ${MOST_RECORDS} accounts, disconnected ones too; register one of those again`
        throw conflict(message, { reason: 'too_many_connections' })
      }
      const rotated = await connectionSecrets.rotate(tx, {
        organizationId,
        connectionId: registered.id,
        hash: sha256(webhookSecret),
        most: MOST_SECRETS,
      })
      if (!rotated) {
        const message = `This account has had ${MOST_SECRETS} webhook secrets in 24 hours; PATCH changes it without a new one`
        throw conflict(message, { reason: 'too_many_secrets' })
      }
      const payload = { connectionId: registered.id }
      await outbox.put(tx, organizationId, { kind: 'verify_connection', payload }, requestId)
      return {
        success: true as const,
        created: registered.created,
        connectionId: registered.id,
        externalId: registered.externalId,
        roleArn: roleArn(accountId, region, registered.externalId),
        webhookSecret,
        webhookEndpoint: webhookEndpoint(publicUrl, accountId),
      }
    },
  )

  app.get(
    '/v1/connections',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'listConnections',
        summary: 'List connected cloud accounts, newest first',
        description:
          'Disconnected accounts are listed, too. Mail is sent through verified ones only.',
        response: { 200: ConnectionList },
      },
    },
    async ({ caller }) => ({
      connections: await connections.list(caller.sql, caller.organizationId),
    }),
  )

  app.patch(
    '/v1/connections/:id',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'changeConnection',
        summary: 'Rename a connection, or set the SNS topic it is believed',
        description:
          'Rotates nothing. Fields that are not given stay as they are, null clears; read-only fields are ignored.',
        params: IdParams,
        body: ConnectionPatch,
        response: { 200: Connection },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, body: { name, snsTopicArn } }) => {
      const changed = isUuid(id)
        ? await transact(sql, async (tx) => {
            const account = await connections.findAccount(tx, organizationId, id)
            if (!account) return undefined
            requireOwnTopic(snsTopicArn, account)
            return connections.change(tx, { organizationId, id }, { name, snsTopicArn })
          })
        : undefined
      return changed ?? Promise.reject(await missing(sql, 'connection', organizationId, id))
    },
  )

  app.get(
    '/v1/connections/:id/setup',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'getConnectionSetup',
        summary: 'Download what sets up the account’s side: CloudFormation or Terraform',
        description:
          'The role that we assume (with its external id, for us alone, and no more than we call), a configuration set, and the way of delivery events to the webhook, with a rate that follows from the account’s own (once verified) and a queue for what could not be delivered for a day. The webhook secret is a parameter that the tool asks for; it is not in the file. 409 `principal_not_configured`: the operator has not set AWS_PRINCIPAL_ARN.',
        params: IdParams,
        querystring: SetupQuery,
        response: {
          200: {
            description: 'A CloudFormation template (JSON), or a Terraform file (HCL)',
            content: {
              'application/json': {
                schema: { type: 'object', additionalProperties: true },
                example: { AWSTemplateFormatVersion: '2010-09-09', Resources: {} },
              },
              'text/plain': { schema: { type: 'string' } },
            },
          },
          ...failures(409),
        },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { format } }, reply) => {
      const account = isUuid(id) ? await connections.findSetup(sql, organizationId, id) : undefined
      if (!account) throw await missing(sql, 'connection', organizationId, id)
      const { type, name, text } = setupFile(format, account, deps)
      return reply
        .type(type)
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(text)
    },
  )

  app.post(
    '/v1/connections/:id/verify',
    {
      // The provider is asked between two transactions.
      config: { scope: 'full', leased: true },
      schema: {
        tags,
        operationId: 'verifyConnection',
        summary: 'Try out what the connection may do, and see what is missing',
        description:
          'Assumes the role with the external id, makes sure that it cannot be assumed without, and uses each permission once. Nothing is changed, and nothing sent but, at most once a minute, one mail to the provider’s mailbox simulator that names the configuration set. Mail is sent through the account while `isVerified`. Asked again within three seconds, it answers the same. `not_tried`: the role could not be assumed; `throttled` and `no_answer`: the provider did not say, and `isVerified` is what it was.',
        params: IdParams,
        response: { 200: ConnectionVerification, ...failures(409, 503) },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      const find = async () =>
        isUuid(id) ? connections.findVerification(sql, organizationId, id) : undefined
      const known = await find()
      if (!known) throw await missing(sql, 'connection', organizationId, id)
      if (known.disconnectedAt !== null) {
        throw conflict('The account is disconnected; register it again first', {
          reason: 'disconnected',
        })
      }
      const recent = foundWithin(known, VERIFY_EVERY_MS)
      if (recent) return recent
      const askedAt = performance.now()
      const question = { organizationId, connectionId: id, what: VERIFICATION }
      await waiting(organizationId, () => asker.ask(question, now() + VERIFY_MS))
      const tookMs = performance.now() - askedAt
      const found = foundWithin(await find(), VERIFY_EVERY_MS + tookMs)
      if (!found) throw unavailable()
      return found
    },
  )

  app.delete(
    '/v1/connections/:id',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'disconnectConnection',
        summary: 'Disconnect a cloud account; its record stays',
        description:
          'Clears the webhook secrets and stops sending through the account. Registering it again brings it back.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      const known =
        isUuid(id) && (await transact(sql, (tx) => connections.disconnect(tx, organizationId, id)))
      if (!known) throw await missing(sql, 'connection', organizationId, id)
      return { success: true as const }
    },
  )
}

/** What the last verification found, unless it is older than `ms` or the next is under way. */
function foundWithin(
  verification: connections.Verification | undefined,
  ms: number,
): ConnectionVerification | undefined {
  const { agoMs = null, checkedAt = null, checks = null } = verification ?? {}
  if (!verification || agoMs === null || checkedAt === null || checks === null) return undefined
  const { isVerified, verificationError, warnings } = verification
  return agoMs > ms ? undefined : { isVerified, verificationError, warnings, checkedAt, checks }
}

/** A topic of another account, or of another region of it, would speak for somebody else. */
function requireOwnTopic(
  snsTopicArn: string | null | undefined,
  { accountId, region }: connections.Account,
): void {
  if (typeof snsTopicArn !== 'string') return
  const [, itsPartition, , itsRegion, itsAccount] = snsTopicArn.split(':')
  if (itsAccount !== accountId) refuse('snsTopicArn', 'is a topic of another account')
  if (itsRegion !== region || itsPartition !== partition(region)) {
    refuse('snsTopicArn', 'is a topic of another region')
  }
}

function accountNumber({
  accountId,
  awsAccountId,
}: {
  accountId?: string
  awsAccountId?: string
}): string {
  const given = accountId ?? awsAccountId
  if (given === undefined) throw invalidBody('accountId', 'is required')
  if (awsAccountId === undefined || awsAccountId === given) return given
  throw badRequest('accountId and awsAccountId are two names of one thing and must be the same', [
    { path: 'awsAccountId', message: 'differs from accountId' },
  ])
}
