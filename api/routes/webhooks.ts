import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/ids.ts'
import { AccountNumberParams, EventEnvelope, WebhookAnswer } from '../../src/schemas/webhook.ts'
import type { WebhookProof } from '../../src/store/connection-secrets.ts'
import { noteEvent } from '../../src/store/connections.ts'
import * as inboundEvents from '../../src/store/inbound-events.ts'
import { isWebhookSecret } from '../../src/tokens.ts'
import { within } from '../../src/store/sql.ts'
import { coalesce } from '../coalesce.ts'
import type { Deps } from '../deps.ts'
import { failures } from '../failures.ts'
import { limitAddress } from '../rate-limit.ts'
import { SLOW_ANSWER_MS } from '../receiving.ts'
import { webhookProofs } from '../webhook-proofs.ts'

const SECRET_HEADER = 'x-webhook-secret'
const BODY_LIMIT = 256 * 1024
const STORE_LIMITS = { waitMs: 5, most: 200 }
const NOTE_EVERY_MS = 1_000

const proven = new WeakMap<FastifyRequest, WebhookProof>()

/**
 * Delivery events, stored before they are answered and applied afterwards. The proof decides whose
 * they are, never the body.
 */
export const webhookRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sql, keyring, receiving } = deps
  const findProof = webhookProofs(deps)
  const store = coalesce((events: inboundEvents.InboundEvent[]) => storeSet(events), STORE_LIMITS)
  const noted = new Map<Uuid, number>()

  app.addHook('onResponse', (request, reply, done) => {
    const isSlow = reply.elapsedTime > SLOW_ANSWER_MS
    const whose = proven.get(request)
    if (reply.statusCode >= 500 || (whose && (reply.statusCode === 429 || isSlow))) {
      receiving.refused(whose)
    }
    done()
  })

  app.post(
    '/webhooks/ses/:accountNumber',
    {
      config: {
        public: true,
        replacesUnstorable: true,
        // An account's events come from addresses that it shares with strangers.
        vouch: ({ param, headers }) =>
          isOurs(param('accountNumber'), headers[SECRET_HEADER]) ? 'unlimited' : undefined,
      },
      bodyLimit: BODY_LIMIT,
      schema: {
        tags: ['webhooks'],
        operationId: 'receiveSesEvent',
        summary: 'Receive a delivery event from EventBridge',
        description:
          'The secret decides whose the event is, never the body. Answered once the event is stored; the same event again is a `duplicate`. An unknown account and a wrong secret get the same 401.',
        params: AccountNumberParams,
        body: EventEnvelope,
        security: [{ webhookSecret: [] }],
        response: { 200: WebhookAnswer, ...failures(401) },
      },
      /** Before the body is read: a stranger's megabytes are not ours to parse. */
      onRequest: async (request, reply) => {
        const secret = request.headers[SECRET_HEADER]
        const { accountNumber } = request.params
        const given = typeof secret === 'string' ? secret : ''
        const proof = await findProof(accountNumber, given, async () => {
          // One of ours that is good no more was let through uncounted.
          if (isOurs(accountNumber, given)) await limitAddress(deps, request, reply)
        })
        if (!proof) {
          throw new AppError('UNAUTHORIZED', 'The webhook secret is missing or not valid')
        }
        proven.set(request, proof)
        reply.raw.once('close', () => {
          if (!reply.raw.writableFinished) receiving.refused(proof)
        })
      },
    },
    (request) => keep(request.body, proven.get(request)),
  )

  const isOurs = (accountNumber: string, secret: unknown): boolean =>
    typeof secret === 'string' && isWebhookSecret(keyring, accountNumber, secret)

  async function keep(
    body: EventEnvelope,
    proof: WebhookProof | undefined,
  ): Promise<WebhookAnswer> {
    if (!proof) throw new Error('the secret was not checked')
    if (body.account !== proof.accountId) return { status: 'ignored', reason: 'other_account' }
    if (body.region !== proof.region) return { status: 'ignored', reason: 'other_region' }
    const isNew = await store({
      organizationId: proof.organizationId,
      connectionId: proof.id,
      envelopeId: body.id,
      body: JSON.stringify(body),
    })
    return { status: isNew ? 'processed' : 'duplicate' }
  }

  async function storeSet(events: inboundEvents.InboundEvent[]): Promise<boolean[]> {
    const results = await inboundEvents.store(sql, events)
    for (const { organizationId, connectionId } of events) {
      const time = performance.now()
      if (time - (noted.get(connectionId) ?? -NOTE_EVERY_MS) < NOTE_EVERY_MS) continue
      noted.set(connectionId, time)
      await noteEvent(within(sql, organizationId), organizationId, connectionId)
    }
    return results
  }
}
