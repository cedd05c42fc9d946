import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { badRequest } from '../../src/domain/errors.ts'
import { roleArn } from '../../src/domain/role.ts'
import { isUuid, uuidv7 } from '../../src/ids.ts'
import { IdParams, Success } from '../../src/schemas/common.ts'
import {
  ConnectionInput,
  ConnectionList,
  RegisteredConnection,
} from '../../src/schemas/connection.ts'
import * as connections from '../../src/store/connections.ts'
import * as outbox from '../../src/store/outbox.ts'
import { newWebhookSecret, sha256 } from '../../src/tokens.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { missing } from '../ownership.ts'
import { requireRoom } from '../plan.ts'
import { invalidBody } from '../validation.ts'

const tags = ['connections']

export const connectionRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { publicUrl, keyring } = deps

  app.post(
    '/v1/connections',
    {
      config: { scope: 'full', secrets: ['webhookSecret'] },
      schema: {
        tags,
        operationId: 'registerConnection',
        summary: 'Register a cloud account, or update it and rotate its webhook secret',
        description:
          'Registering the same account and region again updates it: `externalId` stays, the webhook secret is a new one, and the one before works for another 24 hours. Create the role `roleArn`, which trusts us with `externalId`, and forward delivery events to `webhookEndpoint` with the secret in `x-webhook-secret`.',
        body: ConnectionInput,
        response: { 200: RegisteredConnection, ...failures(402) },
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
        secretHash: sha256(webhookSecret),
      })
      const payload = { connectionId: registered.id }
      await outbox.put(tx, organizationId, { kind: 'verify_connection', payload }, requestId)
      return {
        success: true as const,
        created: registered.created,
        connectionId: registered.id,
        externalId: registered.externalId,
        roleArn: roleArn(accountId, region, registered.externalId),
        webhookSecret,
        webhookEndpoint: `${publicUrl}/webhooks/ses/${accountId}`,
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
      const known = isUuid(id) && (await connections.disconnect(sql, organizationId, id))
      if (!known) throw await missing(sql, 'connection', organizationId, id)
      return { success: true as const }
    },
  )
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
