-- Flows: what a customer draws. An execution is one run of a flow for one contact. What an execution
-- does next is decided here; the workflow `runFlow` only moves it.

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
  primary key (organization_id, id),
  check (deleted_at is null or not enabled),
  check ((previous_sealed_secret is null) = (previous_secret_until is null))
);
create unique index flows_slug on flows (organization_id, slug) where deleted_at is null;
create index flows_triggered on flows (organization_id, trigger_type, trigger_key) where enabled;
create index flows_scheduled on flows (id) where trigger_type = 'schedule';
create index flows_deleted on flows (id) where deleted_at is not null;
comment on column flows.version is 'the newest: executions that start take it, running ones keep theirs';
comment on column flows.trigger_key is
  'name of the event, id of the topic or segment; null: any, or the trigger has none';
comment on column flows.max_concurrent is 'unfinished executions at most; null: any number';
comment on column flows.sealed_secret is 'signs its webhooks; AES-256-GCM, see src/sealing.ts';
comment on column flows.deleted_at is 'its executions are read still';

-- Versions are immutable.
create table flow_versions (
  organization_id uuid not null,
  flow_id uuid not null,
  version integer not null check (version > 0),
  definition jsonb not null,
  exit_events jsonb generated always as (definition #> '{settings,exitOn,events}') stored,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, flow_id, version),
  foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade
);
create index flow_versions_exits on flow_versions (organization_id) where exit_events <> '[]';
comment on column flow_versions.definition is
  'trigger, steps, transitions, settings: the type Definition in src/domain/flow.ts';
comment on column flow_versions.exit_events is
  'names of events that end its executions: read for each event, and the definition is large';

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

-- How often and when a contact entered a flow: what admission asks. Locked after the contact's row.
create table flow_entries (
  organization_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null,
  entries integer not null default 1 check (entries > 0),
  live integer not null default 1 check (live >= 0),
  last_started_at timestamptz(3) not null,
  last_ended_at timestamptz(3),
  primary key (organization_id, flow_id, contact_id),
  foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade
);

-- What a flow's page shows. Slotted, since they have no ceiling: many executions of one flow end at
-- the same moment, and each moves a row that nobody holds.
create table flow_counters (
  organization_id uuid not null,
  flow_id uuid not null,
  slot smallint not null check (slot >= 0),
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
comment on column flow_counters.dropped is 'occurrences that were not admitted, and executions over max_concurrent';

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
  let_in_at timestamptz(3),
  lost_runs smallint not null default 0 check (lost_runs >= 0),
  lost_after integer,
  created_at timestamptz(3) not null default clock_timestamp(),
  started_at timestamptz(3),
  progressed_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
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
create index executions_let_in on executions (organization_id, flow_id)
  where status = 'pending' and let_in_at is not null;
create index executions_contact_live on executions (organization_id, contact_id)
  where status in ('pending', 'active', 'paused', 'waiting');
create index executions_still on executions (progressed_at)
  where status in ('pending', 'active', 'paused', 'waiting');
comment on column executions.fence_run_id is
  'the Temporal run that began this attempt: every transition names it, so that of two runs one acts';
comment on column executions.step_id is 'where it stands; of a failed one the step that failed';
comment on column executions.topic_id is 'the topic whose subscription started it: leaving it cancels it';
comment on column executions.event_id is 'the event that started it';
comment on column executions.data is 'what conditions and templates know as trigger.data';
comment on column executions.dedupe_key is 'a hash of what started it: one cause, one execution';
comment on column executions.let_in_at is
  'when it got one of the places that max_concurrent allows; null: not yet, or there was no limit';
comment on column executions.lost_runs is 'runs in a row that ended without it and without progress';
comment on column executions.lost_after is 'steps that were over when the last run was lost';
comment on column executions.progressed_at is 'last transition, or when a sleep is to end: none for a while is looked into';

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
comment on column execution_steps.mail_id is 'of the try in progress; its bucket is that of its day';
comment on column execution_steps.due_at is 'when a delay or a wait ends by itself';
comment on column execution_steps.entered_at is 'when the execution came to it; a retry leaves it';

-- What executions wait for. Whoever registers one and whoever brings an event locks the contact's row
-- first: without a common lock most pairs that meet are lost.
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
comment on column waits.since is 'events received from then on count: when the execution entered the step before';
comment on column waits.matched is 'the event''s name, or opened, clicked, bounced';

-- Calls of webhook steps that are in flight: how many an organization and a host have. One that is
-- to be tried again keeps its row, with a lease that is over.
create table webhook_calls (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  host text not null check (length(host) <= 255),
  lease_until timestamptz(3) not null,
  tries integer not null default 1 check (tries > 0),
  primary key (organization_id, id)
);
create index webhook_calls_lease on webhook_calls (organization_id, lease_until);
comment on column webhook_calls.id is 'a hash of execution, step, visit and its try';
comment on column webhook_calls.tries is 'calls that were begun: places that were refused are none';

-- Starts of executions can be a million at once: everything else has a lane of its own.
drop index outbox_waiting;
create index outbox_waiting
  on outbox ((case when kind = 'start_execution' then 1 else 0 end), available_at, position)
  where done_at is null;

-- Due promises of a lane, leased. In the index's order without a sort: of a crowd that came a moment ago
-- the planner knows nothing, would take it for a handful, and would sort all of it each time.
create function take_promises(wanted_lane integer, most integer, lease_ms integer)
returns table (created_on date, "position" bigint, organization_id uuid, kind text, payload jsonb,
  attempts integer, request_id text)
language sql
set enable_sort = off
as $$
  update outbox o
  set available_at = clock_timestamp() + lease_ms * interval '1 millisecond',
    attempts = o.attempts + 1
  where (o.created_on, o.position) in (
    select due.created_on, due.position
    from outbox due
    where due.done_at is null
      and case when due.kind = 'start_execution' then 1 else 0 end = wanted_lane
      and due.available_at <= now()
    order by due.available_at, due.position
    limit most
    for update skip locked
  )
  returning o.created_on, o.position, o.organization_id, o.kind, o.payload, o.attempts, o.request_id
$$;
revoke execute on function take_promises(integer, integer, integer) from public;
grant execute on function take_promises(integer, integer, integer) to letterloom_worker;

alter table messages add column execution_id uuid, add column topic_id uuid,
  add column template_id uuid;
comment on column messages.execution_id is 'the execution whose step decided it (source workflow)';
comment on column messages.topic_id is
  'only its subscribers are sent it (source workflow); null: nobody asked for a topic';
comment on column messages.template_id is 'of mail outside batches; a batch names its own';

select protect_tenant_table(name) from unnest(array['flows', 'flow_versions', 'flow_headers',
  'flow_entries', 'flow_counters', 'executions', 'execution_steps', 'waits',
  'webhook_calls']::regclass[]) as name;
-- Running executions rely on their version: nobody changes it, nor what it sends.
revoke update, delete on flow_versions, flow_headers from letterloom_api, letterloom_worker;

grant select on flows, executions to letterloom_crossing;
create or replace function owner_of(kind text, wanted uuid) returns uuid
language sql stable
return case kind
  when 'api_key' then (select organization_id from api_keys where id = wanted)
  when 'batch' then (select organization_id from batches where id = wanted)
  when 'connection' then (select organization_id from connections where id = wanted)
  when 'contact' then (select organization_id from contacts where id = wanted)
  when 'erasure' then (select organization_id from erasures where id = wanted)
  when 'execution' then (select organization_id from executions where id = wanted)
  when 'flow' then (select organization_id from flows where id = wanted)
  when 'import' then (select organization_id from imports where id = wanted)
  when 'template' then (select organization_id from templates where id = wanted)
  when 'topic' then (select organization_id from topics where id = wanted)
end;
select make_crossing('owner_of(text, uuid)');
