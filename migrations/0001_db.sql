-- Who may do what in this database, and what every other migration uses.
--
-- Rules of all tables:
--   `organization_id` leads every tenant table's keys: that keeps tenants apart, lets a table be
--   hash-partitioned by tenant later, and makes moving one tenant a range copy. `unique (id)`
--   beside it serves `owner_of`, which tells "not yours" (403) from "not there" (404).
--   Every time is timestamptz(3): JavaScript has milliseconds, and a cursor or `ifUnmodifiedSince`
--   made of microseconds would never match again.
--
-- Row-level security is the second line behind the `where organization_id = …` of every query:
--   the owner            runs migrations; policies bind it as well
--   letterloom_api       sees the rows of the organization its session was told, and no other
--   letterloom_worker    every row: workflows, relays and reconcilers serve all organizations
--   letterloom_search    reads every row: search, segments and freezing, which a policy would make
--                        hundreds of times slower (no index serves an operator that is not
--                        leakproof)
--   letterloom_definer   nobody logs in as it; it owns the security-definer functions, which look
--                        across organizations
--
-- A program logs in as a member of its role and takes it on. Roles belong to the server, not to one
-- database, so they may be there already, also made by somebody at the same moment.
do $$
declare
  wanted text;
begin
  foreach wanted in array array[
    'letterloom_api', 'letterloom_worker', 'letterloom_search', 'letterloom_definer'
  ] loop
    begin
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I nologin', wanted);
      end if;
    exception
      when duplicate_object or unique_violation then null;
    end;
    -- From Postgres 16 on, the maker of a role may grant it and yet not take it on.
    begin
      execute format('grant %I to %I', wanted, current_user);
    exception
      when insufficient_privilege then null;
    end;
  end loop;
end
$$;

grant usage on schema public
  to letterloom_api, letterloom_worker, letterloom_search, letterloom_definer;

-- A program that starts asks whether the schema is the one it needs.
grant select on schema_migrations to letterloom_api, letterloom_worker;

-- For a table whose rows belong to organizations. Call it in the migration that makes the table.
create function protect_tenant_table(wanted regclass) returns void
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
end
$$;

-- For a security-definer function, which looks across organizations: each is named, small and
-- returns no more than it has to. The tables it reads are granted to letterloom_definer by the
-- migration that makes it.
create function make_security_definer(wanted regprocedure) returns void
language plpgsql
as $$
begin
  grant create on schema public to letterloom_definer;
  execute format('alter function %s owner to letterloom_definer', wanted);
  revoke create on schema public from letterloom_definer;
  execute format('alter function %s security definer set search_path = public, pg_temp', wanted);
  execute format('revoke all on function %s from public', wanted);
  execute format('grant execute on function %s to letterloom_api, letterloom_worker', wanted);
end
$$;

revoke all on function protect_tenant_table(regclass), make_security_definer(regprocedure)
  from public;

-- A worker makes the coming days' partitions without owning them.
create function make_partition(parent text, day date, lower_bound text, upper_bound text)
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
  execute format('create table if not exists %I partition of %I for values from (%L) to (%L) with (fillfactor = %s)',
    parent || '_' || to_char(day, 'YYYYMMDD'), parent, lower_bound, upper_bound, fill);
end
$$;
revoke all on function make_partition(text, date, text, text) from public;
grant execute on function make_partition(text, date, text, text) to letterloom_worker;
