-- What lets workers that have nothing to do ask seldom: whoever commits work says so, and what one
-- worker can do for all is done by one.

-- A loop that found work looks often for a moment and needs not be told. Without a row, or when its
-- time has passed, whoever commits work wakes the loops. So an idle worker is told at once, and a
-- crowd of writers does not wait for the lock of notifications.
create table loops_awake (
  channel text primary key,
  until timestamptz(3) not null
) with (fillfactor = 50);
comment on table loops_awake is 'no personal data: channel until';
grant select on loops_awake to letterloom_api, letterloom_worker, letterloom_definer;
grant insert, update on loops_awake to letterloom_worker;

create function announce_work() returns trigger
language plpgsql
as $$
begin
  if not exists (
    select from loops_awake where channel = tg_argv[0] and until > clock_timestamp()
  ) then
    perform pg_notify('letterloom_work', tg_argv[0]);
  end if;
  return null;
end
$$;
revoke all on function announce_work() from public;

create trigger announce_work after insert on outbox
  for each statement execute function announce_work('outbox');
create trigger announce_work after insert on inbound_events
  for each statement execute function announce_work('inbound_events');
create trigger announce_work after insert on mail_queue
  for each statement execute function announce_work('mail_queue');
create trigger announce_work after insert on dirty_contacts
  for each statement execute function announce_work('dirty_contacts');

-- Loops that one worker runs for the whole fleet.
create table fleet_leases (
  name text primary key,
  held_by uuid not null,
  held_until timestamptz(3) not null
) with (fillfactor = 50);
comment on table fleet_leases is 'no personal data: name held_by held_until';
grant select, insert, update, delete on fleet_leases to letterloom_worker;

-- Leases of the days that have open messages only: a poll of all days' partitions costs more than
-- what it finds.
create function lease_outbox_turns(wanted_lane integer, most integer, lease_ms integer,
  after_organization uuid, first_day date, last_day date)
returns table (created_on date, "position" bigint, organization_id uuid, kind text, payload jsonb,
  attempts integer, request_id text)
language plpgsql
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  organizations uuid[] := '{}';
  at uuid := after_organization;
  is_second_part boolean := false;
  found_organization uuid;
  first_at timestamptz;
begin
  loop
    select o.organization_id, o.available_at
    into found_organization, first_at
    from outbox o
    where o.done_at is null
      and case o.kind when 'start_execution' then 1 when 'wake_execution' then 2 else 0 end = wanted_lane
      and o.organization_id > at and o.created_on between first_day and last_day
    order by o.organization_id, o.available_at, o.position
    limit 1;
    if not found or (is_second_part and found_organization > after_organization) then
      exit when is_second_part;
      is_second_part := true;
      at := '00000000-0000-0000-0000-000000000000';
      continue;
    end if;
    at := found_organization;
    if first_at <= now() then
      organizations := organizations || found_organization;
      exit when cardinality(organizations) = most;
    end if;
  end loop;
  if organizations = '{}' then
    return;
  end if;
  return query
    with taken as materialized (
      select due.created_on, due.position
      from unnest(organizations) as turn (organization_id)
      cross join lateral (
        select d.created_on, d.position
        from outbox d
        where d.done_at is null
          and case d.kind when 'start_execution' then 1 when 'wake_execution' then 2 else 0 end = wanted_lane
          and d.organization_id = turn.organization_id and d.available_at <= now()
          and d.created_on between first_day and last_day
        order by d.available_at, d.position
        limit greatest(1, most / cardinality(organizations))
        for update skip locked
      ) due
    )
    update outbox o
    set available_at = clock_timestamp() + lease_ms * interval '1 millisecond',
      attempts = o.attempts + 1
    from taken
    where o.created_on = taken.created_on and o.position = taken.position
      and o.created_on between first_day and last_day
    returning o.created_on, o.position, o.organization_id, o.kind, o.payload, o.attempts,
      o.request_id;
end
$$;
revoke execute on function lease_outbox_turns(integer, integer, integer, uuid, date, date)
  from public;
grant execute on function lease_outbox_turns(integer, integer, integer, uuid, date, date)
  to letterloom_worker;
drop function lease_outbox_turns(integer, integer, integer, uuid);
