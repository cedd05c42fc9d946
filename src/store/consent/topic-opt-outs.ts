import type { Addressed } from '../../domain/address.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../db/sql.ts'

export interface OptOut {
  topicId: Uuid
  address: Addressed
}

/** Stores opt-outs by address, since a contact may be deleted and created again. */
export async function record(
  tx: Transaction,
  organizationId: Uuid,
  optOuts: readonly OptOut[],
): Promise<void> {
  if (optOuts.length === 0) return
  await tx`
    insert into topic_opt_outs (organization_id, topic_id, address_key, opted_out_at)
    select ${organizationId}, topic_id, decode(key, 'hex'), clock_timestamp()
    from unnest(
      ${optOuts.map(({ topicId }) => topicId)}::uuid[],
      ${optOuts.map(({ address }) => address.keys[0].key)}::text[]
    ) as opt_out (topic_id, key)
    order by topic_id, key
    on conflict (organization_id, topic_id, address_key) do update
    set opted_out_at = excluded.opted_out_at`
}

/** Looks up when these addresses opted out of the topics, under every HMAC key. */
export async function lookUp(
  tx: Transaction,
  organizationId: Uuid,
  optOuts: readonly OptOut[],
): Promise<(optOut: OptOut) => string | null> {
  if (optOuts.length === 0) return () => null
  const rows = await tx<{ topicId: Uuid; key: string; optedOutAt: string }[]>`
    select o.topic_id, encode(o.address_key, 'hex') as key, o.opted_out_at
    from ${pairs(tx, optOuts)}
    join topic_opt_outs o on o.organization_id = ${organizationId}
      and o.topic_id = asked.topic_id and o.address_key = decode(asked.key, 'hex')`
  const timesByKey = new Map(
    rows.map(({ topicId, key, optedOutAt }) => [`${topicId} ${key}`, optedOutAt]),
  )
  return ({ topicId, address }) =>
    address.keys.map(({ key }) => timesByKey.get(`${topicId} ${key}`)).find((at) => at) ?? null
}

export async function forget(
  tx: Transaction,
  organizationId: Uuid,
  resubscribed: readonly OptOut[],
): Promise<void> {
  if (resubscribed.length === 0) return
  await tx`
    delete from topic_opt_outs o
    using ${pairs(tx, resubscribed)}
    where o.organization_id = ${organizationId} and o.topic_id = asked.topic_id
      and o.address_key = decode(asked.key, 'hex')`
}

const pairs = (tx: Transaction, optOuts: readonly OptOut[]) => {
  const each = optOuts.flatMap(({ topicId, address }) =>
    address.keys.map(({ key }) => ({ topicId, key })),
  )
  return tx`
    unnest(
      ${each.map(({ topicId }) => topicId)}::uuid[],
      ${each.map(({ key }) => key)}::text[]
    ) as asked (topic_id, key)`
}
