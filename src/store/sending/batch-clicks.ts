import type { Uuid } from '../../ids.ts'
import type { BatchClick } from '../../schemas/sending/batch-clicks.ts'
import type { Executor } from '../db/sql.ts'

interface ClickPage {
  bucket: Uuid
  /** Links that begin so are each recipient's own, and left out. */
  personal: readonly string[]
  after?: Uuid | undefined
  limit: number
}

/**
 * The links of a batch that were clicked, with how often, by a hash of the link: an order in which
 * nothing moves while more clicks arrive. Counted from the events themselves, which are stored once
 * however often they are reported; those of erased mails say nothing.
 */
export const list = (sql: Executor, organizationId: Uuid, page: ClickPage) => sql<BatchClick[]>`
  select id, url, clicks, recipients, first_clicked_at, last_clicked_at
  from (
    select md5(data ->> 'link')::uuid as id, data ->> 'link' as url, count(*) as clicks,
      count(distinct log_id) as recipients, min(occurred_at) as first_clicked_at,
      max(occurred_at) as last_clicked_at
    from delivery_events
    where organization_id = ${organizationId} and bucket = ${page.bucket} and kind = 'click'
      and data ->> 'link' is not null
      and not exists (
        select
        from unnest(${[...page.personal]}::text[]) as personal (prefix)
        where starts_with(data ->> 'link', prefix)
      )
    group by data ->> 'link'
  ) links
  ${page.after === undefined ? sql`` : sql`where id > ${page.after}`}
  order by id
  limit ${page.limit}`
