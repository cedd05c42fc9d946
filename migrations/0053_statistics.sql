-- The planner takes an organization that it has no statistics of for one of a single row, and may
-- read all of it to find one contact. By default a table is analysed when a tenth of it has
-- changed: beside a customer of ten million contacts, one of 500,000 could stay unknown for weeks.
-- So the tables of tenants are analysed after 500 changes, whatever their size: within a minute.

create function analyze_after_500_changes(wanted regclass) returns void
language plpgsql
as $$
begin
  execute format('alter table %s set (autovacuum_analyze_scale_factor = 0,
    autovacuum_analyze_threshold = 500)', wanted);
end
$$;
revoke all on function analyze_after_500_changes(regclass) from public;

-- A partitioned table has no rows of its own.
select analyze_after_500_changes(c.oid)
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r';

create or replace function protect_tenant_table(wanted regclass) returns void
language plpgsql
as $$
begin
  execute format('alter table %s enable row level security', wanted);
  execute format('alter table %s force row level security', wanted);
  execute format('create policy tenant on %s to letterloom_api
    using (organization_id = current_setting(''letterloom.organization'')::uuid)
    with check (organization_id = current_setting(''letterloom.organization'')::uuid)', wanted);
  execute format('create policy everything on %s to letterloom_worker using (true) with check (true)', wanted);
  execute format('create policy reading on %s for select to letterloom_search, letterloom_definer using (true)', wanted);
  execute format('grant select, insert, update, delete on %s to letterloom_api, letterloom_worker', wanted);
  execute format('grant select on %s to letterloom_search', wanted);
  if (select relkind from pg_class where oid = wanted) = 'r' then
    perform analyze_after_500_changes(wanted);
  end if;
end
$$;

create or replace function make_partition(parent text, day date, lower_bound text, upper_bound text)
returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  fill integer := case parent when 'messages' then 70 when 'outbox' then 70 when 'inbound_events' then 90 else 100 end;
begin
  if parent not in ('messages', 'message_bodies', 'delivery_events', 'inbound_events', 'outbox', 'events') then
    raise exception '% has no daily partitions', parent;
  end if;
  -- It needs the parent for itself for a moment: while it waits for a long statement, everybody else
  -- would wait behind it. Rather give up and come back; there is a week's time.
  set local lock_timeout = '1s';
  execute format('create table if not exists %I partition of %I for values from (%L) to (%L)
    with (fillfactor = %s, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 500)',
    parent || '_' || to_char(day, 'YYYYMMDD'), parent, lower_bound, upper_bound, fill);
end
$$;

-- Tells the planner what an import has just written, which a worker may not do without owning the
-- tables. Waits for nobody: whoever holds them may be autovacuum, which would be cancelled.
create function analyze_contacts() returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  analyze (skip_locked) contacts, subscriptions;
end
$$;
revoke all on function analyze_contacts() from public;
grant execute on function analyze_contacts() to letterloom_worker;
