import { uuidv7 } from '../../src/runtime/ids.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import type { Sql } from '../../src/store/db/sql.ts'

const DAY_MS = 86_400_000
const DAYS = 60

/** SQL of a UUIDv7 of the moment `ms`, whose rest is a hash of `seed`. */
export const idOf = (ms: string, seed: string): string => `
  (substr(lpad(to_hex((${ms})::bigint), 12, '0'), 1, 8) || '-'
    || substr(lpad(to_hex((${ms})::bigint), 12, '0'), 9, 4) || '-7' || substr(md5(${seed}), 1, 3)
    || '-8' || substr(md5(${seed}), 4, 3) || '-' || substr(md5(${seed}), 7, 12))::uuid`

/**
 * Fills an organization with contacts, half of them with a subscription to the topic `news`, and
 * with events of five names in the last 58 days.
 */
export async function fillOrganization(
  sql: Sql,
  organizationId: string,
  { contacts, events }: { contacts: number; events: number },
): Promise<void> {
  for (let day = 0; day <= DAYS + 8; day += 8)
    await createPartitions(sql, Date.now() - day * DAY_MS)
  const topicId = uuidv7()
  await sql`
    insert into topics (organization_id, id, slug, name)
    values (${organizationId}, ${topicId}, 'news', 'News')`
  await sql.unsafe(`
    insert into contacts (organization_id, id, email, email_status, first_name, properties)
    select '${organizationId}', ${idOf(`${Date.now() - DAYS * DAY_MS} + n`, `'c' || n`)},
      'reader-' || n || '@example.com', 'active', 'Reader ' || n,
      jsonb_build_object('plan', (array['free', 'pro', 'team', 'none'])[1 + n % 4], 'seats', n % 50)
    from generate_series(1, ${contacts}) n`)
  await sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status)
    select organization_id, id, ${topicId},
      case when uuid_hash(id) % 5 = 0 then 'pending' else 'subscribed' end
    from contacts
    where uuid_hash(id) % 2 = 0`
  await sql`
    create temporary table places as
    select id, row_number() over (order by id) as place
    from contacts
    where organization_id = ${organizationId}`
  const AT_ONCE = 1_000_000
  const began = Date.now() - (DAYS - 2) * DAY_MS
  for (let from = 0; from < events; from += AT_ONCE) {
    await sql.unsafe(`
      insert into events (organization_id, id, contact_id, name, properties, occurred_at)
      select '${organizationId}', ${idOf('ms', `'e' || n`)}, contact.id,
        (array['bought', 'opened', 'left', 'called', 'read'])[1 + n % 5], '{"amount": 5}',
        to_timestamp(ms / 1000.0)
      from (
        select n, ${began} + (n::bigint * 7919 % ${(DAYS - 2) * DAY_MS}) as ms,
          1 + (n::bigint * 104729 % ${contacts}) as place
        from generate_series(${from + 1}, ${Math.min(events, from + AT_ONCE)}) n
      ) made
      join places contact using (place)`)
  }
  await sql`analyze`
}
