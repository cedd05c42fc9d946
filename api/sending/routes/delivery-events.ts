import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../src/domain/errors.ts'
import { judgeEvents } from '../../../src/core/sending/judge-events.ts'
import {
  type ReceivedEvent,
  toInboundEvent,
  toUnreadEvent,
} from '../../../src/core/sending/receive-event.ts'
import type { Uuid } from '../../../src/ids.ts'
import {
  AccountNumberParams,
  EventEnvelope,
  WebhookAnswer,
} from '../../../src/schemas/sending/webhook.ts'
import type { WebhookProof } from '../../../src/store/accounts/connection-secrets.ts'
import { noteEvent } from '../../../src/store/accounts/connections.ts'
import * as inboundEvents from '../../../src/store/sending/inbound-events.ts'
import { isWebhookSecret } from '../../../src/tokens.ts'
import { within } from '../../../src/store/db/sql.ts'
import { coalesce } from '../../http/coalesce.ts'
import type { Deps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { limitAddress } from '../../limits/rate-limit.ts'
import { SLOW_ANSWER_MS } from '../../../src/core/sending/receiving.ts'
import { readEventBodies, unreadOf } from '../webhook-bodies.ts'
import { webhookProofs } from '../../../src/core/accounts/webhook-proofs.ts'

const SECRET_HEADER = 'x-webhook-secret'
const STORE_LIMITS = { waitMs: 5, most: 200 }
const NOTE_EVERY_MS = 1_000
/** Of the event bus's five seconds. */
const JUDGE_MS = 1_000

const proven = new WeakMap<FastifyRequest, WebhookProof>()

/**
 * Delivery events, stored before they are answered and applied afterwards. The proof decides whose
 * they are, never the body.
 */
export const webhookRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { sql, keyring, metrics, receiving } = deps
  const findProof = webhookProofs(deps)
  const store = coalesce((events: ReceivedEvent[]) => storeSet(events), STORE_LIMITS)
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
          'The secret decides whose the event is, never the body. Answered once the event is stored; the same event again is a `duplicate`. An event without our tags is applied to the mail with its message id, or else it is of mail that another program sent: a log with `sourceType: external`. What can never be applied, from which nothing follows, and a body that is no event, are `ignored` with the reason, and kept: with a right secret nothing is refused for what it says. An unknown account and a wrong secret get the same 401.',
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
      if (request.validationError === undefined) return keep(toInboundEvent(request.body, proof))
      const unread = unreadOf(request)
      const { reason } = unread
      request.log.warn({ connectionId: proof.id, reason }, 'a delivery event could not be read')
      return keep(toUnreadEvent(unread, proof))
    },
  )

  const isOurs = (accountNumber: string, secret: unknown): boolean =>
    typeof secret === 'string' && isWebhookSecret(keyring, accountNumber, secret)

  async function keep(received: ReceivedEvent): Promise<WebhookAnswer> {
    const { isNew, reason } = await store(received)
    if (reason === undefined) return { status: isNew ? 'processed' : 'duplicate' }
    if (isNew) metrics.eventsNotApplied.inc({ reason })
    return { status: 'ignored', reason }
  }

  /** The applier judges them too: for want of an answer in time no event waits, or is refused. */
  const judge = (received: readonly ReceivedEvent[]): Promise<readonly ReceivedEvent[]> =>
    Promise.race([
      judgeEvents(sql, received).catch(() => received),
      sleep(JUDGE_MS, received, { ref: false }),
    ])

  /** That events come. Nobody waits for it: the row may be locked, and the next event notes it. */
  function note(events: readonly ReceivedEvent[]): void {
    for (const { organizationId, connectionId, ignored, error } of events) {
      if (ignored !== undefined || error !== undefined) continue
      const time = performance.now()
      if (time - (noted.get(connectionId) ?? -NOTE_EVERY_MS) < NOTE_EVERY_MS) continue
      noted.set(connectionId, time)
      noteEvent(within(sql, organizationId), organizationId, connectionId).catch((err: unknown) =>
        app.log.warn({ err, connectionId }, 'an event could not be noted'),
      )
    }
  }

  async function storeSet(received: readonly ReceivedEvent[]): Promise<Stored[]> {
    const events = await judge(received)
    const results = await inboundEvents.store(sql, events)
    note(events)
    return events.map(({ ignored, error }, index) => ({
      isNew: results[index] === true,
      reason: ignored ?? error,
    }))
  }
}

interface Stored {
  isNew: boolean
  /** Why it is not applied. */
  reason: string | undefined
}
