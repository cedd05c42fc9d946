import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { missing } from '../../../src/core/access/ownership.ts'
import { changeConnection } from '../../../src/core/accounts/change-connection.ts'
import { disconnect } from '../../../src/core/accounts/disconnect.ts'
import { register } from '../../../src/core/accounts/register.ts'
import { createVerification } from '../../../src/core/accounts/verify.ts'
import { roleArn } from '../../../src/domain/accounts/iam-role.ts'
import { badRequest } from '../../../src/domain/errors.ts'
import { isUuid, type Uuid } from '../../../src/runtime/ids.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  Connection,
  ConnectionInput,
  ConnectionList,
  ConnectionPatch,
  ConnectionVerification,
  RegisteredConnection,
  SetupQuery,
} from '../../../src/schemas/accounts/connection.ts'
import * as connections from '../../../src/store/accounts/connections.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { audit } from '../../access/audit.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { invalidBody } from '../../http/validation.ts'
import { setupFile, webhookEndpoint } from '../connection-setup.ts'

const tags = ['connections']

export const connectionRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { publicUrl, keyring, now } = deps
  const verify = createVerification(deps)

  app.post(
    '/v1/connections',
    {
      config: { scope: 'full', secrets: ['webhookSecret'] },
      schema: {
        tags,
        operationId: 'registerConnection',
        summary: 'Register a cloud account, or update it and rotate its webhook secret',
        description:
          'Registering the same account and region again updates the connection: `externalId` stays, a new webhook secret is generated, and earlier secrets work for another 24 hours. Create the role `roleArn`, which trusts Letterloom with `externalId`, and forward delivery events to `webhookEndpoint` with the secret in `x-webhook-secret`.',
        body: ConnectionInput,
        response: { 200: RegisteredConnection, ...failures(402, 409) },
      },
    },
    async (request) => {
      const { tx, id: requestId, caller, body: input } = request
      const { organizationId } = caller
      const { region, name, features, ...body } = input
      const accountId = accountNumber(body)
      const account = { accountId, region, name, features }
      const registered = await register(tx, organizationId, account, { keyring, requestId })
      await audit(tx, request, now, {
        action: registered.created ? 'connection.created' : 'connection.registered_again',
        subject: subjectOf(registered.id),
      })
      return {
        success: true as const,
        created: registered.created,
        connectionId: registered.id,
        externalId: registered.externalId,
        roleArn: roleArn(accountId, region, registered.externalId),
        webhookSecret: registered.webhookSecret,
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
        description: 'Includes disconnected accounts. Mail is sent through verified accounts only.',
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
        summary: 'Rename a connection, or set the queue or topic of its delivery events',
        description:
          'Only the fields that are sent change. Send null to clear a field. Read-only fields are ignored, and the webhook secret stays. A new queue is polled from then on. Events that arrive in other ways are still accepted.',
        params: IdParams,
        body: ConnectionPatch,
        response: { 200: Connection },
      },
    },
    async (request) => {
      const { caller, params, body } = request
      const { organizationId, sql } = caller
      const { name, snsTopicArn, eventQueueUrl } = body
      const { id } = params
      if (!isUuid(id)) throw await missing(sql, 'connection', organizationId, id)
      const changes = { name, snsTopicArn, eventQueueUrl }
      const fields = Object.entries(changes).flatMap(([field, value]) =>
        value === undefined ? [] : [field],
      )
      const changed = await transact(sql, async (tx) => {
        const connection = await changeConnection(tx, organizationId, id, changes)
        if (connection && fields.length > 0) {
          const auditEntry = { action: 'connection.updated', subject: subjectOf(id) }
          await audit(tx, request, now, { ...auditEntry, detail: { fields } })
        }
        return connection
      })
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
        summary: 'Download a setup file for the account: CloudFormation or Terraform',
        description:
          'The file creates the role that Letterloom assumes (with its external id and only the permissions that are used), a configuration set, and the delivery of events. `events=queue` (recommended) delivers them to a queue in the account: set its URL, an output of the file, as `eventQueueUrl`. `events=webhook` delivers them to our webhook, at a rate that follows from the verified account’s own. The tool asks for the webhook secret, which is not in the file. Events that cannot be delivered for a day are kept in a second queue. Fails with 409 `principal_not_configured` if the operator has not set AWS_PRINCIPAL_ARN.',
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
    async ({ caller: { organizationId, sql }, params: { id }, query }, reply) => {
      const account = isUuid(id) ? await connections.findSetup(sql, organizationId, id) : undefined
      if (!account) throw await missing(sql, 'connection', organizationId, id)
      const { type, name, text } = setupFile(query, account, deps)
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
        summary: 'Verify a connection and its permissions',
        description:
          'Assumes the role with the external id, checks that it cannot be assumed without it, and uses each permission once. Nothing is changed, and nothing is sent except, at most once a minute, one mail to the provider’s mailbox simulator that names the configuration set. Mail is sent through the account while `isVerified` is true. Requests within three seconds get the same response. `not_tried`: the role could not be assumed. `throttled` and `no_answer`: the provider gave no result, and `isVerified` does not change.',
        params: IdParams,
        response: { 200: ConnectionVerification, ...failures(409, 503) },
      },
    },
    ({ caller: { organizationId, sql }, params: { id } }) => verify(sql, organizationId, id),
  )

  app.delete(
    '/v1/connections/:id',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'disconnectConnection',
        summary: 'Disconnect a cloud account',
        description:
          'Clears the webhook secrets and stops sending through the account. Its record stays. Register the account again to reconnect it.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { caller, params } = request
      const { organizationId, sql } = caller
      const { id } = params
      if (!isUuid(id)) throw await missing(sql, 'connection', organizationId, id)
      const isNew = await transact(sql, async (tx) => {
        const disconnected = await disconnect(tx, organizationId, id)
        if (disconnected) {
          const subject = subjectOf(id)
          await audit(tx, request, now, { action: 'connection.disconnected', subject })
        }
        return disconnected
      })
      if (isNew === undefined) throw await missing(sql, 'connection', organizationId, id)
      return { success: true as const }
    },
  )
}

const subjectOf = (id: Uuid) => ({ kind: 'connection', id })

function accountNumber({
  accountId,
  awsAccountId,
}: {
  accountId?: string
  awsAccountId?: string
}): string {
  const number = accountId ?? awsAccountId
  if (number === undefined) throw invalidBody('accountId', 'is required')
  if (awsAccountId === undefined || awsAccountId === number) return number
  throw badRequest('accountId and awsAccountId must be equal', [
    { path: 'awsAccountId', message: 'differs from accountId' },
  ])
}
