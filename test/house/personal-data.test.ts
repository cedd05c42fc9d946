import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'

/**
 * Columns that hold nothing about a person: ids, times and counters of things, settings of an
 * organization. Whatever is neither here nor in docs/personal-data.md fails this test: a person
 * who adds a column decides which it is, how long it is kept and what an erasure does to it.
 *
 * A table says it itself: `comment on table notes is 'no personal data: organization_id id'` in the
 * migration that makes it. These are older than that.
 */
const NO_PERSONAL_DATA: Record<string, string> = {
  account_health:
    'organization_id connection_id status reasons checked_at asked_at refusal production_access_enabled sending_enabled enforcement_status max_24_hour sent_last_24_hours max_send_rate bounce_rate complaint_rate pricing_plan',
  answered_counts: 'organization_id connection_id slot answered arrived last_arrival_at',
  api_keys: 'organization_id id prefix hash scopes created_at expires_at revoked_at',
  audit_events: 'organization_id id actor_kind action subject_kind request_id created_at',
  batches:
    'organization_id id status channel attempt audience_type connection_id content_id template_id scheduled_for unknown_outcome failed_reason bucket freeze_started_at freeze_cursor audience_frozen_at chunk_size total_recipients sent failed skipped unknown delivered opened clicked bounced complained suppressed unsubscribed started_at completed_at created_at updated_at topic_id duplicates outcome_awaited_until quota_awaited_until progressed_at lost_runs lost_after sender_refusals render_timeouts render_timeouts_in_row streak_sent segment_id excluded_topic_ids excluded_segment_ids paused_reason throttle_per_second throttle_tokens throttle_refilled_at timezone_aware timezone ab_decide_at ab_winner',
  claims:
    'organization_id id connection_id bucket channel batch_id message_ids state claimed_at look_at',
  confirmation_mails: 'organization_id id created_at',
  connections:
    'organization_id id region features external_id is_verified verification_error last_verified_at last_event_received_at probe_requested_at probes_wanted events_refused_at disconnected_at created_at updated_at sns_topic_arn checks check_begun_at checked_at max_send_rate configuration_set configuration_set_tried_at configuration_set_since events_missing_since event_queue_url first_verified_at',
  connection_secrets: 'organization_id connection_id hash valid_until created_at',
  consent_events: 'organization_id contact_id id',
  console_policies: 'organization_id connection_id version checked_at probed_at',
  contact_stats: 'organization_id contact_id',
  contacts: 'organization_id id created_at updated_at',
  contents: 'organization_id id created_at',
  delivery_events: 'organization_id bucket log_id kind fingerprint occurred_at',
  erasures: 'organization_id id status horizon mails requested_at completed_at',
  event_ids: 'organization_id request received_at',
  event_names: 'organization_id id',
  event_usage: 'organization_id month events',
  events: 'organization_id id',
  execution_steps: 'organization_id execution_id step_id visit position try type status',
  executions:
    'organization_id id flow_id version attempt fence_workflow_id fence_run_id dedupe_key request_id slot_granted_at lost_after lost_runs',
  external_mails: 'organization_id message_id connection_id bucket id look_at',
  flow_counters: 'organization_id flow_id slot started completed failed cancelled dropped',
  flow_entries: 'organization_id flow_id',
  flow_headers: 'organization_id flow_id version step_id',
  flow_versions: 'organization_id flow_id version created_at',
  flows:
    'organization_id id enabled version trigger_type max_concurrent sealed_secret previous_sealed_secret previous_secret_until source_hash edited_at pushed_at created_at updated_at deleted_at schedule_failed_for schedule_failure firing_for',
  former_addresses: 'organization_id',
  idempotency_keys: 'organization_id fingerprint status lease_until created_at',
  imports:
    'organization_id id status attempt format on_duplicate dry_run may_lift has_topics rows pages next_page created updated skipped failed email_status_kept phones_left_out error request_id received_at started_at finished_at created_at updated_at',
  import_chunks: 'organization_id import_id page',
  import_errors: 'organization_id import_id row',
  inbound_events:
    'received_on position organization_id connection_id envelope_id received_at applied_at ignored look_at',
  invitations: 'organization_id id generation created_at expires_at revoked_at',
  login_failures: 'failures last_failed_at',
  memberships: 'organization_id user_id created_at entered_at',
  message_bodies: 'organization_id bucket id',
  message_ids: 'organization_id message_id connection_id bucket id',
  ledger_beats: 'ledger beat beat_at restored_at lost_since held_at marked_at',
  messages:
    'organization_id bucket id channel parts cost_micros source batch_id connection_id state status reason claim_id claimed_at first_event_at send_at sent_at created_at variant from_domain retried is_refused',
  notice_mails:
    'organization_id notice_id user_id invitation_id recipient_id state reason claim_id claimed_at message_id settled_at',
  notices: 'organization_id id kind subject period created_at',
  organizations:
    'id plan created_at updated_at accent_color background_color language rows_deleted_before',
  outbox:
    'created_on position organization_id kind available_at attempts last_error done_at created_at request_id',
  mail_queue: 'organization_id bucket id connection_id priority send_at',
  plan_overrides:
    'organization_id requests_per_minute requests_per_day events_per_month connections workflows segments retention_days stored_bytes',
  plans:
    'name rank requests_per_minute requests_per_day events_per_month connections workflows segments retention_days stored_bytes',
  probes: 'organization_id connection_id id claimed_at answered_at first_event_at',
  provider_reading_pages: 'organization_id connection_id version page',
  provider_readings:
    'organization_id connection_id asking_until begun_at outcome answered_at version read_at touched_at',
  rate_limits:
    'seconds limits wanted granted used frees_at mark_seconds mark_at mark_counts taken_at forget_hour',
  receivers: 'id beat_at interrupted_until stopped_at',
  schema_migrations: 'number name hash ran_at',
  sending_limits:
    'account_id region max_send_rate max_24_hour tokens granted refilled_at factor slowed_at paused_until paused_reason answered throttled judged_from tolerated trial_factor trial_share',
  sessions: 'organization_id id user_id expires_at revoked_at',
  subscriptions:
    'organization_id contact_id topic_id generation cohort mails mail_id created_at updated_at',
  suppressions: 'organization_id id key_id created_at updated_at',
  topic_opt_outs: 'organization_id topic_id opted_out_at',
  template_versions:
    'organization_id template_id version content_id published_at source_type is_compiled email_type',
  templates:
    'organization_id id slug source_type email_type status version created_at updated_at published_at is_compiled has_unpublished_changes edited_at pushed_at source_hash cli_project_path ses_template_name',
  topics:
    'organization_id id slug double_opt_in public template_id connection_id created_at updated_at',
  users: 'id created_at password_changed_at',
  waits: 'organization_id execution_id step_id visit kind',
  webhook_calls: 'organization_id id tries lease_until last_error next_try_at',
}

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const ROW = /^\| `(\w+)` \| ((?:`\w+` ?)+)\| ([^|]+) \| ([^|]+) \|$/

/** Rows of docs/personal-data.md: `table.column`s, how long they are kept, what an erasure does. */
async function listed(): Promise<{ columns: string[]; kept: string; erasure: string }[]> {
  const page = await readFile(new URL('../../docs/personal-data.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) => {
    const [, table = '', columns = '', kept = '', erasure = ''] = ROW.exec(row) ?? []
    expect(table, `not of the table's form: ${row}`).not.toBe('')
    return {
      columns: [...columns.matchAll(/\w+/g)].map(([column]) => `${table}.${column}`),
      kept: kept.trim(),
      erasure: erasure.trim(),
    }
  })
}

const stored = async (): Promise<string[]> => {
  const rows = await database.sql<{ column: string }[]>`
    select c.relname || '.' || a.attname as column
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition
    order by 1`
  return rows.map(({ column }) => column)
}

/** `table.column`s that hold nothing about a person. */
async function innocent(): Promise<string[]> {
  const saying = await database.sql<{ table: string; columns: string }[]>`
    select c.relname as table, substring(d.description from '^no personal data: (.+)$') as columns
    from pg_description d
    join pg_class c on c.oid = d.objoid
    where d.classoid = 'pg_class'::regclass and d.objsubid = 0
      and c.relnamespace = 'public'::regnamespace and d.description like 'no personal data: %'`
  return [
    ...Object.entries(NO_PERSONAL_DATA),
    ...saying.map(({ table, columns }) => [table, columns] as const),
  ].flatMap(([table, columns]) => columns.split(/\s+/).map((column) => `${table}.${column}`))
}

test('every column is in the table of personal data or known to hold none', async () => {
  const personal = (await listed()).flatMap(({ columns }) => columns)
  const [columns, known] = await Promise.all([stored(), innocent()])
  expect(personal.length).toBeGreaterThan(80)
  expect(columns.filter((each) => !personal.includes(each) && !known.includes(each))).toEqual([])
  // Nothing is in both, twice, or of a column that is no more.
  const all = [...personal, ...known]
  expect(all.filter((each, i) => all.indexOf(each) !== i)).toEqual([])
  expect(all.filter((each) => !columns.includes(each))).toEqual([])
})

test('of each column that holds personal data it is said how long and what erases it', async () => {
  for (const { columns, kept, erasure } of await listed()) {
    expect([columns.length > 0, kept.length > 3, erasure.length > 1], columns.join()).toEqual([
      true,
      true,
      true,
    ])
  }
})

test('of the columns that can hold any JSON three are known to hold nothing about people', async () => {
  const wide = await database.sql<{ column: string }[]>`
    select c.relname || '.' || a.attname as column
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and a.atttypid = 'jsonb'::regtype
    order by 1`
  const known = await innocent()
  const unlisted = wide.map(({ column }) => column).filter((each) => known.includes(each))
  expect(unlisted).toEqual([
    'connections.checks',
    'connections.features',
    'unapplied_events.dropped',
  ])
})
