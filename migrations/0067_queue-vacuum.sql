-- Rows of queues come and go: by default a table is vacuumed when a fifth of it is dead, and a poll
-- walks past all of them until then. These are vacuumed after 1,000 dead rows and a fiftieth.

create function vacuum_as_queue(wanted regclass) returns void
language plpgsql
as $$
begin
  execute format('alter table %s set (autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 1000)', wanted);
end
$$;
revoke all on function vacuum_as_queue(regclass) from public;

select vacuum_as_queue(wanted::regclass)
from unnest(array['mail_queue', 'claims', 'dirty_contacts', 'membership_deadlines',
  'event_queue_polls', 'unapplied_events', 'transactional_mails']) as wanted;
select vacuum_as_queue(inhrelid::regclass)
from pg_inherits
where inhparent in ('outbox'::regclass, 'inbound_events'::regclass, 'external_mails'::regclass);

create or replace function make_partition(parent text, day date, lower_bound text, upper_bound text)
returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  partition text := parent || '_' || to_char(day, 'YYYYMMDD');
  fill integer := case parent when 'messages' then 70 when 'outbox' then 70 when 'inbound_events' then 90 else 100 end;
begin
  if parent not in ('messages', 'message_bodies', 'delivery_events', 'inbound_events', 'outbox', 'events') then
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
