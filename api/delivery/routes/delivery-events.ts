import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AppError } from '../../../src/domain/errors.ts'
import { webhookProofs } from '../../../src/core/accounts/webhook-proofs.ts'
import { toInboundEvent, toUnreadEvent } from '../../../src/core/delivery/receive-event.ts'
import {
  AccountNumberParams,
  EventEnvelope,
  WebhookAnswer,
} from '../../../src/schemas/delivery/webhook.ts'
import type { WebhookProof } from '../../../src/store/accounts/connection-secrets.ts'
import { isWebhookSecret } from '../../../src/keys/tokens.ts'
import type { Deps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { limitAddress } from '../../limits/rate-limit.ts'
import { eventKeeper } from '../keep-events.ts'
import { tellMissedEvents } from '../missed-events.ts'
import { limitUnverified } from '../unverified-connections.ts'
import { readEventBodies, unreadOf } from '../webhook-bodies.ts'

const SECRET_HEADER = 'x-webhook-secret'

declare module 'fastify' {
  interface FastifyRequest {
    /** Connection of the request's secret. */
    webhookProof: WebhookProof | undefined
  }
}

/**
 * Delivery events, stored before they are answered and applied afterwards. The proof decides whose
 * they are, never the body.
 */
export const webhookRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { keyring } = deps
  const findProof = webhookProofs(deps)
  const keep = eventKeeper(deps, app.log)
  const isProven = tellMissedEvents(app, deps)
  const takeTurn = limitUnverified(deps)
  readEventBodies(app, REQUEST_LIMITS.deliveryEventBytes)
  app.decorateRequest('webhookProof', undefined)

  app.post(
    '/webhooks/ses/:accountNumber',
    {
      config: {
        public: true,
        readsAnyBody: true,
        // An account's events come from addresses that it shares with strangers.
        vouch: ({ param, headers }) =>
          isOurs(param('accountNumber'), headers[SECRET_HEADER]) ? 'unlimited' : undefined,
      },
      // A wrong body is kept and answered 200: the event bus takes a 4xx for the end of an event.
      attachValidation: true,
      schema: {
        tags: ['webhooks'],
        operationId: 'receiveSesEvent',
        summary: 'Receive a delivery event from EventBridge',
        description:
          'The secret decides which connection the event belongs to, never the body. The event is stored before you get the answer. The same event again is a `duplicate`. An event without our tags is applied to the mail with its message id. If there is none, it is about mail of another program, which gets a log with `sourceType: external`. Events that cannot be applied, have no effect or cannot be read are stored and `ignored` with the reason: with a valid secret no event is refused for its content. An unknown account and a wrong secret get the same 401.',
        params: AccountNumberParams,
        body: EventEnvelope,
        security: [{ webhookSecret: [] }],
        response: { 200: WebhookAnswer, ...failures(401) },
      },
      /** Runs before the body is read, so that a stranger's megabytes are not parsed. */
      onRequest: async (request, reply) => {
        const secret = request.headers[SECRET_HEADER]
        const { accountNumber } = request.params
        const givenSecret = typeof secret === 'string' ? secret : ''
        const proof = await findProof(accountNumber, givenSecret, async () => {
          // One of ours that is good no more was let through uncounted.
          if (isOurs(accountNumber, givenSecret)) await limitAddress(deps, request, reply)
        })
        if (!proof) {
          throw new AppError('UNAUTHORIZED', 'The webhook secret is missing or not valid')
        }
        request.webhookProof = proof
        isProven(request, reply, proof)
        await takeTurn(proof.id, reply)
      },
    },
    (request) => {
      const { webhookProof: proof } = request
      if (!proof) throw new Error('the secret was not checked')
      if (request.validationError === undefined) return keep(toInboundEvent(request.body, proof))
      return keep(toUnreadEvent(unreadOf(request), proof))
    },
  )

  const isOurs = (accountNumber: string, secret: unknown): boolean =>
    typeof secret === 'string' && isWebhookSecret(keyring, accountNumber, secret)
}
