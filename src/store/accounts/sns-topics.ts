import type { SnsTopic } from '../../domain/delivery/sns-message.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

/**
 * The topic that is believed for a connection, of whatever organization: the message's signature
 * and topic are the proof. Undefined: it has none, or there is no such connection.
 */
export async function find(sql: Sql, connectionId: Uuid): Promise<SnsTopic | undefined> {
  const [topic] = await sql<SnsTopic[]>`
    select organization_id, id, account_id, region, topic_arn
    from sns_topic(${connectionId})`
  return topic
}
