import type { EmailStatus } from '../domain/status.ts'
import { type Uuid, uuidv7 } from '../ids.ts'
import type { ContactBatchRow } from '../schemas/contact.ts'
import type { ContactValues, UniqueField } from './contacts.ts'
import { type Executor, hasState, type Json, type Transaction, UNIQUE_VIOLATION } from './sql.ts'

/** A contact as it will be written: read under a lock, or new. */
interface Draft {
  id: Uuid
  externalId: string | null
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  jobTitle: string | null
  emailStatus: EmailStatus | null
  smsStatus: string | null
  preferredChannel: string | null
  properties: Record<string, unknown>
  isNew: boolean
  addressChanged: boolean
}

export interface UpsertRow {
  index: number
  values: ContactValues
}

const KEYS = ['externalId', 'email', 'phone'] as const
/** Rounds and tries: each is needed only when others write the same contacts at the same moment. */
const ROUNDS = 5
const TRIES = 5

/**
 * Makes or changes up to a thousand contacts at once, in a few statements whatever their number.
 *
 * A row changes the contact that has its external id, else its address, else its number; where none
 * has, it makes one. Given fields are written, properties are merged, later rows see earlier ones.
 * Writing `active` over another status never changes it: a sync tool must not bring back who left.
 */
export async function upsert(
  sql: Transaction,
  organizationId: Uuid,
  rows: readonly UpsertRow[],
): Promise<ContactBatchRow[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await sql.savepoint((inner) => upsertWithin(inner, organizationId, rows))
    } catch (error) {
      // Somebody took one of our addresses between our look and our update: look again.
      if (tries === TRIES || !hasState(error, UNIQUE_VIOLATION)) throw error
    }
  }
}

async function upsertWithin(
  sql: Executor,
  organizationId: Uuid,
  rows: readonly UpsertRow[],
): Promise<ContactBatchRow[]> {
  const results = new Map<number, ContactBatchRow>()
  let waiting = rows
  for (let round = 1; waiting.length > 0 && round <= ROUNDS; round++) {
    const plan = planRows(await lockExisting(sql, organizationId, waiting), waiting)
    const lost = await insertNew(sql, organizationId, plan.drafts)
    await updateExisting(sql, organizationId, plan.drafts)
    waiting = waiting.filter(({ index }) => {
      const result = plan.results.get(index)
      // Another request made this contact a moment ago; now it is there to be changed.
      if (result?.id != null && lost.has(result.id)) return true
      if (result) results.set(index, result)
      return false
    })
  }
  for (const { index } of waiting) {
    results.set(index, failed(index, 'Others write this contact at the same time: try again'))
  }
  return [...results.values()].sort((a, b) => a.index - b.index)
}

const failed = (index: number, error: string): ContactBatchRow => ({
  index,
  id: null,
  status: 'failed',
  error,
})

/**
 * Everyone who has a key of ours, locked in the order of their ids, as every writer of sets does.
 */
function lockExisting(sql: Executor, organizationId: Uuid, rows: readonly UpsertRow[]) {
  const given = (field: UniqueField) =>
    rows.flatMap(({ values }) => (values[field] === undefined ? [] : [values[field]]))
  return sql<Omit<Draft, 'isNew' | 'addressChanged'>[]>`
    select id, external_id, email, phone, first_name, last_name, company, job_title, email_status,
      sms_status, preferred_channel, properties
    from contacts
    where organization_id = ${organizationId}
      and id in (
        select id
        from contacts
        where organization_id = ${organizationId}
          and external_id = any(${given('externalId')}::text[])
        union
        select id
        from contacts
        where organization_id = ${organizationId} and email = any(${given('email')}::text[])
        union
        select id
        from contacts
        where organization_id = ${organizationId} and phone = any(${given('phone')}::text[])
      )
    order by id
    for update`
}

interface Plan {
  /** Those that change or are new. */
  drafts: Set<Draft>
  results: Map<number, ContactBatchRow>
}

function planRows(
  existing: readonly Omit<Draft, 'isNew' | 'addressChanged'>[],
  rows: readonly UpsertRow[],
): Plan {
  // A value that a row gives up stays taken within the request: one update checks each row as it
  // goes.
  const byKey = new Map<string, Draft>()
  const remember = (draft: Draft) => {
    for (const field of KEYS) {
      if (draft[field] !== null) byKey.set(`${field} ${draft[field]}`, draft)
    }
  }
  for (const contact of existing) remember({ ...contact, isNew: false, addressChanged: false })
  const plan: Plan = { drafts: new Set(), results: new Map() }
  for (const { index, values } of rows) {
    const having = KEYS.map((field) => byKey.get(`${field} ${values[field] ?? ''}`))
    const target = having.find((draft) => draft !== undefined) ?? blank()
    const taken = KEYS.find((field, i) => isTaken(target, having[i], field, values))
    if (taken !== undefined) {
      plan.results.set(index, failed(index, `Another contact has this ${taken}`))
      continue
    }
    const reachable = values.email ?? values.phone ?? target.email ?? target.phone
    if (reachable === null) {
      plan.results.set(index, failed(index, 'No such contact, and a new one needs email or phone'))
      continue
    }
    const status = target.isNew && !plan.drafts.has(target) ? 'created' : 'updated'
    const kept = apply(target, values)
    plan.drafts.add(target)
    remember(target)
    plan.results.set(index, {
      index,
      id: target.id,
      status,
      ...(kept ? { emailStatusKept: true } : {}),
    })
  }
  return plan
}

/**
 * Whether a row may not write this field of its target: another contact has the value, or the
 * target was found by a lesser key and has another value of this one: that is a different person.
 */
function isTaken(
  target: Draft,
  holder: Draft | undefined,
  field: UniqueField,
  values: ContactValues,
): boolean {
  if (holder !== undefined && holder !== target) return true
  const value = values[field]
  if (value === undefined || target[field] === null || target[field] === value) return false
  return field === 'externalId' || (field === 'email' && values.externalId !== target.externalId)
}

const blank = (): Draft => ({
  id: uuidv7(),
  externalId: null,
  email: null,
  phone: null,
  firstName: null,
  lastName: null,
  company: null,
  jobTitle: null,
  emailStatus: null,
  smsStatus: null,
  preferredChannel: null,
  properties: {},
  isNew: true,
  addressChanged: false,
})

/** Writes the given values. True when the status was kept although `active` was asked for. */
function apply(draft: Draft, values: ContactValues): boolean {
  const addressChanged = values.email !== undefined && values.email !== draft.email
  draft.addressChanged ||= addressChanged
  draft.externalId = values.externalId ?? draft.externalId
  draft.email = values.email ?? draft.email
  draft.phone = values.phone ?? draft.phone
  draft.firstName = values.firstName ?? draft.firstName
  draft.lastName = values.lastName ?? draft.lastName
  draft.company = values.company ?? draft.company
  draft.jobTitle = values.jobTitle ?? draft.jobTitle
  draft.preferredChannel = values.preferredChannel ?? draft.preferredChannel
  draft.properties = { ...draft.properties, ...values.properties }
  if (draft.smsStatus !== 'opted_out') draft.smsStatus = values.smsStatus ?? draft.smsStatus
  if (draft.phone !== null) draft.smsStatus ??= 'pending_consent'

  if (addressChanged) {
    draft.emailStatus = values.emailStatus ?? 'active'
    return false
  }
  const left = draft.emailStatus !== null && draft.emailStatus !== 'active'
  if (left && values.emailStatus === 'active') return true
  draft.emailStatus = values.emailStatus ?? draft.emailStatus
  return false
}

/** The columns of a draft as Postgres reads them from JSON. */
const record = (sql: Executor) => sql`
  (id uuid, "externalId" text, email text, phone text, "firstName" text, "lastName" text,
    company text, "jobTitle" text, "emailStatus" text, "smsStatus" text, "preferredChannel" text,
    properties jsonb, "addressChanged" boolean)`

const json = (sql: Executor, drafts: readonly Draft[]) => sql.json(drafts as unknown as Json)

/** In one order everywhere, so that two requests wait for each other instead of deadlocking. */
const sortKey = ({ email, phone, externalId }: Draft): string => email ?? phone ?? externalId ?? ''

/** Inserts the new ones; answers the ids of those that another request was faster with. */
async function insertNew(
  sql: Executor,
  organizationId: Uuid,
  drafts: ReadonlySet<Draft>,
): Promise<Set<Uuid>> {
  const fresh = [...drafts]
    .filter(({ isNew }) => isNew)
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  if (fresh.length === 0) return new Set()
  const inserted = await sql<{ id: Uuid }[]>`
    insert into contacts (organization_id, id, external_id, email, phone, first_name, last_name,
      company, job_title, email_status, sms_status, preferred_channel, properties,
      email_unsubscribed_at, email_bounced_at, email_complained_at, email_suppressed_at)
    select ${organizationId}, id, "externalId", email, phone, "firstName", "lastName", company,
      "jobTitle", "emailStatus", "smsStatus", "preferredChannel", properties,
      case "emailStatus" when 'unsubscribed' then now() end,
      case "emailStatus" when 'bounced' then now() end,
      case "emailStatus" when 'complained' then now() end,
      case "emailStatus" when 'suppressed' then now() end
    from jsonb_to_recordset(${json(sql, fresh)}) as draft ${record(sql)}
    on conflict do nothing
    returning id`
  const made = new Set(inserted.map(({ id }) => id))
  return new Set(fresh.map(({ id }) => id).filter((id) => !made.has(id)))
}

/** The rows are locked and were read under the lock, so whole rows can be written. */
async function updateExisting(
  sql: Executor,
  organizationId: Uuid,
  drafts: ReadonlySet<Draft>,
): Promise<void> {
  const changed = [...drafts].filter(({ isNew }) => !isNew)
  if (changed.length === 0) return
  const reached = (status: string, column: string) => sql`case
    when draft."emailStatus" = ${status} and contacts.email_status is distinct from ${status}
    then now() else contacts.${sql(column)} end`
  await sql`
    update contacts
    set external_id = draft."externalId",
      email = draft.email,
      phone = draft.phone,
      first_name = draft."firstName",
      last_name = draft."lastName",
      company = draft.company,
      job_title = draft."jobTitle",
      email_status = draft."emailStatus",
      email_status_changed_at = case
        when draft."addressChanged" or draft."emailStatus" is distinct from contacts.email_status
        then now() else contacts.email_status_changed_at end,
      sms_status = draft."smsStatus",
      preferred_channel = draft."preferredChannel",
      properties = draft.properties,
      email_unsubscribed_at = ${reached('unsubscribed', 'email_unsubscribed_at')},
      email_bounced_at = ${reached('bounced', 'email_bounced_at')},
      email_complained_at = ${reached('complained', 'email_complained_at')},
      email_suppressed_at = ${reached('suppressed', 'email_suppressed_at')},
      updated_at = greatest(contacts.updated_at, now())
    from jsonb_to_recordset(${json(sql, changed)}) as draft ${record(sql)}
    where contacts.organization_id = ${organizationId} and contacts.id = draft.id`
}
