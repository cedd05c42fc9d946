import { conflict } from '../../domain/errors.ts'
import { slugTaken, underSlug } from '../../domain/slugs.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { TopicInput, TopicPatch, TopicSummary } from '../../schemas/consent/topic.ts'
import * as organizations from '../../store/access/organizations.ts'
import * as topics from '../../store/consent/topics.ts'
import {
  hasState,
  type Sql,
  transact,
  type Transaction,
  UNIQUE_VIOLATION,
} from '../../store/db/sql.ts'
import type { Contents } from '../../mail/content-checks.ts'
import { requireUnused } from '../access/require-unused.ts'
import { NEW_TOPIC, patchedTopic } from './topic-rules.ts'

/** Topics of an organization. A preferences page shows them all. */
const MOST_TOPICS = 1_000

/** Creates a topic. Throws a 409 if its slug is taken or there are too many topics. */
export async function createTopic(
  tx: Transaction,
  organizationId: Uuid,
  contents: Contents,
  input: TopicInput,
): Promise<TopicSummary> {
  const { name, slug = '' } = input
  await organizations.lock(tx, organizationId)
  if ((await topics.count(tx, organizationId)) >= MOST_TOPICS) {
    throw conflict(`An organization can have at most ${MOST_TOPICS} topics`, {
      reason: 'topic_limit',
    })
  }
  const checking = { tx, organizationId, contents }
  const topic = await patchedTopic(checking, { ...NEW_TOPIC, name, slug }, input)
  const id = uuidv7()
  const slugNames = { name, id, fallback: 'topic', ...(slug === '' ? {} : { slug }) }
  const created = await underSlug(slugNames, (free) =>
    topics.create(tx, { ...topic, organizationId, id, slug: free }),
  )
  if (!created) throw slugTaken('topic')
  return created
}

/**
 * Changes a topic by its id or slug. Undefined: there is none. Throws a 409 if the new slug is
 * taken.
 */
export const changeTopic = (
  sql: Sql,
  organizationId: Uuid,
  contents: Contents,
  { idOrSlug, patch }: { idOrSlug: string; patch: TopicPatch },
): Promise<TopicSummary | undefined> =>
  transact(sql, async (tx) => {
    const locked = await topics.lock(tx, organizationId, idOrSlug)
    if (!locked) return undefined
    const next = await patchedTopic({ tx, organizationId, contents }, locked, patch)
    return topics.update(tx, organizationId, locked.id, next)
  }).catch((error: unknown) => {
    throw hasState(error, UNIQUE_VIOLATION) ? slugTaken('topic') : error
  })

/**
 * Deletes a topic and its subscriptions by id or slug. False: there is none. Throws a 409 if a live
 * batch, an enabled flow, a live execution or a segment's condition uses it.
 */
export async function deleteTopic(
  tx: Transaction,
  organizationId: Uuid,
  idOrSlug: string,
  requestId: string,
): Promise<boolean> {
  const topic = await topics.lock(tx, organizationId, idOrSlug)
  if (!topic) return false
  const { id, slug } = topic
  await requireUnused(tx, organizationId, { kind: 'topic', id, slug }, [
    'batch',
    'workflow',
    'segment',
  ])
  await topics.remove(tx, organizationId, topic.id, requestId)
  return true
}
