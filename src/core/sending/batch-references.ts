import type { Audience } from '../../domain/audience/audience.ts'
import { badRequest, refuse } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../ids.ts'
import { requireFeature } from '../access/plan.ts'
import * as segments from '../../store/audience/segments.ts'
import * as audiences from '../../store/audience/audience.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { refuseForeign } from '../access/refuse-foreign.ts'
import { resolveTopics } from '../consent/topic-names.ts'

/** Unknown contacts that a refusal names. */
const MOST_NAMED = 20

export async function findTopic(tx: Transaction, organizationId: Uuid, id: string | undefined) {
  if (id === undefined) return null
  const { ids } = await resolveTopics(tx, organizationId, { topicIds: [id] })
  const [found] = ids
  if (found !== undefined) return found
  await refuseForeign(tx, 'topic', organizationId, id)
  return refuse('topicId', 'names no topic')
}

/** The segment that a batch names, which nobody deletes meanwhile; null: it names none. */
export async function findSegment(tx: Transaction, organizationId: Uuid, id: string | undefined) {
  if (id === undefined) return null
  await requireFeature(tx, organizationId, 'segments')
  const segment = isUuid(id) ? await segments.keep(tx, organizationId, id) : undefined
  if (segment) return segment
  await refuseForeign(tx, 'segment', organizationId, id)
  return refuse('segmentId', 'names no segment')
}

/** The contacts that a batch names, once each; null: it names none. 400 for those not there. */
export async function findContacts(
  tx: Transaction,
  organizationId: Uuid,
  wanted: readonly string[] | undefined,
): Promise<Uuid[] | null> {
  if (wanted === undefined) return null
  const ids = [...new Set(wanted.map((id) => id.toLowerCase()))]
  const named: Audience = [{ type: 'contacts', contactIds: ids.filter(isUuid) }]
  const existing = await audiences.listIds(tx, organizationId, named, { limit: ids.length })
  const known = new Set(existing.map(({ id }) => id))
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    const named = unknown.slice(0, MOST_NAMED)
    throw badRequest(
      `contactIds names ${unknown.length} unknown contacts: ${named.join(', ')}`,
      named.map((id) => ({ path: 'contactIds', message: `names ${id}, which is not a contact` })),
    )
  }
  return ids
}
