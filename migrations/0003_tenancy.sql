-- Row-level security: the second line behind the `where organization_id = …` of every query.
--
--   the owner            runs migrations; policies bind it as well
--   letterloom_api       sees the rows of the organization its session was told, and no other
--   letterloom_worker    every row: workflows, relays and reconcilers serve all organizations
--   letterloom_search    reads every row: search, segments and freezing, which a policy would make
--                        hundreds of times slower (no index serves an operator that is not leakproof)
--   letterloom_crossing  nobody logs in as it; it owns the functions that look across organizations
--
-- A program logs in as a member of its role and takes it on. Roles belong to the server, not to one
-- database, so they may be there already, also made by somebody at the same moment.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['letterloom_api', 'letterloom_worker', 'letterloom_search', 'letterloom_crossing'] loop
    begin
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I nologin', wanted);
      end if;
    exception
      when duplicate_object or unique_violation then null;
    end;
    -- From 16 on, who makes a role may grant it and yet not take it on.
    begin
      execute format('grant %I to %I', wanted, current_user);
    exception
      when insufficient_privilege then null;
    end;
  end loop;
end
$$;

grant usage on schema public to letterloom_api, letterloom_worker, letterloom_search, letterloom_crossing;
grant usage on all sequences in schema public to letterloom_api, letterloom_worker;

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
  execute format('create policy reading on %s for select to letterloom_search, letterloom_crossing using (true)', wanted);
  execute format('grant select, insert, update, delete on %s to letterloom_api, letterloom_worker', wanted);
  execute format('grant select on %s to letterloom_search', wanted);
end
$$;

-- For a function that looks across organizations: each is named, small and answers no more than it has
-- to. The tables it reads are granted to letterloom_crossing by the migration that makes it.
create function make_crossing(wanted regprocedure) returns void
language plpgsql
as $$
begin
  grant create on schema public to letterloom_crossing;
  execute format('alter function %s owner to letterloom_crossing', wanted);
  revoke create on schema public from letterloom_crossing;
  execute format('alter function %s security definer set search_path = public, pg_temp', wanted);
  execute format('revoke all on function %s from public', wanted);
  execute format('grant execute on function %s to letterloom_api, letterloom_worker', wanted);
end
$$;

revoke all on function protect_tenant_table(regclass), make_crossing(regprocedure) from public;

select protect_tenant_table(name) from unnest(array['memberships', 'api_keys', 'connections', 'contacts',
  'contact_stats', 'contents', 'templates', 'template_versions', 'batches', 'messages', 'message_bodies',
  'message_ids', 'outlet_queue', 'claims', 'inbound_events', 'delivery_events', 'outbox']::regclass[]) as name;

alter table organizations enable row level security;
alter table organizations force row level security;
create policy tenant on organizations to letterloom_api
  using (id = current_setting('letterloom.organization')::uuid);
create policy everything on organizations to letterloom_worker using (true) with check (true);
create policy reading on organizations for select to letterloom_search, letterloom_crossing using (true);
grant select, update on organizations to letterloom_api;
grant select, insert, update on organizations to letterloom_worker;
grant select on organizations to letterloom_search;

-- Operator's commands work as a worker does.
grant select, insert, update on users to letterloom_worker;

-- No tenant's: the provider counts per account and region, whoever shares it.
grant select, insert, update, delete on sending_limits to letterloom_worker;
grant select on schema_migrations to letterloom_api, letterloom_worker;

-- The crossings: whose is this id (403 or 404), whose is this key, whose is this webhook secret.
grant select on batches, connections, contacts, templates, api_keys to letterloom_crossing;
select make_crossing('owner_of(text, uuid)');

create function live_api_key(wanted bytea)
returns table (organization_id uuid, id uuid, scopes text[], expires_at timestamptz(3), last_used_at timestamptz(3))
language sql stable
begin atomic
  select k.organization_id, k.id, k.scopes, k.expires_at, k.last_used_at
  from api_keys k
  where k.hash = wanted
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now());
end;
select make_crossing('live_api_key(bytea)');

create function webhook_proofs(account text)
returns table (organization_id uuid, id uuid, account_id text, region text, secret_hash bytea,
  previous_secret_hash bytea, previous_secret_until timestamptz(3))
language sql stable
begin atomic
  select c.organization_id, c.id, c.account_id, c.region, c.secret_hash, c.previous_secret_hash,
    c.previous_secret_until
  from connections c
  where c.account_id = account and c.secret_hash is not null and c.disconnected_at is null
  order by c.id;
end;
select make_crossing('webhook_proofs(text)');

-- Events of several organizations come in one set; each was proved before. Answers those that are new.
create policy storing on inbound_events for insert to letterloom_crossing with check (true);
grant select, insert on inbound_events to letterloom_crossing;
grant usage on sequence inbound_events_position to letterloom_crossing;
create function store_inbound_events(organizations uuid[], connections uuid[], envelopes text[], bodies text[])
returns table (connection_id uuid, envelope_id text)
language sql volatile
begin atomic
  insert into inbound_events (organization_id, connection_id, envelope_id, body)
  select e.organization_id, e.connection_id, e.envelope_id, e.body::jsonb
  from unnest(organizations, connections, envelopes, bodies)
    as e (organization_id, connection_id, envelope_id, body)
  on conflict do nothing
  returning inbound_events.connection_id, inbound_events.envelope_id;
end;
select make_crossing('store_inbound_events(uuid[], uuid[], text[], text[])');

-- A worker makes the coming days' partitions and tells the planner about them, without owning them.
create function make_partition(parent text, day date, lower_bound text, upper_bound text) returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  fill integer := case parent when 'messages' then 70 when 'outbox' then 70 when 'inbound_events' then 90 else 100 end;
begin
  if parent not in ('messages', 'message_bodies', 'delivery_events', 'inbound_events', 'outbox') then
    raise exception '% has no daily partitions', parent;
  end if;
  -- It needs the parent for itself for a moment: while it waits for a long statement, everybody else
  -- would wait behind it. Rather give up and come back; there is a week's time.
  set local lock_timeout = '1s';
  execute format('create table if not exists %I partition of %I for values from (%L) to (%L) with (fillfactor = %s)',
    parent || '_' || to_char(day, 'YYYYMMDD'), parent, lower_bound, upper_bound, fill);
end
$$;
create function analyze_messages(day date) returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  execute format('analyze %I', 'messages_' || to_char(day, 'YYYYMMDD'));
end
$$;
revoke all on function make_partition(text, date, text, text), analyze_messages(date) from public;
grant execute on function make_partition(text, date, text, text), analyze_messages(date) to letterloom_worker;
