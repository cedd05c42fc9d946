import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../src/domain/errors.ts'
import { isKnownKind, parseSesEvent } from '../../src/domain/ses-event.ts'
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
import { readEventBodies, type Unread, unreadOf } from '../webhook-bodies.ts'
import { webhookProofs } from '../webhook-proofs.ts'

const SECRET_HEADER = 'x-webhook-secret'
const STORE_LIMITS = { waitMs: 5, most: 200 }
const NOTE_EVERY_MS = 1_000

const proven = new WeakMap<FastifyRequest, WebhookProof>()

/**
 * Delivery events, stored before they are answered and applied afterwards. The proof decides whose
 * they are, never the body.
 */
export const webhookRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sql, keyring, metrics, receiving } = deps
  const findProof = webhookProofs(deps)
  const store = coalesce((events: inboundEvents.InboundEvent[]) => storeSet(events), STORE_LIMITS)
  const noted = new Map<Uuid, number>()
  readEventBodies(app)

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
          'The secret decides whose the event is, never the body. Answered once the event is stored; the same event again is a `duplicate`. What can never be applied, and a body that is no event, are `ignored` and kept: with a right secret nothing is refused for what it says. An unknown account and a wrong secret get the same 401.',
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
          if (!reply.raw.writableEnded) receiving.refused(proof)
        })
      },
    },
    (request) => {
      const proof = proven.get(request)
      if (!proof) throw new Error('the secret was not checked')
      if (request.validationError === undefined) return keep(request.body, proof)
      const unread = unreadOf(request)
      const { reason } = unread
      request.log.warn({ connectionId: proof.id, reason }, 'a delivery event could not be read')
      return keepUnread(unread, proof)
    },
  )

  const isOurs = (accountNumber: string, secret: unknown): boolean =>
    typeof secret === 'string' && isWebhookSecret(keyring, accountNumber, secret)

  async function keep(body: EventEnvelope, proof: WebhookProof): Promise<WebhookAnswer> {
    const fate = fateOf(body, proof)
    const { organizationId, id: connectionId } = proof
    const isNew = await store({
      organizationId,
      connectionId,
      envelopeId: body.id,
      // What another organization's mail says is not for this one to keep.
      body: fate.ignored === 'other_organization' ? '{}' : JSON.stringify(body),
      ...fate,
    })
    const reason = fate.ignored ?? fate.error
    if (reason !== undefined) return ignore(reason, isNew)
    return { status: isNew ? 'processed' : 'duplicate' }
  }

  async function keepUnread({ reason, text, digest }: Unread, proof: WebhookProof) {
    const { organizationId, id: connectionId } = proof
    const envelopeId = `unread ${digest}`
    const body = JSON.stringify({ unread: text })
    const isNew = await store({ organizationId, connectionId, envelopeId, body, error: reason })
    return ignore(reason, isNew)
  }

  function ignore(reason: string, isNew: boolean): WebhookAnswer {
    if (isNew) metrics.eventsNotApplied.inc({ reason })
    return { status: 'ignored', reason }
  }

  async function storeSet(events: inboundEvents.InboundEvent[]): Promise<boolean[]> {
    const results = await inboundEvents.store(sql, events)
    for (const { organizationId, connectionId, ignored, error } of events) {
      if (ignored !== undefined || error !== undefined) continue
      const time = performance.now()
      if (time - (noted.get(connectionId) ?? -NOTE_EVERY_MS) < NOTE_EVERY_MS) continue
      noted.set(connectionId, time)
      await noteEvent(within(sql, organizationId), organizationId, connectionId)
    }
    return results
  }
}

/** Why an event is not for the applier; nothing: it is. */
function fateOf(
  { account, region, detail }: EventEnvelope,
  proof: WebhookProof,
): Pick<inboundEvents.InboundEvent, 'ignored' | 'error'> {
  if (account !== proof.accountId) return { ignored: 'other_account' }
  if (region !== proof.region) return { ignored: 'other_region' }
  const event = parseSesEvent(detail)
  if (!event) return isKnownKind(detail) ? { error: 'no_event' } : { ignored: 'unknown_event' }
  const organizationId = event.tagged?.organizationId ?? proof.organizationId
  return organizationId === proof.organizationId ? {} : { ignored: 'other_organization' }
}
