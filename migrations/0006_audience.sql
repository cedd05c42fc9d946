-- Custom events: what an organization's own programs say its contacts did. Segments: named
-- conditions on contacts, what conditions read, and the members of segments that something needs.

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

-- The caller's own ids of the last seven days: the same one is the same event. Two events with the
-- same id and different names, or of different contacts, are two events. An older entry is
-- overwritten, or deleted: found by their order of arrival, which costs next to nothing to keep.
create table event_ids (
  organization_id uuid not null,
  event_id text not null check (length(event_id) between 1 and 255),
  request uuid not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  name text not null default '' check (length(name) <= 255),
  contact_id uuid not null default '00000000-0000-0000-0000-000000000000',
  primary key (organization_id, event_id, name, contact_id)
) partition by hash (organization_id);
create index event_ids_received on event_ids using brin (received_at) with (autosummarize = on);
comment on column event_ids.request is
  'made for the request that brought it: what another one brought is a duplicate';
comment on column event_ids.name is
  'of the event; empty: the id is from before names counted, and stands for every event';
do $$
begin
  for part in 0..15 loop
    execute format(
      'create table event_ids_%s partition of event_ids
        for values with (modulus 16, remainder %s)',
      lpad(part::text, 2, '0'), part);
    perform analyze_after_500_changes(format('event_ids_%s', lpad(part::text, 2, '0'))::regclass);
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

-- How conditions read a value of JSON, as src/domain does: `numberOf` and `booleanOf` of
-- audience/condition-values.ts, `readTime` of times.ts. None of them fails, whatever a contact has
-- stored: a cast is made only of what is known to fit it.

-- A number, or a text that is written as one; null for all else. Numbers beyond those of JavaScript
-- are read as it reads them: as none, and as zero.
create function condition_number(value jsonb) returns float8
language sql immutable parallel safe
return case jsonb_typeof(value)
  when 'number' then
    case
      when abs(value::numeric) >= 1.797693134862315808e308 then null
      when abs(value::numeric) <= 2.4703282292062327e-324 then 0
      else value::float8
    end
  when 'string' then
    case
      when (value #>> '{}') ~ '^-?[0-9]{1,15}(\.[0-9]{1,15})?$' then (value #>> '{}')::float8
    end
end;

-- A boolean, or a text that is written as one in large or small letters; null for all else.
create function condition_boolean(value jsonb) returns boolean
language sql immutable parallel safe
return case jsonb_typeof(value)
  when 'boolean' then value::boolean
  when 'string' then
    case lower(value #>> '{}') when 'true' then true when 'false' then false end
end;

-- A text that is a date or a time of ISO 8601, in milliseconds; null for all else. Without an
-- offset it is in UTC.
create function condition_time(value jsonb) returns timestamptz
language plpgsql stable parallel safe
as $$
declare
  written constant text := value #>> '{}';
  parts text[];
  days integer;
begin
  if jsonb_typeof(value) is distinct from 'string' or length(written) > 64 then
    return null;
  end if;
  parts := regexp_match(written, '^([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})'
    '([Tt ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?'
    '(?:[Zz]|([+-](?:[01][0-9]|2[0-3]))(?::?([0-5][0-9]))?)?)?$');
  if parts is null or parts[1] = '0000' then
    return null;
  end if;
  days := extract(day from make_date(parts[1]::integer, parts[2]::integer, 1)
    + interval '1 month' - interval '1 day');
  if parts[3]::integer not between 1 and days then
    return null;
  end if;
  -- Postgres itself knows no offset of 16 hours.
  return (left(written, 10) || ' ' || coalesce(nullif(substr(written, 12, 5), ''), '00:00')
      || coalesce(left(parts[6], 7), '') || 'Z')::timestamptz
    - make_interval(hours => coalesce(parts[8], '0')::integer,
      mins => (coalesce(left(parts[8], 1), '') || coalesce(parts[9], '0'))::integer);
end
$$;

-- Segments: named conditions. Who is in one is asked of the contacts each time.
create table segments (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  name text not null check (length(name) between 1 and 100),
  description text check (length(description) <= 1000),
  condition jsonb not null,
  member_count bigint,
  member_count_is_exact boolean,
  counted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  count_tried_at timestamptz(3),
  primary key (organization_id, id),
  check (num_nulls(member_count, member_count_is_exact, counted_at) in (0, 3))
);
comment on table segments is 'no personal data: organization_id id member_count '
  'member_count_is_exact counted_at count_tried_at created_at updated_at';
comment on column segments.condition is 'it was checked when it was written';
comment on column segments.member_count is 'null: it has not been counted, or that took too long';
comment on column segments.count_tried_at is
  'when its members were counted last, or that was tried: a count that takes too long is not tried again at once';
select protect_tenant_table('segments');
select make_resource('segments', 'segment');

-- The members of segments that something needs, such as the trigger of an enabled flow. Those of
-- the others are asked of the contacts each time. A kept segment that fails is set aside, so that
-- the others of its organization go on. It is asked again later, of all contacts, because what was
-- marked meanwhile is marked no more.
create table kept_segments (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  segment_id uuid not null,
  asks_topics boolean not null,
  asks_stats boolean not null,
  event_names text[] not null,
  kept_since timestamptz(3) not null default clock_timestamp(),
  recorded_at timestamptz(3),
  scan integer not null default 1,
  scan_after xid8,
  scan_cursor uuid,
  is_scanned boolean not null default false,
  dropped_at timestamptz(3),
  recorded_to uuid,
  failures integer not null default 0 check (failures >= 0),
  failure text check (failure in ('segment_not_usable', 'segment_too_slow')),
  set_aside_until timestamptz(3),
  primary key (organization_id, id),
  check ((failure is null) = (set_aside_until is null))
);
comment on table kept_segments is 'no personal data: organization_id id segment_id asks_topics '
  'asks_stats event_names kept_since recorded_at recorded_to scan scan_after scan_cursor is_scanned '
  'failures failure set_aside_until dropped_at';
comment on column kept_segments.segment_id is
  'no foreign key: members of a deleted segment are deleted page by page';
comment on column kept_segments.recorded_at is
  'when all that were in it at first had been recorded; from then on each difference is an event';
comment on column kept_segments.recorded_to is
  'up to this contact all had been looked at before the first scan began anew';
comment on column kept_segments.scan is 'raised when all contacts are to be looked at again';
comment on column kept_segments.scan_after is
  'transactions up to this one may not have marked what they changed: the scan waits for their end';
comment on column kept_segments.scan_cursor is 'the last contact that the scan has looked at';
comment on column kept_segments.failures is 'since it was last asked of all contacts: each wait is longer';
create unique index kept_segments_live on kept_segments (organization_id, segment_id)
  where dropped_at is null;
create index kept_segments_open on kept_segments (organization_id)
  where not is_scanned or dropped_at is not null;
select protect_tenant_table('kept_segments');

create table segment_members (
  organization_id uuid not null,
  kept_id uuid not null,
  contact_id uuid not null,
  entered_at timestamptz(3),
  primary key (organization_id, kept_id, contact_id),
  foreign key (organization_id, kept_id) references kept_segments (organization_id, id)
    on delete cascade,
  foreign key (organization_id, contact_id) references contacts (organization_id, id)
    on delete cascade
);
comment on column segment_members.entered_at is 'null: it was in the segment before that was kept';
create index segment_members_contact on segment_members (organization_id, contact_id);
comment on table segment_members is 'no personal data: organization_id kept_id';
select protect_tenant_table('segment_members');

-- Contacts of which something was written. One row for each write: a writer never waits for the
-- worker that evaluates the contact, and what it writes meanwhile is evaluated again. No foreign
-- keys: they would make every writer wait for whoever locks its organization.
create table dirty_contacts (
  organization_id uuid not null,
  id bigint generated always as identity,
  contact_id uuid not null,
  marked_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, id)
);
comment on table dirty_contacts is 'no personal data: organization_id id';
select protect_tenant_table('dirty_contacts');
select vacuum_as_queue('dirty_contacts');

-- When the answer of a condition on time changes by itself: the earliest of all kept segments.
create table membership_deadlines (
  organization_id uuid not null,
  contact_id uuid not null,
  due_at timestamptz(3) not null,
  primary key (organization_id, contact_id)
);
create index membership_deadlines_due on membership_deadlines (due_at);
comment on table membership_deadlines is 'no personal data: organization_id';
select protect_tenant_table('membership_deadlines');
select vacuum_as_queue('membership_deadlines');

-- One row for each organization that has or had a kept segment: who holds it evaluates its
-- contacts.
create table membership_turns (
  organization_id uuid primary key references organizations (id) on delete cascade,
  taken_at timestamptz(3) not null default 'epoch',
  put_off_until timestamptz(3) not null default 'epoch'
);
comment on table membership_turns is 'no personal data: organization_id taken_at put_off_until';
comment on column membership_turns.put_off_until is 'its contacts could not be evaluated';
select protect_tenant_table('membership_turns');

-- The marks are made by the statements themselves: whoever writes a new one cannot forget them.
-- Without a kept segment a statement looks once into the index of `kept_segments`.

create function mark_dirty_contacts() returns trigger
language plpgsql
as $$
begin
  insert into dirty_contacts (organization_id, contact_id)
  select organization_id, id
  from changed
  where organization_id = any(array(
    select k.organization_id
    from kept_segments k
    where k.dropped_at is null
      and k.organization_id = any(array(select distinct organization_id from changed))
  ));
  return null;
end
$$;

create function mark_contacts_of_topics() returns trigger
language plpgsql
as $$
begin
  insert into dirty_contacts (organization_id, contact_id)
  select organization_id, contact_id
  from changed
  where organization_id = any(array(
    select k.organization_id
    from kept_segments k
    where k.dropped_at is null and k.asks_topics
      and k.organization_id = any(array(select distinct organization_id from changed))
  ));
  return null;
end
$$;

create function mark_contacts_of_stats() returns trigger
language plpgsql
as $$
begin
  insert into dirty_contacts (organization_id, contact_id)
  select organization_id, contact_id
  from changed
  where organization_id = any(array(
    select k.organization_id
    from kept_segments k
    where k.dropped_at is null and k.asks_stats
      and k.organization_id = any(array(select distinct organization_id from changed))
  ));
  return null;
end
$$;

create function mark_contacts_of_events() returns trigger
language plpgsql
as $$
begin
  insert into dirty_contacts (organization_id, contact_id)
  select distinct e.organization_id, e.contact_id
  from (
    select k.organization_id, unnest(k.event_names) as name
    from kept_segments k
    where k.dropped_at is null
      and k.organization_id = any(array(select distinct organization_id from changed))
  ) asked
  join changed e on e.organization_id = asked.organization_id and e.name = asked.name;
  return null;
end
$$;

create trigger mark_inserted after insert on contacts
  referencing new table as changed
  for each statement execute function mark_dirty_contacts();
create trigger mark_updated after update on contacts
  referencing new table as changed
  for each statement execute function mark_dirty_contacts();
create trigger mark_deleted after delete on contacts
  referencing old table as changed
  for each statement execute function mark_dirty_contacts();
create trigger mark_inserted after insert on subscriptions
  referencing new table as changed
  for each statement execute function mark_contacts_of_topics();
create trigger mark_updated after update on subscriptions
  referencing new table as changed
  for each statement execute function mark_contacts_of_topics();
create trigger mark_deleted after delete on subscriptions
  referencing old table as changed
  for each statement execute function mark_contacts_of_topics();
create trigger mark_inserted after insert on contact_stats
  referencing new table as changed
  for each statement execute function mark_contacts_of_stats();
create trigger mark_updated after update on contact_stats
  referencing new table as changed
  for each statement execute function mark_contacts_of_stats();
create trigger mark_inserted after insert on events
  referencing new table as changed
  for each statement execute function mark_contacts_of_events();

-- A condition may name a topic by its slug: then all contacts are looked at again.
create function rescan_kept_segments() returns trigger
language plpgsql
as $$
begin
  update kept_segments
  set scan = scan + 1, scan_after = null, scan_cursor = null, is_scanned = false
  where organization_id = new.organization_id and dropped_at is null and asks_topics;
  return null;
end
$$;
create trigger rescan_kept_segments after update of slug on topics
  for each row when (old.slug <> new.slug) execute function rescan_kept_segments();

revoke all on function mark_dirty_contacts(), mark_contacts_of_topics(), mark_contacts_of_stats(),
  mark_contacts_of_events(), rescan_kept_segments() from public;
