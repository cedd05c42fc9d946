import type { SnsTopic } from '../../domain/delivery/sns-message.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

/**
 * Returns the topic of a connection of any organization: the message's signature and topic are the
 * proof. Undefined: it has none, or the connection does not exist.
 */
export async function find(sql: Sql, connectionId: Uuid): Promise<SnsTopic | undefined> {
  const [topic] = await sql<SnsTopic[]>`
    select organization_id, id, account_id, region, topic_arn
    from sns_topic(${connectionId})`
  return topic
}
