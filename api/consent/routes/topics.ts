import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Uuid } from '../../../src/runtime/ids.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  Topic,
  TopicInput,
  TopicList,
  TopicListQuery,
  TopicPatch,
  type TopicSummary,
} from '../../../src/schemas/consent/topic.ts'
import { type Executor, transact } from '../../../src/store/db/sql.ts'
import * as topics from '../../../src/store/consent/topics.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { missing } from '../../../src/core/access/ownership.ts'
import { MOST_COUNTED, pageOf } from '../../http/pages.ts'
import { prepareTopic } from '../../../src/core/consent/topic-rules.ts'
import { changeTopic, createTopic, deleteTopic } from '../../../src/core/consent/topics.ts'

const tags = ['contacts']
const reading = { scope: ['read', 'contacts'] } as const
const writing = { scope: 'contacts' } as const

export const topicRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.post(
    '/v1/topics',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'createTopic',
        summary: 'Create a topic',
        description:
          'Contacts can subscribe to topics. With `doubleOptIn`, a contact stays `pending` until they confirm an email, which requires `from` and a connected account. Without `slug`, a slug is derived from the name. An organization can have up to 1,000 topics.',
        body: TopicInput,
        response: { 201: Topic, ...failures(409) },
      },
      preHandler: ({ contents, caller: { organizationId, sql }, body }) =>
        prepareTopic(sql, organizationId, contents, body),
    },
    async ({ tx, contents, caller: { organizationId }, body }, reply) => {
      const created = await createTopic(tx, organizationId, contents, body)
      reply.code(201)
      return { ...created, subscribedCount: 0, pendingCount: 0, countsAreExact: true }
    },
  )

  app.get(
    '/v1/topics',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listTopics',
        summary: 'List topics, newest first',
        description: 'Returns topics without the number of their subscribers.',
        querystring: TopicListQuery,
        response: { 200: TopicList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'topics', organizationId, filters: {} }
      const before = decodeCursor(scope, cursor)
      const rows = await topics.list(sql, organizationId, { before, limit: limit + 1 })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.get(
    '/v1/topics/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getTopic',
        summary: 'Get a topic by id or slug',
        description:
          'Includes the number of subscribers, counted up to 10,000. Above that, `countsAreExact` is false.',
        params: IdParams,
        response: { 200: Topic },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      const topic = await topics.find(sql, organizationId, id)
      if (!topic) throw await missing(sql, 'topic', organizationId, id)
      return counted(sql, organizationId, topic)
    },
  )

  app.patch(
    '/v1/topics/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'updateTopic',
        summary: 'Update a topic by id or slug',
        description:
          'Updates only the fields that are sent. Send null to clear a field. Subscribed contacts stay subscribed if `doubleOptIn` changes.',
        params: IdParams,
        body: TopicPatch,
        response: { 200: Topic, ...failures(409) },
      },
      preHandler: ({ contents, caller: { organizationId, sql }, body }) =>
        prepareTopic(sql, organizationId, contents, body),
    },
    async ({ contents, caller: { organizationId, sql }, params: { id }, body }) => {
      const change = { idOrSlug: id, patch: body }
      const topic = await changeTopic(sql, organizationId, contents, change)
      if (!topic) throw await missing(sql, 'topic', organizationId, id)
      return counted(sql, organizationId, topic)
    },
  )

  app.delete(
    '/v1/topics/:id',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'deleteTopic',
        summary: 'Delete a topic by id or slug',
        description:
          'Deletes the topic and its subscriptions, but no contacts. Fails with 409 `topic_in_use` while an unfinished batch, an enabled workflow, an unfinished execution (of any version, or started by a subscription to it) or the condition of a segment uses the topic. `details` names them. Pending confirmations end, and their links stop working.',
        params: IdParams,
        response: { 200: Success, ...failures(409) },
      },
    },
    async ({ id: requestId, caller: { organizationId, sql }, params: { id } }) => {
      const isDeleted = await transact(sql, (tx) => deleteTopic(tx, organizationId, id, requestId))
      if (!isDeleted) throw await missing(sql, 'topic', organizationId, id)
      return { success: true as const }
    },
  )
}

async function counted(sql: Executor, organizationId: Uuid, topic: TopicSummary): Promise<Topic> {
  const most = MOST_COUNTED + 1
  const { subscribed, pending } = await topics.countByStatus(sql, organizationId, topic.id, most)
  return {
    ...topic,
    subscribedCount: Math.min(subscribed, MOST_COUNTED),
    pendingCount: Math.min(pending, MOST_COUNTED),
    countsAreExact: subscribed < most && pending < most,
  }
}
