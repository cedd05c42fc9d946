import type { Uuid } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { type Kept, summed } from './figures.ts'
import {
  effectOf,
  figuresOf,
  hasBounced,
  isClickByPerson,
  isOpenByPerson,
  type Known,
  knownOf,
  last,
  type Told,
  type ToldMail,
} from './told-mails.ts'

/** Stored states of mails, contacts and batches, and the expected ones after all events. */

const LISTED = 'OnAccountSuppressionList'
const QUARTER_MS = 900_000

/** The first few keys whose values differ from the expected ones. */
export function differences<T>(
  should: ReadonlyMap<string, T>,
  is: ReadonlyMap<string, T>,
): unknown[] {
  return [...new Set([...should.keys(), ...is.keys()])]
    .map((key) => ({ key, should: should.get(key), is: is.get(key) }))
    .filter((each) => JSON.stringify(each.should) !== JSON.stringify(each.is))
    .slice(0, 5)
}

/** The reason of a broken call is left out, since no event tells it. */
export async function readMails(sql: Sql, organizationId: Uuid): Promise<Map<string, Known>> {
  const rows = await sql<(Known & { id: Uuid })[]>`
    select id, state, status, message_id, sent_at, delivered_at, opened_at, human_opened_at,
      clicked_at, human_clicked_at, bounced_at, bounce_type, bounce_sub_type, complained_at, case when state <> 'unknown' then error end as error
    from messages
    where organization_id = ${organizationId}`
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}

/** Number of timeline entries of each mail. */
export async function readTimelines(sql: Sql, organizationId: Uuid): Promise<Map<string, number>> {
  const rows = await sql<{ id: Uuid; count: number }[]>`
    select log_id as id, count(*)::int as count
    from delivery_events
    where organization_id = ${organizationId}
    group by log_id`
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** State of a contact. `listed` is the reason on the suppression list. */
export interface Person {
  sent: number
  opened: number
  clicked: number
  sentAt: string | null
  openedAt: string | null
  clickedAt: string | null
  activeAt: string | null
  status: string
  listed: string | null
}

/** Contacts by address. */
export async function readPeople(sql: Sql, organizationId: Uuid): Promise<Map<string, Person>> {
  const rows = await sql<(Person & { email: string })[]>`
    select c.email, coalesce(s.emails_sent, 0) as sent, coalesce(s.emails_opened, 0) as opened,
      coalesce(s.emails_clicked, 0) as clicked, s.last_email_sent_at as sent_at,
      s.last_email_opened_at as opened_at, s.last_email_clicked_at as clicked_at,
      s.last_activity_at as active_at, c.email_status as status, l.reason as listed
    from contacts c
    left join contact_stats s on s.organization_id = c.organization_id and s.contact_id = c.id
    left join suppressions l on l.organization_id = c.organization_id and l.address = c.email
    where c.organization_id = ${organizationId}`
  return new Map(rows.map(({ email, ...row }) => [email, row]))
}

/** Expected contacts after the events of their mails. `before`: after the calls were answered. */
export function peopleOf(
  mails: readonly ToldMail[],
  before: ReadonlyMap<string, Person>,
): Map<string, Person> {
  const byAddress = new Map<string, ToldMail[]>()
  for (const mail of mails) {
    const email = mail.recipient ?? ''
    byAddress.set(email, [...(byAddress.get(email) ?? []), mail])
  }
  return new Map(
    [...byAddress].map(([email, own]) => [email, personOf(own, before.get(email)?.sentAt ?? null)]),
  )
}

function personOf(mails: readonly ToldMail[], sentBefore: string | null): Person {
  const knownMails = mails.map(knownOf)
  const lastOf = (holds: (each: Told) => boolean) =>
    last(mails.flatMap(({ told }) => told.filter(holds).map((each) => each.at)))
  // Of a mail whose call was not answered its events alone tell that it was sent.
  const acceptedAt = mails.flatMap(({ answered, told }) =>
    answered ? [] : told.map(({ accepted }) => accepted.at),
  )
  const effect = effectOf(mails)
  return {
    sent: knownMails.filter(({ state }) => state === 'sent').length,
    opened: knownMails.filter(({ humanOpenedAt: openedAt }) => openedAt !== null).length,
    clicked: knownMails.filter(({ humanClickedAt: clickedAt }) => clickedAt !== null).length,
    sentAt: last([sentBefore, ...acceptedAt]),
    openedAt: lastOf(isOpenByPerson),
    clickedAt: lastOf(isClickByPerson),
    activeAt: lastOf(isOpenByPerson),
    status: effect ?? 'active',
    listed: effect ?? null,
  }
}

/** The counters of a batch. */
export async function readBatch(sql: Sql, organizationId: Uuid, batchId: Uuid) {
  const [row] = await sql`
    select sent, failed, skipped, unknown, delivered, opened, clicked, bounced, complained,
      suppressed, duplicates
    from batches
    where organization_id = ${organizationId} and id = ${batchId}`
  return row
}

/** Expected counters of the batch of these mails. */
export function batchOf(mails: readonly ToldMail[]) {
  const knownMails = mails.map(knownOf)
  const count = (holds: (each: Known) => boolean) => knownMails.filter(holds).length
  const isSuppressed = ({ bounceSubType }: Known) => bounceSubType === LISTED
  const acceptances = mails.map(({ told, answered }) => {
    const all = [...told.map(({ accepted }) => accepted), ...(answered ? [answered] : [])]
    return new Set(all.map(({ messageId }) => messageId)).size
  })
  return {
    sent: count(({ state }) => state === 'sent'),
    failed: 0,
    skipped: 0,
    unknown: count(({ state }) => state === 'unknown'),
    delivered: count(({ deliveredAt }) => deliveredAt !== null),
    opened: count(({ openedAt }) => openedAt !== null),
    clicked: count(({ clickedAt }) => clickedAt !== null),
    bounced: count(hasBounced),
    complained: count(({ complainedAt }) => complainedAt !== null),
    suppressed: count(isSuppressed),
    duplicates: acceptances.reduce((sum, ids) => sum + Math.max(0, ids - 1), 0),
  }
}

/** Expected figures of metrics, in the form of `kept`. */
export const figuresOfMails = (
  { organizationId, connectionId }: { organizationId: Uuid; connectionId: Uuid },
  mails: readonly ToldMail[],
) =>
  summed(
    mails.flatMap((mail): Kept[] => {
      const knownMail = knownOf(mail)
      if (knownMail.sentAt === null) return []
      const quarter = Math.floor(Date.parse(knownMail.sentAt) / QUARTER_MS) * QUARTER_MS
      const figures = Object.entries(figuresOf(knownMail)).map(([name, is]) => [name, Number(is)])
      const { bucket, source, domain } = mail
      return [
        {
          organizationId,
          quarter: new Date(quarter).toISOString(),
          bucket,
          source,
          connectionId,
          templateId: null,
          domain,
          figures: Object.fromEntries(figures),
        },
      ]
    }),
  )
