import { refusalOf } from '../../domain/access/ownership.ts'
import { badRequest, refuse } from '../../domain/errors.ts'
import { readSender } from '../../domain/mailbox.ts'
import { isUuid, type Uuid } from '../../ids.ts'
import type { BatchInput } from '../../schemas/sending/batch.ts'
import * as topics from '../../store/consent/topics.ts'
import * as contacts from '../../store/contacts/contacts.ts'
import { isElsewhere } from '../../store/access/organizations.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import { nameAccount } from '../accounts/named-account.ts'
import type { Sender } from '../accounts/sender-check.ts'
import { resolveTopics } from '../consent/topic-names.ts'

/** What a batch names by id. */
const KIND_NAMES = {
  template: 'published template',
  topic: 'topic',
} as const
/** Unknown contacts that a refusal names. */
const MOST_NAMED = 20
/** An audience is estimated by counting up to this. */
const MOST_ESTIMATED = 10_001

/** The sender of a batch, checked before it is created; undefined: no connected account. */
export async function senderOf(
  sql: Executor,
  organizationId: Uuid,
  input: BatchInput,
): Promise<Sender | undefined> {
  const account = await nameAccount(sql, organizationId, input)
  if (account?.disconnectedAt !== null) return undefined
  return { connectionId: account.id, address: readSender(input.from, undefined).address }
}

export async function findTopic(tx: Transaction, organizationId: Uuid, id: string | undefined) {
  if (id === undefined) return null
  const { ids } = await resolveTopics(tx, organizationId, { topicIds: [id] })
  return ids[0] ?? refuseForeign(tx, 'topic', organizationId, id, 'topicId')
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

/** 403 when another organization has it, else a 400 that names the field. */
export async function refuseForeign(
  tx: Transaction,
  kind: keyof typeof KIND_NAMES,
  organizationId: Uuid,
  id: string,
  path: string,
): Promise<never> {
  if (await isElsewhere(tx, kind, organizationId, id)) throw refusalOf(kind, true)
  return refuse(path, `names no ${KIND_NAMES[kind]}`)
}
