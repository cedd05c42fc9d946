import type { Sql } from '../../src/store/db/sql.ts'
import { unfold } from './fold.ts'
import type { StoredDetail } from './ledger.ts'
import { mailIdOf, messageId } from './message-id.ts'
import type { Outcome } from './plan.ts'
import { readMessage } from './mime.ts'
import { renderTemplate } from './template.ts'

export interface MailSummary {
  id: string
  messageId: string
  account: string
  region: string
  acceptedAt: string
  from: string
  recipient: string
  subject: string
  batch: string | null
  messageTag: string | null
  outcome: Outcome
}

export interface MailEvent {
  id: string
  kind: string
  occursAt: string
  dueAt: string
  state: 'pending' | 'delivered' | 'dropped'
  attempts: number
  target: number
  recipient: string
  link: string | null
  settledAt: string | null
}

export interface MailView extends MailSummary {
  recipients: string[]
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  headers: { name: string; value: string }[]
  tags: { name: string; value: string }[]
  configurationSet: string | null
  html: string | null
  text: string | null
  /** The message as it was sent, for raw mail. */
  raw: Buffer | null
  events: MailEvent[]
}

interface Row extends Omit<MailSummary, 'messageId' | 'from'> {
  sender: string
}

export interface MailFilter {
  account?: string | undefined
  batch?: string | undefined
  /** Part of a recipient or a subject. */
  search?: string | undefined
  limit?: number | undefined
  /** The `cursor` of the previous page. */
  cursor?: string | undefined
}

const MAX_LIMIT = 500
const DEFAULT_LIMIT = 50

/** Newest first, one entry per recipient. */
export async function listMails(
  sql: Sql,
  { account, batch, search, limit = DEFAULT_LIMIT, cursor }: MailFilter,
): Promise<{ mails: MailSummary[]; cursor: string | null }> {
  const [before, position] = (cursor ?? '').split('.')
  const size = Math.min(Math.max(1, limit), MAX_LIMIT)
  const pattern = `%${(search ?? '').replaceAll(/[\\%_]/g, '\\$&')}%`
  const rows = await sql<(Row & { position: number })[]>`
    select id, position, account, region, accepted_at, sender, recipient, subject, batch,
      message_tag, outcome
    from sandbox.mails
    where true
      ${account ? sql`and account = ${account}` : sql``}
      ${batch ? sql`and batch = ${batch}` : sql``}
      ${search ? sql`and (recipient ilike ${pattern} or subject ilike ${pattern})` : sql``}
      ${mailIdOf(before ?? '') ? sql`and (id, position) < (${before ?? ''}, ${Number(position) || 0})` : sql``}
    order by id desc, position desc
    limit ${size + 1}`
  const page = rows.slice(0, size)
  const last = page.at(-1)
  return {
    mails: page.map(summary),
    cursor: rows.length > size && last ? `${last.id}.${last.position}` : null,
  }
}

const summary = ({ sender, ...row }: Row): MailSummary => ({
  id: row.id,
  messageId: messageId(row.region, row.id),
  account: row.account,
  region: row.region,
  acceptedAt: row.acceptedAt,
  from: sender,
  recipient: row.recipient,
  subject: row.subject,
  batch: row.batch,
  messageTag: row.messageTag,
  outcome: row.outcome,
})

interface StoredRow extends Row {
  detail: string
  htmlBody: string | null
  textBody: string | null
  rawBody: string | null
  recipients: string[]
}

/** One mail with its bodies and events, by id or message id. */
export async function findMail(sql: Sql, wantedId: string): Promise<MailView | undefined> {
  const id = mailIdOf(wantedId)
  if (id === undefined) return undefined
  const [row] = await sql<StoredRow[]>`
    select m.id, m.account, m.region, m.accepted_at, m.sender, m.recipient, m.subject, m.batch,
      m.message_tag, m.outcome, m.detail, h.body as html_body, t.body as text_body,
      r.body as raw_body,
      array(select recipient from sandbox.mails where id = m.id order by position) as recipients
    from sandbox.mails m
    left join sandbox.contents h on h.id = m.html
    left join sandbox.contents t on t.id = m.text
    left join sandbox.contents r on r.id = m.raw
    where m.id = ${id} and m.position = 0`
  if (!row) return undefined
  const events = await sql<MailEvent[]>`
    select e.id, e.kind, e.occurs_at, e.due_at, e.state, e.attempts, e.target, m.recipient, e.link,
      e.settled_at
    from sandbox.events e
    join sandbox.mails m on m.id = e.mail_id and m.position = e.position
    where e.mail_id = ${id}
    order by e.occurs_at, e.id`
  const detail = JSON.parse(row.detail) as StoredDetail
  const { to = [row.recipient], cc = [], bcc = [], replyTo = [] } = detail
  const { configurationSet = null } = detail
  return {
    ...summary(row),
    recipients: row.recipients,
    to,
    cc,
    bcc,
    replyTo,
    configurationSet,
    headers: namedPairs(detail.headers),
    tags: namedPairs(detail.tags),
    ...(await bodies(row, detail)),
    events: [...events],
  }
}

const namedPairs = (pairs: StoredDetail['headers'] = []): { name: string; value: string }[] =>
  pairs.map(([name, value]) => ({ name, value }))

async function bodies({ htmlBody, textBody, rawBody }: StoredRow, detail: StoredDetail) {
  if (rawBody !== null) {
    const raw = Buffer.from(rawBody, 'base64')
    const { html, text } = await readMessage(raw)
    return { html, text, raw }
  }
  if (detail.data) {
    const { data } = detail
    const filled = (template: string | null) =>
      template === null ? null : renderTemplate(template, data)
    return { html: filled(htmlBody), text: filled(textBody), raw: null }
  }
  const { html, text } = detail
  return {
    html: html ? unfold(html, htmlBody ?? undefined) : null,
    text: text ? unfold(text, textBody ?? undefined) : null,
    raw: null,
  }
}

export interface Counts {
  accepted: number
  unique: number
  /** accepted − unique. */
  duplicates: number
  /** Up to twenty recipients who got one mail more than once. */
  recipients: { recipient: string; count: number }[]
}

/**
 * Counts how often each mail was accepted: in a batch by recipient, outside by the product's own
 * message tag, untagged mail by its id (which never repeats).
 */
export async function countMails(
  sql: Sql,
  { account, batch }: { account?: string | undefined; batch?: string | undefined },
): Promise<Counts> {
  const [row] = await sql<{ accepted: number; unique: number; recipients: Counts['recipients'] }[]>`
    with counted as materialized (
      select count(*) as copies, min(recipient) as recipient
      from sandbox.mails
      where true
        ${account ? sql`and account = ${account}` : sql``}
        ${batch ? sql`and batch = ${batch}` : sql``}
      group by batch, case when batch is null then null else recipient end,
        case when batch is null then coalesce(message_tag, id::text || position) end
    )
    select coalesce(sum(copies), 0)::bigint as accepted, count(*) as unique,
      coalesce((
        select jsonb_agg(jsonb_build_object('recipient', recipient, 'count', copies))
        from (select * from counted where copies > 1 order by copies desc, recipient limit 20) twice
      ), '[]') as recipients
    from counted`
  const { accepted = 0, unique = 0, recipients = [] } = row ?? {}
  return { accepted, unique, duplicates: accepted - unique, recipients }
}

/** Shares of bounces and complaints, named as in CloudWatch. Undefined without any mail. */
export async function readReputation(
  sql: Sql,
  { account, region, from, to }: { account: string; region: string; from: number; to: number },
): Promise<Record<string, number> | undefined> {
  const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString()
  const [row] = await sql<{ mails: number; bounces: number; complaints: number }[]>`
    select count(*) as mails,
      count(*) filter (where outcome = 'bounced') as bounces,
      count(*) filter (where outcome = 'complained') as complaints
    from sandbox.mails
    where account = ${account} and region = ${region}
      and accepted_at >= ${iso(from)} and accepted_at <= ${iso(to)}`
  if (!row || row.mails === 0) return undefined
  return {
    'Reputation.BounceRate': row.bounces / row.mails,
    'Reputation.ComplaintRate': row.complaints / row.mails,
  }
}

/** Deletes all mail and events, including queued ones. */
export async function clearMails(sql: Sql): Promise<void> {
  await sql`truncate sandbox.events, sandbox.mails, sandbox.contents, sandbox.queue_messages`
}
