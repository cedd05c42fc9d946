import type { Uuid } from '../../runtime/ids.ts'
import { type Sql, within } from '../../store/db/sql.ts'
import * as mailFacts from '../../store/delivery/mail-facts.ts'
import { findOurs } from './match-untagged.ts'
import type { ReceivedEvent } from './receive-event.ts'

type Reason = 'unknown_mail' | 'no_recipient'

/**
 * Adds the reason to events that cannot have an effect: their tag names no mail of the connection,
 * although a mail is stored before it is sent; or they have no tag, are not about a mail of ours,
 * and name no recipient. The applier decides the same again later.
 */
export async function judgeEvents(
  sql: Sql,
  events: readonly ReceivedEvent[],
): Promise<ReceivedEvent[]> {
  const reasons = new Map<ReceivedEvent, Reason>()
  for (const organizationId of new Set(events.map((each) => each.organizationId))) {
    const own = events.filter((each) => each.organizationId === organizationId)
    for (const [received, reason] of await judgeOwn(within(sql, organizationId), own)) {
      reasons.set(received, reason)
    }
  }
  return events.map((received) => {
    const ignored = reasons.get(received)
    return ignored === undefined ? received : { ...received, ignored }
  })
}

async function judgeOwn(
  sql: Sql,
  own: readonly ReceivedEvent[],
): Promise<[ReceivedEvent, Reason][]> {
  const applicable = own.flatMap((received) => {
    const { event } = received
    return event && !event.isTrial ? [{ ...received, received, event }] : []
  })
  const nameless = applicable.filter(({ event: { isUntagged, recipients } }) => {
    return isUntagged && recipients.length === 0
  })
  const questions = nameless.map((each) => ({ ...each, receivedAt: new Date().toISOString() }))
  const matches = questions.length === 0 ? [] : await findOurs(sql, questions)
  const lost = nameless.filter((_, index) => !matches[index]?.mail && !matches[index]?.mayBeOurs)

  const tags = applicable.flatMap(({ event: { tagged } }) => tagged ?? [])
  const organizationId: Uuid | undefined = own[0]?.organizationId
  const existingMails =
    tags.length === 0 || organizationId === undefined
      ? []
      : await mailFacts.listKnown(sql, organizationId, tags)
  const mails = new Set(existingMails.map(({ connectionId, id }) => `${connectionId} ${id}`))
  const strange = applicable.filter(({ event: { isUntagged, tagged }, connectionId }) => {
    return !isUntagged && !mails.has(`${connectionId} ${tagged?.id}`)
  })
  return [
    ...lost.map(({ received }): [ReceivedEvent, Reason] => [received, 'no_recipient']),
    ...strange.map(({ received }): [ReceivedEvent, Reason] => [received, 'unknown_mail']),
  ]
}
