-- The members of segments that something needs, such as the trigger of an enabled flow. Those of the
-- others are asked of the contacts each time.

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
  primary key (organization_id, id)
);
comment on table kept_segments is 'no personal data: organization_id id segment_id asks_topics '
  'asks_stats event_names kept_since recorded_at scan scan_after scan_cursor is_scanned dropped_at';
comment on column kept_segments.segment_id is
  'no foreign key: members of a deleted segment are deleted page by page';
comment on column kept_segments.recorded_at is
  'when all that were in it at first had been recorded; from then on each difference is an event';
comment on column kept_segments.scan is 'raised when all contacts are to be looked at again';
comment on column kept_segments.scan_after is
  'transactions up to this one may not have marked what they changed: the scan waits for their end';
comment on column kept_segments.scan_cursor is 'the last contact that the scan has looked at';
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
-- worker that evaluates the contact, and what it writes meanwhile is evaluated again. No foreign keys:
-- they would make every writer wait for whoever locks its organization.
create table dirty_contacts (
  organization_id uuid not null,
  id bigint generated always as identity,
  contact_id uuid not null,
  marked_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, id)
);
comment on table dirty_contacts is 'no personal data: organization_id id';
select protect_tenant_table('dirty_contacts');

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

-- One row for each organization that has or had a kept segment: who holds it evaluates its contacts.
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
