import type { Addressed } from '../domain/address.ts'
import type { Uuid } from '../ids.ts'
import type { Transaction } from './sql.ts'

/** A topic and the address of somebody who left it, or may have. */
export interface Departure {
  topicId: Uuid
  address: Addressed
}

/** Remembers by address who left a topic by themselves: a contact may be deleted and come back. */
export async function record(
  tx: Transaction,
  organizationId: Uuid,
  departures: readonly Departure[],
): Promise<void> {
  if (departures.length === 0) return
  await tx`
    insert into topic_departures as d (organization_id, topic_id, address_key, left_at)
    select ${organizationId}, topic_id, decode(key, 'hex'), clock_timestamp()
    from unnest(
      ${departures.map(({ topicId }) => topicId)}::uuid[],
      ${departures.map(({ address }) => address.keys[0].key)}::text[]
    ) as departure (topic_id, key)
    order by topic_id, key
    on conflict (organization_id, topic_id, address_key) do update
    set left_at = excluded.left_at`
}

/** When the people of these addresses left the topics; by any pepper. */
export async function lookUp(
  tx: Transaction,
  organizationId: Uuid,
  asked: readonly Departure[],
): Promise<(departure: Departure) => string | null> {
  if (asked.length === 0) return () => null
  const rows = await tx<{ topicId: Uuid; key: string; leftAt: string }[]>`
    select d.topic_id, encode(d.address_key, 'hex') as key, d.left_at
    from ${pairs(tx, asked)}
    join topic_departures d on d.organization_id = ${organizationId}
      and d.topic_id = asked.topic_id and d.address_key = decode(asked.key, 'hex')`
  const left = new Map(rows.map(({ topicId, key, leftAt }) => [`${topicId} ${key}`, leftAt]))
  return ({ topicId, address }) =>
    address.keys.map(({ key }) => left.get(`${topicId} ${key}`)).find((at) => at) ?? null
}

/** They came back: by their own word, or by that of somebody who vouches for it. */
export async function forget(
  tx: Transaction,
  organizationId: Uuid,
  returned: readonly Departure[],
): Promise<void> {
  if (returned.length === 0) return
  await tx`
    delete from topic_departures d
    using ${pairs(tx, returned)}
    where d.organization_id = ${organizationId} and d.topic_id = asked.topic_id
      and d.address_key = decode(asked.key, 'hex')`
}

const pairs = (tx: Transaction, asked: readonly Departure[]) => {
  const each = asked.flatMap(({ topicId, address }) =>
    address.keys.map(({ key }) => ({ topicId, key })),
  )
  return tx`
    unnest(
      ${each.map(({ topicId }) => topicId)}::uuid[],
      ${each.map(({ key }) => key)}::text[]
    ) as asked (topic_id, key)`
}
