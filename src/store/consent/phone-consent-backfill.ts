import type { PhoneReason } from '../../domain/consent/sms-status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

const LOWEST = '00000000-0000-0000-0000-000000000000'

interface UnlistedContact {
  organizationId: Uuid
  phone: string
  reason: PhoneReason
  /** When the reason became known, or the contact last changed. */
  occurredAt: string
}

interface BackfillPage {
  contacts: UnlistedContact[]
  /** The last contact that was read. Null: there was none, and all were read. */
  lastOrganizationId: Uuid | null
  lastId: Uuid | null
}

/** Undefined: all contacts were read. */
export async function readPage(sql: Sql, limit: number): Promise<BackfillPage | undefined> {
  const [page] = await sql<BackfillPage[]>`
    with progress as materialized (
      select after_organization_id, after_id from phone_consent_backfill where done_at is null
    ), page as materialized (
      select c.*
      from progress
      cross join lateral (
        select organization_id, id, phone, sms_status as reason,
          coalesce(sms_opted_out_at, updated_at) as occurred_at
        from contacts
        where (organization_id, id) > (
          coalesce(progress.after_organization_id, ${LOWEST}), coalesce(progress.after_id, ${LOWEST})
        )
        order by organization_id, id
        limit ${limit}
      ) c
    )
    select
      coalesce((
        select json_agg(json_build_object('organizationId', organization_id, 'phone', phone,
          'reason', reason, 'occurredAt', occurred_at))
        from page
        where phone is not null and reason in ('opted_out', 'invalid')
      ), '[]') as contacts,
      (select organization_id from page order by organization_id desc, id desc limit 1)
        as last_organization_id,
      (select id from page order by organization_id desc, id desc limit 1) as last_id
    from progress`
  return page
}

/** Stores how far contacts were read. */
export const recordPage = (sql: Sql, { lastOrganizationId, lastId }: BackfillPage) => sql`
  update phone_consent_backfill
  set after_organization_id = ${lastOrganizationId}, after_id = ${lastId},
    done_at = case when ${lastId}::uuid is null then clock_timestamp() end
  where done_at is null`
