import { refuse } from '../../domain/errors.ts'
import { partition } from '../../domain/accounts/iam-role.ts'
import { queueUrlProblem } from '../../domain/delivery/event-queue.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Connection } from '../../schemas/accounts/connection.ts'
import * as eventQueuePolls from '../../store/accounts/event-queue-polls.ts'
import * as connections from '../../store/accounts/connections.ts'
import type { Transaction } from '../../store/db/sql.ts'

/**
 * Changes the named fields. Undefined: the connection does not exist. Throws a 400 for the topic or
 * queue of another account or region.
 */
export async function changeConnection(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  changes: connections.Changes,
): Promise<Connection | undefined> {
  const account = await connections.findAccount(tx, organizationId, id)
  if (!account) return undefined
  requireOwnTopic(changes.snsTopicArn, account)
  const { eventQueueUrl } = changes
  if (typeof eventQueueUrl === 'string') {
    const problem = queueUrlProblem(eventQueueUrl, account)
    if (problem !== undefined) refuse('eventQueueUrl', problem)
    await eventQueuePolls.begin(tx, organizationId, id)
  }
  if (eventQueueUrl === null) await eventQueuePolls.end(tx, organizationId, id)
  return connections.change(tx, { organizationId, id }, changes)
}

function requireOwnTopic(
  snsTopicArn: string | null | undefined,
  { accountId, region }: connections.Account,
): void {
  if (typeof snsTopicArn !== 'string') return
  const [, itsPartition, , itsRegion, itsAccount] = snsTopicArn.split(':')
  if (itsAccount !== accountId) refuse('snsTopicArn', 'is a topic of another account')
  if (itsRegion !== region || itsPartition !== partition(region)) {
    refuse('snsTopicArn', 'is a topic of another region')
  }
}
