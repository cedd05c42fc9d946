-- Retention: what is older than plans promise is dropped by days or deleted in pages.

comment on column plans.retention_days is
  'for how long the plan promises logs and events: reads show nothing older, and it is deleted';

alter table organizations add column rows_deleted_before date;
comment on column organizations.rows_deleted_before is
  'rows of days before this one were looked through and deleted; null: never yet';

-- Rows come in the order of their time, so that these cost next to nothing to keep.
create index message_ids_age on message_ids using brin (bucket) with (autosummarize = on);
create index external_mails_age on external_mails using brin (bucket) with (autosummarize = on);
create index former_contacts_age on former_contacts (deleted_at);

-- A worker drops old days' partitions without owning them. Returns whether there was one.
create function drop_partition(parent text, day date) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  wanted constant text := parent || '_' || to_char(day, 'YYYYMMDD');
begin
  if parent not in ('messages', 'message_bodies', 'delivery_events', 'inbound_events', 'outbox', 'events') then
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
revoke all on function drop_partition(text, date) from public;
grant execute on function drop_partition(text, date) to letterloom_worker;
