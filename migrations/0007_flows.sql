-- A flow is what a customer draws. An execution is one run of a flow for one contact. What an
-- execution does next is decided here; the workflow `runFlow` only moves it.

-- What runs still need cannot be deleted: which ids a version of a flow names, and whether an
-- execution of it is live, is found without reading definitions, which are large.
create function ids_named_by(definition jsonb) returns text[]
language sql
immutable
parallel safe
as $$
  select coalesce(array_agg(distinct lower(id)) filter (where id is not null), '{}')
  from (
    values
      (jsonb_path_query_array(definition, '$.trigger.segmentId')),
      (jsonb_path_query_array(definition, '$.trigger.topicId')),
      (jsonb_path_query_array(definition, '$.steps[*].config.templateId')),
      (jsonb_path_query_array(definition, '$.steps[*].config.topicId')),
      (jsonb_path_query_array(definition,
        '$.steps[*].config.condition.** ? (@.field == "topics").value')),
      (jsonb_path_query_array(definition,
        '$.settings.exitOn.condition.** ? (@.field == "topics").value'))
  ) as named (ids)
  cross join lateral jsonb_array_elements_text(ids) as id
$$;
comment on function ids_named_by(jsonb) is
  'templates, topics and segments that a definition names, in lower case';

-- A moment of a flow's schedule that starts executions is a row that its run carries on: it is
-- found again when the run is lost, and the flow says why a moment started nobody, or not
-- everybody.
create table flows (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  slug text not null check (slug ~ '^[a-z0-9-]{1,100}$'),
  name text not null check (length(name) between 1 and 200),
  description text check (length(description) <= 1000),
  enabled boolean not null default false,
  version integer not null check (version > 0),
  trigger_type text not null check (trigger_type in ('event', 'contact_created', 'contact_updated',
    'segment_entry', 'segment_exit', 'topic_subscribed', 'topic_unsubscribed', 'schedule', 'api')),
  trigger_key text check (length(trigger_key) <= 255),
  max_concurrent integer check (max_concurrent > 0),
  sealed_secret bytea not null,
  previous_sealed_secret bytea,
  previous_secret_until timestamptz(3),
  source_hash text check (length(source_hash) <= 100),
  edited_at timestamptz(3) not null default now(),
  pushed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  schedule_failed_for timestamptz(3),
  schedule_failure text
    check (schedule_failure in ('segment_not_usable', 'segment_too_slow', 'stopped_by_operator')),
  firing_for timestamptz(3),
  firing_after uuid,
  primary key (organization_id, id),
  check (deleted_at is null or not enabled),
  check ((previous_sealed_secret is null) = (previous_secret_until is null)),
  check ((schedule_failed_for is null) = (schedule_failure is null)),
  check (firing_after is null or firing_for is not null)
);
create unique index flows_slug on flows (organization_id, slug) where deleted_at is null;
create index flows_triggered on flows (organization_id, trigger_type, trigger_key) where enabled;
create index flows_scheduled on flows (id) where trigger_type = 'schedule';
create index flows_firing on flows (id) where firing_for is not null;
create index flows_deleted on flows (id) where deleted_at is not null;
comment on column flows.version is
  'the newest: executions that start take it, running ones keep theirs';
comment on column flows.trigger_key is
  'name of the event, id of the topic or segment; null: any, or the trigger has none';
comment on column flows.max_concurrent is 'unfinished executions at most; null: any number';
comment on column flows.sealed_secret is 'signs its webhooks; AES-256-GCM, see src/keys/sealing.ts';
comment on column flows.deleted_at is 'its executions are read still';
comment on column flows.schedule_failed_for is
  'the latest moment of its schedule whose segment could not be evaluated; null: none since one succeeded';
comment on column flows.firing_for is 'the moment of its schedule that is starting executions; null: none';
comment on column flows.firing_after is 'the last contact for whom that is done; null: none yet';
select protect_tenant_table('flows');
select make_resource('flows', 'flow');

-- Running executions rely on their version: nobody changes it, nor what it sends.
create table flow_versions (
  organization_id uuid not null,
  flow_id uuid not null,
  version integer not null check (version > 0),
  definition jsonb not null,
  exit_events jsonb generated always as (definition #> '{settings,exitOn,events}') stored,
  created_at timestamptz(3) not null default now(),
  named_ids text[] generated always as (ids_named_by(definition)) stored,
  primary key (organization_id, flow_id, version),
  foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade
);
create index flow_versions_exits on flow_versions (organization_id) where exit_events <> '[]';
comment on column flow_versions.definition is
  'trigger, steps, transitions, settings: the type Definition in src/domain/flows/flow.ts';
comment on column flow_versions.exit_events is
  'names of events that end its executions: read for each event, and the definition is large';
comment on column flow_versions.named_ids is
  'templates, topics and segments that it names: the definition is large';
select protect_tenant_table('flow_versions');
revoke update, delete on flow_versions from letterloom_api, letterloom_worker;

-- Whoever deletes what a version names locks the version, so that an execution which is being
-- started is seen: starting one takes a share of that lock by its foreign key. A lock needs this
-- grant; the column is computed, and nobody can write it.
grant update (named_ids) on flow_versions to letterloom_api;

-- Headers of webhook steps are secrets: the definition has their names only.
create table flow_headers (
  organization_id uuid not null,
  flow_id uuid not null,
  version integer not null,
  step_id text not null,
  sealed bytea not null,
  primary key (organization_id, flow_id, version, step_id),
  foreign key (organization_id, flow_id, version)
    references flow_versions (organization_id, flow_id, version) on delete cascade
);
select protect_tenant_table('flow_headers');
revoke update, delete on flow_headers from letterloom_api, letterloom_worker;

-- How often and when a contact entered a flow: what admission asks. Locked after the contact's row.
-- Automations that feed each other are stopped: of starts by segments and topics so many are
-- dropped.
create table flow_entries (
  organization_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null,
  entries integer not null default 1 check (entries > 0),
  live integer not null default 1 check (live >= 0),
  last_started_at timestamptz(3) not null,
  last_ended_at timestamptz(3),
  braked_until timestamptz(3),
  primary key (organization_id, flow_id, contact_id),
  foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade
);
comment on column flow_entries.braked_until is
  'segments and topics start nothing for the contact until then; null: they never had to be stopped';
select protect_tenant_table('flow_entries');

-- The counters on a flow's page. A flow has several rows, its slots, since it has no ceiling: many
-- executions of one flow end at the same moment, and each moves a row that no other transaction
-- holds. Slots are numbered by Postgres. Drawn at random, two transactions now and then drew the
-- same, and the second waited for the end of the first: two that moved the counters of two flows in
-- either order waited for each other. Numbers start above the slots that are written by hand, as
-- tests do.
create table flow_counters (
  organization_id uuid not null,
  flow_id uuid not null,
  slot bigint not null generated by default as identity (start with 32768) check (slot >= 0),
  started bigint not null default 0,
  completed bigint not null default 0,
  failed bigint not null default 0,
  cancelled bigint not null default 0,
  dropped bigint not null default 0,
  primary key (organization_id, flow_id, slot),
  foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade
) with (fillfactor = 50);
comment on column flow_counters.started is 'executions that were written, whatever became of them';
comment on column flow_counters.failed is 'executions that are failed now: a retry takes one off';
comment on column flow_counters.dropped is
  'occurrences that were not admitted, and executions over max_concurrent';
select protect_tenant_table('flow_counters');

create table executions (
  organization_id uuid not null,
  id uuid not null unique,
  flow_id uuid not null,
  version integer not null,
  contact_id uuid not null,
  status text not null default 'pending' check (status in ('pending', 'active', 'paused', 'waiting',
    'completed', 'failed', 'cancelled')),
  attempt integer not null default 1 check (attempt > 0),
  fence_workflow_id text,
  fence_run_id text,
  step_id text,
  visit integer,
  reason text check (length(reason) <= 255),
  error text check (length(error) <= 1000),
  topic_id uuid,
  event_id uuid,
  data jsonb not null default '{}',
  dedupe_key uuid not null,
  request_id text,
  slot_granted_at timestamptz(3),
  lost_runs smallint not null default 0 check (lost_runs >= 0),
  lost_after integer,
  created_at timestamptz(3) not null default clock_timestamp(),
  started_at timestamptz(3),
  progressed_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
  occurred_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, flow_id, dedupe_key),
  foreign key (organization_id, flow_id, version)
    references flow_versions (organization_id, flow_id, version),
  check ((finished_at is null) = (status in ('pending', 'active', 'paused', 'waiting'))),
  check ((fence_workflow_id is null) = (fence_run_id is null)),
  check ((step_id is null) = (visit is null))
) with (fillfactor = 70);
create index executions_flow on executions (organization_id, flow_id, id);
create index executions_contact on executions (organization_id, contact_id, id);
create index executions_status on executions (organization_id, flow_id, status, id);
create index executions_version_live on executions (organization_id, flow_id, version, topic_id)
  where status in ('pending', 'active', 'paused', 'waiting');
create index executions_slot_granted on executions (organization_id, flow_id)
  where status = 'pending' and slot_granted_at is not null;
create index executions_contact_live on executions (organization_id, contact_id)
  where status in ('pending', 'active', 'paused', 'waiting');
create index executions_still on executions (progressed_at)
  where status in ('pending', 'active', 'paused', 'waiting');
comment on column executions.fence_run_id is
  'the Temporal run that began this attempt: every transition names it, so that of two runs one '
  'acts';
comment on column executions.step_id is 'where it stands; of a failed one the step that failed';
comment on column executions.topic_id is
  'the topic whose subscription started it: leaving it cancels it';
comment on column executions.event_id is 'the event that started it';
comment on column executions.data is 'what conditions and templates know as trigger.data';
comment on column executions.dedupe_key is 'a hash of what started it: one cause, one execution';
comment on column executions.slot_granted_at is
  'when it got one of the slots that max_concurrent allows; null: not yet, or there was no limit';
comment on column executions.lost_runs is
  'runs in a row that ended without it and without progress';
comment on column executions.lost_after is 'steps that were over when the last run was lost';
comment on column executions.progressed_at is
  'last transition, or when a sleep is to end: none for a while is looked into';
comment on column executions.occurred_at is
  'when the event that started it happened, as its sender says; null: no event started it';
select protect_tenant_table('executions');
select make_resource('executions', 'execution');

create table execution_steps (
  organization_id uuid not null,
  execution_id uuid not null,
  step_id text not null,
  visit integer not null check (visit between 1 and 1000),
  position integer not null,
  try integer not null default 1 check (try > 0),
  type text not null,
  status text not null check (status in ('pending', 'executing', 'completed', 'failed', 'skipped')),
  branch text,
  result jsonb,
  reason text check (length(reason) <= 255),
  error text check (length(error) <= 1000),
  mail_id uuid,
  due_at timestamptz(3),
  entered_at timestamptz(3) not null default clock_timestamp(),
  started_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
  primary key (organization_id, execution_id, step_id, visit),
  unique (organization_id, execution_id, position),
  foreign key (organization_id, execution_id)
    references executions (organization_id, id) on delete cascade
) with (fillfactor = 80);
comment on column execution_steps.position is 'its place in the execution: 1 is the first';
comment on column execution_steps.mail_id is
  'of the try in progress; its bucket is that of its day';
comment on column execution_steps.due_at is 'when a delay or a wait ends by itself';
comment on column execution_steps.entered_at is 'when the execution came to it; a retry leaves it';
select protect_tenant_table('execution_steps');

-- What executions wait for. A transaction that registers a wait and one that stores an event both
-- lock the contact's row first: without a common lock most waits and events that meet are lost. An
-- event that happened before the execution began ends no wait of it, nor the execution.
create table waits (
  organization_id uuid not null,
  execution_id uuid not null,
  step_id text not null,
  visit integer not null,
  contact_id uuid not null,
  kind text not null check (kind in ('event', 'engagement')),
  event_name text,
  filter jsonb,
  mail_id uuid,
  engagements text[],
  status text not null default 'waiting'
    check (status in ('waiting', 'matched', 'timed_out', 'cancelled')),
  since timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  matched_event_id uuid,
  matched text,
  matched_at timestamptz(3),
  primary key (organization_id, execution_id, step_id, visit),
  foreign key (organization_id, execution_id)
    references executions (organization_id, id) on delete cascade,
  check ((kind = 'event') = (event_name is not null)),
  check ((kind = 'engagement') = (mail_id is not null and engagements is not null)),
  check ((status = 'matched') = (matched_at is not null))
);
create index waits_event on waits (organization_id, event_name, contact_id)
  where status = 'waiting' and kind = 'event';
create index waits_mail on waits (organization_id, mail_id)
  where status = 'waiting' and kind = 'engagement';
comment on column waits.since is
  'events received from then on count: since the execution last rested, or began';
comment on column waits.matched is 'the event''s name, or opened, clicked, bounced';
select protect_tenant_table('waits');

-- Calls of webhook steps that are in flight: how many an organization and a host have. One that is
-- to be tried again keeps its row, with a lease that is over.
create table webhook_calls (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  host text not null check (length(host) <= 255),
  lease_until timestamptz(3) not null,
  tries integer not null default 1 check (tries > 0),
  -- What the API shows of the step while its call is tried again.
  last_error text check (length(last_error) <= 255),
  next_try_at timestamptz(3),
  primary key (organization_id, id)
);
create index webhook_calls_lease on webhook_calls (organization_id, lease_until);
comment on column webhook_calls.id is 'a hash of execution, step, visit and its try';
comment on column webhook_calls.tries is 'calls that were begun: places that were refused are none';
comment on column webhook_calls.last_error is
  'of the last call that did not succeed: one of our own sentences, never what was sent or answered';
comment on column webhook_calls.next_try_at is
  'when the next call is due; null: one is in flight, or was when its worker was lost';
select protect_tenant_table('webhook_calls');

-- What is done to many executions of a flow: all that run are cancelled, or failed ones retried,
-- also with its newest version. Workers do it page by page, and the row says how far they are.
create table flow_operations (
  organization_id uuid not null,
  id uuid not null,
  flow_id uuid not null,
  kind text not null check (kind in ('cancel', 'retry')),
  status text not null default 'running' check (status in ('running', 'completed')),
  total integer not null check (total >= 0),
  total_is_exact boolean not null,
  done integer not null default 0 check (done >= 0),
  due_at timestamptz(3) not null default clock_timestamp(),
  horizon xid8,
  request_id text,
  created_at timestamptz(3) not null default clock_timestamp(),
  completed_at timestamptz(3),
  skipped integer not null default 0 check (skipped >= 0),
  version text check (version in ('newest')),
  step_id text,
  failed_since timestamptz(3),
  after_id uuid,
  primary key (organization_id, id),
  unique (id),
  foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade,
  check ((completed_at is null) = (status = 'running')),
  check (kind = 'retry' or version is null and step_id is null and failed_since is null)
);
create index flow_operations_flow on flow_operations (organization_id, flow_id, id);
create index flow_operations_due on flow_operations (due_at) where status = 'running';
create index flow_operations_age on flow_operations (completed_at) where status = 'completed';
comment on table flow_operations is 'no personal data: organization_id id flow_id kind status total '
  'total_is_exact done due_at horizon request_id created_at completed_at skipped version step_id '
  'failed_since after_id';
comment on column flow_operations.total is 'executions it was about when it was asked for';
comment on column flow_operations.due_at is 'when its next page is to be done';
comment on column flow_operations.horizon is
  'transactions older than this may still start executions: they did not see that the flow was disabled';
comment on column flow_operations.skipped is 'failed executions that could not be retried';
comment on column flow_operations.version is 'null: each is retried with the version that it runs';
comment on column flow_operations.step_id is 'only those that failed at this step; null: at any';
comment on column flow_operations.failed_since is 'only those that failed since then; null: ever';
comment on column flow_operations.after_id is 'the last execution of the pages that are done';
select protect_tenant_table('flow_operations');
select vacuum_as_queue('flow_operations');
select make_resource('flow_operations', 'operation');
