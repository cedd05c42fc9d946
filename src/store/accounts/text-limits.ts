import type { Executor, Part, Sql } from '../db/sql.ts'

/** A sender of text messages: whoever uses the account shares its rate. */
export interface TextSender {
  accountId: string
  region: string
  sender: string
}

/** A bucket holds the parts of so many seconds, and one part at least. */
const BUCKET_SECONDS = 0.5
/** After a restore, whoever wants to send asks again after so long. */
const HELD_MS = 10_000

export interface TextGrant {
  /** How many of the texts may be sent now, the first ones. */
  granted: number
  /** Milliseconds until the next request makes sense. 0: something was granted. */
  waitMs: number
}

/** Creates the row of a sender that is used for the first time. */
const create = (sql: Sql, { accountId, region, sender }: TextSender) => sql`
  insert into text_limits (account_id, region, sender)
  values (${accountId}, ${region}, ${sender})
  on conflict do nothing`

/**
 * Takes the permits of texts with so many parts, of the first ones for which there is room. A text
 * with more parts than the bucket holds leaves when the bucket is full, and is paid off afterwards:
 * so a slow sender sends long texts, too.
 *
 * A bucket refilled by the clock of Postgres. Expressions of an update are evaluated again on the
 * newest row after a lock wait, so that concurrent takers never share a permit. Nothing while an
 * operator has to look at what a restore has forgotten.
 */
export async function grantTexts(
  sql: Sql,
  textSender: TextSender,
  parts: readonly number[],
): Promise<TextGrant> {
  const { accountId, region, sender } = textSender
  const take = (wanted: Part) => sql`(
    select ${wanted}
    from (
      select size, sum(size) over (order by position) - size as before
      from unnest(${[...parts]}::int[]) with ordinality as text (size, position)
    ) text
    where not clock.is_held and (paused_until is null or paused_until <= clock.t)
      and ${level(sql)} - text.before >= least(text.size, ${depth(sql)})
  )`
  const [row] = await sql<
    { granted: number; tokens: number; rate: number; pausedMs: number; isHeld: boolean }[]
  >`
    update text_limits
    set granted = ${take(sql`count(*)`)},
      tokens = ${level(sql)} - ${take(sql`coalesce(sum(size), 0)`)},
      refilled_at = greatest(refilled_at, clock.t)
    from (
      select t, exists (select from ledger_beats where held_at is not null) as is_held
      from (select clock_timestamp() as t) at
      offset 0
    ) clock
    where account_id = ${accountId} and region = ${region} and sender = ${sender}
    returning granted, tokens, parts_per_second as rate, clock.is_held,
      (extract(epoch from greatest(paused_until - clock.t, interval '0')) * 1000)::float8
        as paused_ms`
  if (!row) {
    await create(sql, textSender)
    return { granted: 0, waitMs: 1 }
  }
  if (row.granted > 0) return { granted: row.granted, waitMs: 0 }
  if (row.isHeld) return { granted: 0, waitMs: HELD_MS }
  const [first = 1] = parts
  const needed = Math.min(first, Math.max(1, row.rate * BUCKET_SECONDS))
  const waitMs = Math.max(row.pausedMs ?? 0, ((needed - row.tokens) / row.rate) * 1_000)
  return { granted: 0, waitMs: Math.max(1, Math.ceil(waitMs)) }
}

/** Gives back the permits of parts that were not sent. */
export const giveBack = (sql: Sql, { accountId, region, sender }: TextSender, parts: number) => sql`
  update text_limits
  set tokens = least(${depth(sql)}, tokens + ${parts})
  where account_id = ${accountId} and region = ${region} and sender = ${sender}`

/** Grants nothing for `ms`. */
export const pause = (
  sql: Executor,
  { accountId, region, sender }: TextSender,
  { ms, reason }: { ms: number; reason: string },
) => sql`
  update text_limits
  set paused_until = greatest(paused_until, clock_timestamp() + ${ms} * interval '1 millisecond'),
    paused_reason = ${reason}
  where account_id = ${accountId} and region = ${region} and sender = ${sender}`

const depth = (sql: Sql) => sql`greatest(1, parts_per_second * ${BUCKET_SECONDS}::float8)`

const level = (sql: Sql) => sql`
  least(
    ${depth(sql)},
    tokens + greatest(0, extract(epoch from clock.t - refilled_at)::float8) * parts_per_second
  )`
