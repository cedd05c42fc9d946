import { badRequest, refuse } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../ids.ts'
import * as topics from '../../store/consent/topics.ts'
import * as contacts from '../../store/contacts/contacts.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { resolveTopics } from '../consent/topic-names.ts'

/** Unknown contacts that a refusal names. */
const MOST_NAMED = 20
/** An audience is estimated by counting up to this. */
const MOST_ESTIMATED = 10_001

export async function findTopic(tx: Transaction, organizationId: Uuid, id: string | undefined) {
  if (id === undefined) return null
  const { ids } = await resolveTopics(tx, organizationId, { topicIds: [id] })
  const [found] = ids
  if (found !== undefined) return found
  await refuseForeign(tx, 'topic', organizationId, id)
  return refuse('topicId', 'names no topic')
}

interface Audience {
  /** Null: a topic's subscribers, or everybody. */
  contactIds: Uuid[] | null
  estimate: number
}

export async function findAudience(
  tx: Transaction,
  organizationId: Uuid,
  wanted: readonly string[] | undefined,
  topicId: Uuid | null,
): Promise<Audience> {
  if (wanted === undefined && topicId !== null) {
    const { subscribed } = await topics.countByStatus(tx, organizationId, topicId, MOST_ESTIMATED)
    return { contactIds: null, estimate: subscribed }
  }
  if (wanted === undefined) {
    const estimate = await contacts.countMailable(tx, organizationId, MOST_ESTIMATED)
    return { contactIds: null, estimate }
  }
  const ids = [...new Set(wanted.map((id) => id.toLowerCase()))]
  const known = new Set(await contacts.listExisting(tx, organizationId, ids.filter(isUuid)))
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    const named = unknown.slice(0, MOST_NAMED)
    throw badRequest(
      `contactIds names ${unknown.length} unknown contacts: ${named.join(', ')}`,
      named.map((id) => ({ path: 'contactIds', message: `names ${id}, which is not a contact` })),
    )
  }
  return { contactIds: ids, estimate: ids.length }
}
