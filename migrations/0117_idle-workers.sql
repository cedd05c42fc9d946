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
