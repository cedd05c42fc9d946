-- Custom events: what an organization's own programs say its contacts did.

-- An id is a UUIDv7 that its process made: its time names the partition.
create table events (
  organization_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  name text not null check (length(name) between 1 and 255),
  properties jsonb not null default '{}',
  event_id text check (length(event_id) between 1 and 255),
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, id)
) partition by range (id);
create index events_contact on events (organization_id, contact_id, id);
comment on column events.received_at is 'by the clock of Postgres: what waits compare';
select protect_tenant_table('events');
-- What happened does not change; an erasure, which is a worker's, deletes it.
revoke update on events from letterloom_api, letterloom_worker;
revoke delete on events from letterloom_api;

-- The caller's own ids of the last seven days: the same one is the same event. An older entry is
-- overwritten, or deleted: found by their order of arrival, which costs next to nothing to keep.
create table event_ids (
  organization_id uuid not null,
  event_id text not null check (length(event_id) between 1 and 255),
  request uuid not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, event_id)
) partition by hash (organization_id);
create index event_ids_received on event_ids using brin (received_at) with (autosummarize = on);
comment on column event_ids.request is
  'made for the request that brought it: what another one brought is a duplicate';
do $$
begin
  for part in 0..15 loop
    execute format(
      'create table event_ids_%s partition of event_ids
        for values with (modulus 16, remainder %s)',
      lpad(part::text, 2, '0'), part);
  end loop;
end
$$;
select protect_tenant_table('event_ids');

-- Names that events had, for whoever draws a flow.
create table event_names (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  name text not null check (length(name) between 1 and 255),
  first_received_at timestamptz(3) not null default clock_timestamp(),
  last_received_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, name),
  unique (organization_id, id)
);
comment on column event_names.last_received_at is 'by the hour, so that the row is seldom written';
select protect_tenant_table('event_names');

-- Accepted events of a calendar month (UTC). A limit is checked against it: one row, one
-- conditional update (several rows for a hot organization let through more than the limit).
create table event_usage (
  organization_id uuid not null references organizations (id) on delete cascade,
  month date not null check (month = date_trunc('month', month)),
  events bigint not null default 0 check (events >= 0),
  primary key (organization_id, month)
) with (fillfactor = 50);
select protect_tenant_table('event_usage');
