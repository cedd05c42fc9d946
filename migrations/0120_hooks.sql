-- Webhooks out. In the code a hook, since flows call webhooks as well. An endpoint is an address of
-- the organization's; a delivery is one event for one endpoint, written by the transaction that
-- changes what the event is about; the queue has a row for each delivery that waits.

create table hook_endpoints (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  shard smallint not null check (shard >= 0),
  url text not null check (length(url) between 1 and 2048),
  description text check (length(description) between 1 and 200),
  event_types text[] not null check (cardinality(event_types) > 0),
  sources text[] check (cardinality(sources) > 0),
  max_in_flight smallint not null default 10 check (max_in_flight between 1 and 10),
  disabled_at timestamptz(3),
  disabled_reason text check (disabled_reason in ('requested', 'failing', 'gone')),
  sealed_secret bytea not null,
  previous_sealed_secret bytea,
  previous_secret_until timestamptz(3),
  failures integer not null default 0 check (failures >= 0),
  failing_since timestamptz(3),
  gate_step smallint not null default 0 check (gate_step >= 0),
  gate_until timestamptz(3),
  drop_before timestamptz(3),
  last_success_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  check ((disabled_at is null) = (disabled_reason is null)),
  check ((previous_sealed_secret is null) = (previous_secret_until is null)),
  check ((failures = 0) = (failing_since is null))
) with (fillfactor = 50);
create index hook_endpoints_shard on hook_endpoints (shard);
comment on table hook_endpoints is
  'no personal data: organization_id id shard event_types sources max_in_flight disabled_at '
  'disabled_reason sealed_secret previous_sealed_secret previous_secret_until failures '
  'failing_since gate_step gate_until drop_before last_success_at created_at updated_at';
comment on column hook_endpoints.shard is 'the dispatcher that calls it: hooks/<shard>';
comment on column hook_endpoints.sources is 'of email.* events; null: of mail from any source';
comment on column hook_endpoints.failures is 'failed calls since the last that succeeded';
comment on column hook_endpoints.gate_until is
  'no call before then, but for tests; then one at a time until one succeeds';
comment on column hook_endpoints.drop_before is
  'what was queued before then is cancelled: the endpoint was enabled again without it';
select protect_tenant_table('hook_endpoints');
select make_resource('hook_endpoints', 'webhook_endpoint');

-- No payload is stored: it is made of the rows that the event is about when the endpoint is called.
-- So what an erasure or the retention has removed cannot be in one. What is in no other row is in
-- `extra`: the link that was clicked, the external id of a contact that was deleted.
create table hook_deliveries (
  organization_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  type text not null,
  occurred_at timestamptz(3) not null,
  contact_id uuid,
  bucket uuid,
  mail_id uuid,
  batch_id uuid,
  execution_id uuid,
  topic_id uuid,
  extra jsonb,
  priority smallint not null,
  state text not null,
  attempts smallint not null,
  tries jsonb not null,
  answer text,
  primary key (organization_id, endpoint_id, id),
  check (state in ('pending', 'delivered', 'failed', 'cancelled'))
) partition by range (id);
-- The key serves pages of an endpoint's deliveries, too. Nothing in an index changes, so that updates
-- touch none.
-- An erasure finds what it has to empty.
create index hook_deliveries_contact on hook_deliveries (organization_id, contact_id)
  where contact_id is not null;
create index hook_deliveries_mail on hook_deliveries (organization_id, mail_id)
  where contact_id is null and mail_id is not null;
comment on table hook_deliveries is
  'no personal data: organization_id id endpoint_id event_id bucket batch_id priority state attempts';
comment on column hook_deliveries.priority is '0 tests, 1 events, 2 events of imports';
comment on column hook_deliveries.tries is 'of each of the last calls: at, status, ms, error';
comment on column hook_deliveries.answer is 'the beginning of the last answer, if it was no success';
select protect_tenant_table('hook_deliveries');

create table hook_queue (
  organization_id uuid not null,
  id uuid not null primary key,
  endpoint_id uuid not null,
  priority smallint not null,
  queued_at timestamptz(3) not null default now(),
  due_at timestamptz(3) not null
) with (fillfactor = 70);
create index hook_queue_due on hook_queue (endpoint_id, priority, due_at);
comment on table hook_queue is 'no personal data: organization_id id endpoint_id priority queued_at due_at';
comment on column hook_queue.due_at is 'while a call is under way: when it is taken for lost';
select protect_tenant_table('hook_queue');
select vacuum_as_queue('hook_queue');

-- What became of the calls of an endpoint, by the hour.
create table hook_hours (
  organization_id uuid not null,
  endpoint_id uuid not null,
  hour timestamptz(3) not null,
  delivered integer not null default 0,
  failed integer not null default 0,
  primary key (organization_id, endpoint_id, hour),
  foreign key (organization_id, endpoint_id) references hook_endpoints (organization_id, id)
    on delete cascade
) with (fillfactor = 50);
comment on table hook_hours is
  'no personal data: organization_id endpoint_id hour delivered failed';
comment on column hook_hours.failed is 'calls that did not succeed, whatever became of the delivery';
select protect_tenant_table('hook_hours');

-- A UUIDv7 of now (RFC 9562, 5.7).
create function new_delivery_id() returns uuid
language sql volatile parallel safe
as $$
  select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
    || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
$$;

-- The deliveries of one event: one for each endpoint of the organization that wants its type. One
-- event has one id, whichever endpoint gets it: a hash of its type, what it is about, and what
-- tells it apart from others of the type. A disabled endpoint misses nothing for three days.
--
-- Stable, so that it becomes a part of the statement that calls it.
create function hook_deliveries_of(organization uuid, event_type text, happened_at timestamptz,
  told_apart_by text, contact uuid, of_bucket uuid, mail uuid, batch uuid, execution uuid,
  topic uuid, mail_source text, of_priority integer, more jsonb)
returns setof hook_deliveries
language sql stable
as $$
  select e.organization_id, new_delivery_id(), e.id,
    md5(concat_ws(' ', organization, event_type, coalesce(mail, execution, batch, contact),
      topic, told_apart_by))::uuid,
    event_type, happened_at::timestamptz(3), contact, of_bucket, mail, batch, execution, topic, more,
    of_priority::smallint, 'pending'::text, 0::smallint, '[]'::jsonb, null::text
  from hook_endpoints e
  where e.organization_id = organization
    and event_type = any(e.event_types)
    and (e.sources is null or mail_source is null or mail_source = any(e.sources))
    and (e.disabled_at is null or e.disabled_at > statement_timestamp() - interval '3 days')
$$;
grant execute on function hook_deliveries_of(uuid, text, timestamptz, text, uuid, uuid, uuid, uuid,
  uuid, uuid, text, integer, jsonb) to letterloom_api, letterloom_worker;

-- Whoever writes a delivery queues it.
create function queue_hook_deliveries() returns trigger
language plpgsql
as $$
begin
  insert into hook_queue (organization_id, id, endpoint_id, priority, due_at)
  select organization_id, id, endpoint_id, priority, now()
  from added
  where state = 'pending';
  return null;
end
$$;
revoke all on function queue_hook_deliveries() from public;
create trigger queue_hook_deliveries after insert on hook_deliveries
  referencing new table as added
  for each statement execute function queue_hook_deliveries();
create trigger announce_work after insert on hook_queue
  for each statement execute function announce_work('hook_queue');

-- Several statements end, pause and resume batches and executions, and none changes many at once.
create function record_batch_hook() returns trigger
language plpgsql
as $$
declare
  told constant text := case
    when new.status is distinct from old.status then
      case when new.status in ('completed', 'failed', 'cancelled') then 'batch.' || new.status end
    when new.paused_reason is not null and old.paused_reason is null then 'batch.paused'
  end;
begin
  if told is not null then
    insert into hook_deliveries
    select *
    from hook_deliveries_of(new.organization_id, told, clock_timestamp(), clock_timestamp()::text,
      null, null, null, new.id, null, null, null, 1, null);
  end if;
  return null;
end
$$;
revoke all on function record_batch_hook() from public;
create trigger record_batch_hook after update of status, paused_reason on batches
  for each row
  when (old.status is distinct from new.status
    or old.paused_reason is null and new.paused_reason is not null)
  execute function record_batch_hook();

create function record_execution_hook() returns trigger
language plpgsql
as $$
begin
  insert into hook_deliveries
  select *
  from hook_deliveries_of(new.organization_id, 'execution.' || new.status, clock_timestamp(),
    clock_timestamp()::text, new.contact_id, null, null, null, new.id, null, null, 1, null);
  return null;
end
$$;
revoke all on function record_execution_hook() from public;
create trigger record_execution_hook after update of status on executions
  for each row
  when (old.status is distinct from new.status and new.status in ('completed', 'failed'))
  execute function record_execution_hook();

-- Deliveries have daily partitions as well.
create or replace function make_partition(parent text, day date, lower_bound text, upper_bound text)
returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  partition text := parent || '_' || to_char(day, 'YYYYMMDD');
  fill integer := case parent when 'messages' then 70 when 'outbox' then 70
    when 'hook_deliveries' then 70 when 'inbound_events' then 90 else 100 end;
begin
  if parent not in ('messages', 'message_bodies', 'delivery_events', 'inbound_events', 'outbox',
      'events', 'hook_deliveries') then
    raise exception '% has no daily partitions', parent;
  end if;
  -- It needs the parent for itself for a moment: while it waits for a long statement, everybody else
  -- would wait behind it. Rather give up and come back; there is a week's time.
  set local lock_timeout = '1s';
  execute format('create table if not exists %I partition of %I for values from (%L) to (%L)
    with (fillfactor = %s, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 500%s)',
    partition, parent, lower_bound, upper_bound, fill,
    case when parent in ('outbox', 'inbound_events')
      then ', autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000' else '' end);
end
$$;

create or replace function drop_partition(parent text, day date) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  wanted constant text := parent || '_' || to_char(day, 'YYYYMMDD');
begin
  if parent not in ('messages', 'message_bodies', 'delivery_events', 'inbound_events', 'outbox',
      'events', 'hook_deliveries') then
    raise exception '% has no daily partitions', parent;
  end if;
  -- Partitions of yesterday and later are made again when they are missed.
  if day >= current_date - 1 then
    raise exception '% is too young to be dropped', wanted;
  end if;
  if not exists (
    select from pg_inherits where inhparent = parent::regclass and inhrelid = to_regclass(wanted)
  ) then
    return false;
  end if;
  -- It needs the parent for itself for a moment. While it waits, everybody else waits behind it, so
  -- that it gives up soon: the caller comes back. Less than deadlock_timeout for three tables, so
  -- that of two that wait for each other it is this one that gives up.
  set local lock_timeout = '200ms';
  execute format('drop table %I', wanted);
  return true;
end
$$;
