import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSnsReceiver, toSnsEvent } from '../../../src/core/delivery/receive-sns.ts'
import { AppError, unavailable } from '../../../src/domain/errors.ts'
import type { SnsMessage, SnsTopic } from '../../../src/domain/delivery/sns-message.ts'
import {
  ConnectionParams,
  SnsMessage as SnsBody,
  WebhookAnswer,
} from '../../../src/schemas/delivery/webhook.ts'
import type { Deps } from '../../deps.ts'
import { malformedBody } from '../../http/errors.ts'
import { HttpError } from '../../http/http-error.ts'
import { failures } from '../../http/failures.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { limitAddress } from '../../limits/rate-limit.ts'
import { eventKeeper } from '../keep-events.ts'
import { tellMissedEvents } from '../missed-events.ts'
import { limitUnverified } from '../unverified-connections.ts'
import { readEventBodies, unreadOf } from '../webhook-bodies.ts'

/** Retry time for SNS' first three tries, which are 20 s apart (SNS developer guide). */
const RETRY_AFTER_SECONDS = 20

/**
 * Delivery events of an SNS topic. The signature and the topic decide which connection they belong
 * to. Unproven messages count against their address. Proven ones do not, since SNS has few
 * addresses.
 */
export const snsRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const receiver = createSnsReceiver(deps)
  const keep = eventKeeper(deps, app.log)
  const isProven = tellMissedEvents(app, deps)
  const takeTurn = limitUnverified(deps)
  readEventBodies(app, REQUEST_LIMITS.snsMessageBytes)

  /** Returns the refusal, or a 429 if there were too many. */
  const refuse = async (request: FastifyRequest, reply: FastifyReply, refusal: Error) => {
    await limitAddress(deps, request, reply)
    throw refusal
  }

  app.post(
    '/webhooks/sns/:connectionId',
    {
      // Whether it is from a stranger, its body says: those are counted by `refuse`.
      config: { public: true, unlimited: true, readsAnyBody: true },
      attachValidation: true,
      schema: {
        tags: ['webhooks'],
        operationId: 'receiveSnsMessage',
        summary: 'Receive a delivery event from SNS',
        description:
          'For topics that cannot use the queue or EventBridge. Set `snsTopicArn` of the connection first, then subscribe this address to the topic: the subscription is confirmed automatically. A message is accepted if it is of that topic, has a signature of SNS (version 1 or 2), and is not older than an hour. The event is stored before the answer. The same `MessageId` again is a `duplicate`, and an event that cannot be applied is `ignored` with the reason. Raw message delivery has no signature and is refused. All other messages get the same 401. Any content type is read as JSON, up to 256 KiB.',
        params: ConnectionParams,
        body: SnsBody,
        security: [],
        response: { 200: WebhookAnswer, ...failures(401, 503) },
      },
      /** Runs before the body is read. */
      onRequest: async (request, reply) => {
        if (request.headers['x-amz-sns-rawdelivery'] !== 'true') return
        await refuse(request, reply, rawDelivery())
      },
    },
    async (request, reply) => {
      if (request.validationError) return refuse(request, reply, unreadable(request))
      const { body: message, params } = request
      const proof = await receiver.prove(params.connectionId, message)
      if (proof.kind === 'refused') {
        const { problem } = proof
        request.log.info({ problem }, 'a message is not proven to be of the topic')
        return refuse(request, reply, unproven())
      }
      const { topic } = proof
      isProven(request, reply, topic)
      await takeTurn(topic.id, reply)
      if (proof.kind === 'unreachable') throw unreachable('The certificate of SNS')
      if (message.Type === 'Notification') return keep(toSnsEvent(message, topic))
      if (message.Type === 'SubscriptionConfirmation') return confirm(request, message, topic)
      request.log.warn({ connectionId: topic.id }, 'a topic of SNS sends no more delivery events')
      return { status: 'ignored' as const, reason: 'unsubscribed' }
    },
  )

  async function confirm(
    { log }: Pick<FastifyRequest, 'log'>,
    message: SnsMessage,
    topic: SnsTopic,
  ): Promise<WebhookAnswer> {
    const confirmation = await receiver.confirm(message, topic)
    log.info({ connectionId: topic.id, confirmation }, 'a topic of SNS asked for confirmation')
    if (confirmation === 'unreachable') throw unreachable('SNS')
    if (confirmation === 'confirmed') return { status: 'processed' }
    return { status: 'ignored', reason: 'confirmation_refused' }
  }
}

/** The same answer for an unknown connection, another topic and a wrong signature. */
const unproven = (): AppError =>
  new AppError('UNAUTHORIZED', 'The message is not proven to be of the topic of this connection')

const rawDelivery = (): AppError =>
  new AppError(
    'BAD_REQUEST',
    'Raw message delivery has no signature; switch it off for this subscription',
    { reason: 'raw_delivery' },
  )

const unreachable = (what: string): AppError =>
  unavailable(`${what} cannot be reached; try again`, {
    reason: 'provider_unreachable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

/** Returns the error for a body that is not a message. */
function unreadable(request: FastifyRequest): Error {
  const { reason } = unreadOf(request)
  if (request.body !== undefined && request.validationError) return request.validationError
  if (reason === 'too_large') {
    const most = REQUEST_LIMITS.snsMessageBytes
    return new AppError('PAYLOAD_TOO_LARGE', `The body is larger than ${most} bytes`)
  }
  if (reason === 'unsupported_encoding') {
    const message = 'Content-Encoding is not supported here'
    return new HttpError('REQUEST_FAILED', message, { status: 415 })
  }
  return malformedBody('is not a JSON object that can be stored')
}
