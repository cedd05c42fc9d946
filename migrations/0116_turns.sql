-- Organizations wait in turn, and not behind everything that another one has put there before.

-- Messages of a lane: 1 starts executions, 2 wakes them, 0 is everything else. The index
-- outbox_waiting, which knows of no lane for wakes, tells whether anything is due at all.
create index outbox_turns on outbox (
    (case kind when 'start_execution' then 1 when 'wake_execution' then 2 else 0 end),
    organization_id, available_at, position)
  where done_at is null;

-- Leases due messages of a lane, the same number of each organization: first those of the
-- organizations after `after_organization`, in the order of their ids, and then from the beginning.
-- An organization is found by one look at the index, however much another one has there; what is put
-- off for later is not walked past. The planner knows nothing of a crowd that came a moment ago, and
-- would read and sort all of it each time. Only days that have open messages are read: a poll of all
-- days' partitions costs more than what it finds.
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

-- Delivery events that wait, by organization.
create index inbound_events_turns on inbound_events (organization_id, position)
  where applied_at is null and look_at is null;
