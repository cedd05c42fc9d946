import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflict } from '../../src/domain/errors.ts'
import { type Uuid, uuidv7 } from '../../src/ids.ts'
import { IdParams, Success } from '../../src/schemas/common.ts'
import {
  Topic,
  TopicInput,
  TopicList,
  TopicListQuery,
  TopicPatch,
  type TopicSummary,
} from '../../src/schemas/topic.ts'
import * as organizations from '../../src/store/organizations.ts'
import { type Executor, hasState, transact, UNIQUE_VIOLATION } from '../../src/store/sql.ts'
import * as topics from '../../src/store/topics.ts'
import { decodeCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import { missing } from '../ownership.ts'
import { MOST_COUNTED, pageOf } from '../pages.ts'
import { slugTaken, underSlug } from '../slugs.ts'
import { NEW_TOPIC, patchedTopic, prepareTopic } from '../topic-rules.ts'

const tags = ['contacts']
const reading = { scope: ['read', 'contacts'] } as const
const writing = { scope: 'contacts' } as const
/** Of an organization: a page of preferences shows them all. */
const MOST_TOPICS = 1_000

/** What contacts subscribe to. Confirmations are the `confirmTopic` workflow. */
export const topicRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.post(
    '/v1/topics',
    {
      config: writing,
      schema: {
        tags,
        operationId: 'createTopic',
        summary: 'Create a topic that contacts can subscribe to',
        description:
          'With `doubleOptIn` a contact is `pending` until they confirm a mail, which needs `from` and an account. Without `slug`, one is made of the name. An organization has up to 1,000 topics.',
        body: TopicInput,
        response: { 201: Topic, ...failures(409) },
      },
      preHandler: ({ contents, caller: { organizationId, sql }, body }) =>
        prepareTopic(sql, organizationId, contents, body),
    },
    async ({ tx, contents, caller: { organizationId }, body }, reply) => {
      const { name, slug = '' } = body
      await organizations.lock(tx, organizationId)
      if ((await topics.count(tx, organizationId)) >= MOST_TOPICS) {
        throw conflict(`There are ${MOST_TOPICS} topics already`, { reason: 'topic_limit' })
      }
      const checking = { tx, organizationId, contents }
      const topic = await patchedTopic(checking, { ...NEW_TOPIC, name, slug }, body)
      const id = uuidv7()
      const named = { name, id, fallback: 'topic', ...(slug === '' ? {} : { slug }) }
      const created = await underSlug(named, (free) =>
        topics.create(tx, { ...topic, organizationId, id, slug: free }),
      )
      if (!created) throw slugTaken('topic')
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
        description: 'Without the numbers of their subscribers.',
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
        summary: 'Get a topic by id or slug, with the number of its subscribers',
        description: 'Subscribers are counted to 10,000; `countsAreExact` is false beyond.',
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
        summary: 'Change a topic, by id or slug',
        description:
          'Only the given fields; null clears. Who is subscribed stays so when `doubleOptIn` changes.',
        params: IdParams,
        body: TopicPatch,
        response: { 200: Topic, ...failures(409) },
      },
      preHandler: ({ contents, caller: { organizationId, sql }, body }) =>
        prepareTopic(sql, organizationId, contents, body),
    },
    async ({ contents, caller: { organizationId, sql }, params: { id }, body }) => {
      const topic = await transact(sql, async (tx) => {
        const locked = await topics.lock(tx, organizationId, id)
        if (!locked) return undefined
        const next = await patchedTopic({ tx, organizationId, contents }, locked, body)
        return topics.update(tx, organizationId, locked.id, next)
      }).catch((error: unknown) => {
        throw hasState(error, UNIQUE_VIOLATION) ? slugTaken('topic') : error
      })
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
        summary: 'Delete a topic with its subscriptions, by id or slug',
        description:
          'Contacts stay. 409 while a batch that uses the topic is queued, scheduled or processing. Confirmations that are awaited end, and their links stop working. Executions of workflows that a subscription to it started are cancelled when they come to their next step (`topic_deleted`).',
        params: IdParams,
        response: { 200: Success, ...failures(409) },
      },
    },
    async ({ id: requestId, caller: { organizationId, sql }, params: { id } }) => {
      const isGone = await transact(sql, async (tx) => {
        const topic = await topics.lock(tx, organizationId, id)
        if (!topic) return false
        if (await topics.isBeingMailed(tx, organizationId, topic.id)) {
          throw conflict('A batch that has not ended uses this topic', { reason: 'topic_in_use' })
        }
        await topics.remove(tx, organizationId, topic.id, requestId)
        return true
      })
      if (!isGone) throw await missing(sql, 'topic', organizationId, id)
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
