-- Who may do what in this database; the functions that the other migrations make their tables with;
-- daily partitions; and what belongs to no domain: messages to Temporal, the rate limiter, and the
-- beats by which a restored Postgres is noticed.
--
-- Rules of all tables:
--   `organization_id` leads every tenant table's keys: that keeps tenants apart, lets a table be
--   hash-partitioned by tenant later, and makes moving one tenant a range copy. `unique (id)`
--   beside it serves `owner_of`, which tells "not yours" (403) from "not there" (404).
--   Every time is timestamptz(3): JavaScript has milliseconds, and a cursor or `ifUnmodifiedSince`
--   made of microseconds would never match again.
--   Rows whose work a run of Temporal's carries on have an index of those that are open, by which a
--   run that was lost is started again.
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
-- A program logs in as a member of its role and takes it on. Roles belong to the server: roles.sql
-- makes them, and it runs before the first migration.

grant usage on schema public
  to letterloom_api, letterloom_worker, letterloom_search, letterloom_definer;

-- A program that starts asks whether the schema is the one it needs.
grant select on schema_migrations to letterloom_api, letterloom_worker;

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

-- For a table whose rows belong to organizations. Call it in the migration that makes the table. A
-- partitioned table has no rows of its own: its partitions are analysed early.
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
  if (select relkind from pg_class where oid = wanted) = 'r' then
    perform analyze_after_500_changes(wanted);
  end if;
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

-- A resource is what has an address of its own in the API. `owner_of`, which tells whose one is, is
-- made of this list.
create table resources (
  kind text primary key check (kind ~ '^[a-z_]+$'),
  source regclass not null unique
);
comment on table resources is 'no personal data: kind source';
comment on column resources.kind is 'what the API asks owner_of for';

-- For a table whose rows have an address of their own in the API, and a `unique (id)`. Call it in
-- the migration that makes the table. `owner_of` stays plain SQL: nothing is put together when it
-- runs.
create function make_resource(wanted regclass, called text) returns void
language plpgsql
as $$
declare
  cases text;
begin
  insert into resources (kind, source) values (called, wanted);
  execute format('grant select (organization_id, id) on %s to letterloom_definer', wanted);
  select string_agg(
      format('when %L then (select organization_id from %s where id = wanted)', kind, source),
      ' ' order by kind)
  into cases
  from resources;
  execute format('create or replace function owner_of(kind text, wanted uuid) returns uuid
    language sql stable return case kind %s end', cases);
  perform make_security_definer('owner_of(text, uuid)');
end
$$;

revoke all on function analyze_after_500_changes(regclass), vacuum_as_queue(regclass),
  protect_tenant_table(regclass), make_security_definer(regprocedure),
  make_resource(regclass, text)
  from public;

-- A worker makes the coming days' partitions without owning them.
create function make_partition(parent text, day date, lower_bound text, upper_bound text)
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
revoke all on function make_partition(text, date, text, text) from public;
grant execute on function make_partition(text, date, text, text) to letterloom_worker;

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

-- Messages to Temporal, each written in the transaction that causes it.
create sequence outbox_position;
grant usage on sequence outbox_position to letterloom_api, letterloom_worker;
create table outbox (
  created_on date not null default current_date,
  position bigint not null default nextval('outbox_position'),
  organization_id uuid not null,
  kind text not null,
  payload jsonb not null,
  available_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  last_error text,
  done_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  request_id text,
  primary key (created_on, position)
) partition by range (created_on);
-- Starts of executions can be a million at once: everything else has a lane of its own.
create index outbox_waiting
  on outbox ((case when kind = 'start_execution' then 1 else 0 end), available_at, position)
  where done_at is null;
comment on column outbox.available_at is
  'not before; a relay that takes a row moves it on, which is its lease';
comment on column outbox.request_id is
  'of the API call that wrote the message; the workflow has it in its memo';
select protect_tenant_table('outbox');

-- One row for each subject whose requests are counted: an organization, an address, a token. Times
-- are milliseconds since 1970. `seconds`, `limits`, `used` and `frees_at` have an entry a window.
create table rate_limits (
  subject text primary key,
  seconds integer[] not null,
  limits integer[] not null,
  wanted integer not null,
  granted integer not null,
  used integer[] not null,
  frees_at bigint[] not null,
  mark_seconds integer[] not null,
  mark_at bigint[] not null,
  mark_counts integer[] not null,
  taken_at bigint not null,
  forget_hour integer not null
) with (fillfactor = 50);
create index rate_limits_forget on rate_limits (forget_hour);
comment on column rate_limits.granted is 'of the `wanted` requests of the last question';
comment on column rate_limits.mark_seconds is
  'the window of each mark: marks are the sub-windows, some requests and the time of the last of '
  'them, at most 61 a window';
comment on column rate_limits.forget_hour is
  'hour since 1970 after which no window holds anything; by the hour, so that the index is seldom '
  'written';
grant select, insert, update, delete on rate_limits to letterloom_definer;

-- Counts requests of several subjects, each at most once in `asks`: {subject, seconds[], limits[],
-- want}. `granted` of `want` fit into every window and are counted, the others are not. `frees_at`
-- is when the oldest requests leave each window.
--
-- How exact it is: a mark takes requests up to 1/30 of the limit and leaves its window whole, when
-- the last of them does. So no limit is passed, and at most 3.4 % of one are refused too early,
-- however the traffic looks; sub-windows of equal time would be wrong by a whole burst. A limit
-- below 60 is exact. Requests of one moment are one mark, however many they are.
--
-- A later release may count in other windows: they begin empty.
create function take_rate_limits(asks jsonb, given_now bigint)
returns table (subject text, granted integer, used integer[], frees_at bigint[], taken_at bigint)
language plpgsql
as $$
#variable_conflict use_column
declare
  now_ms constant bigint :=
    coalesce(given_now, floor(extract(epoch from clock_timestamp()) * 1000));
begin
  -- Counts may lose the last half second when Postgres crashes; waiting for the disk costs more.
  perform set_config('synchronous_commit', 'off', true);
  return query
  insert into rate_limits as r (subject, seconds, limits, wanted, granted, used, frees_at,
    mark_seconds, mark_at, mark_counts, taken_at, forget_hour)
  select a.subject, a.seconds, a.limits, a.want, first.granted, first.counts, first.frees_at,
    a.seconds, first.times, first.counts, now_ms, first.forget_hour
  from jsonb_to_recordset(asks)
      as a (subject text, seconds integer[], limits integer[], want integer),
    lateral (
      select least(a.want, min(l)) as granted,
        array_fill(least(a.want, min(l)), array[count(*)::integer]) as counts,
        array_fill(now_ms, array[count(*)::integer]) as times,
        array_agg(now_ms + s * 1000::bigint order by place) as frees_at,
        (now_ms + max(s) * 1000::bigint) / 3600000 + 1 as forget_hour
      from unnest(a.seconds, a.limits) with ordinality as w (s, l, place)) as first
  -- Everybody locks in one order.
  order by a.subject collate "C"
  on conflict (subject) do update
  set (seconds, limits, wanted, granted, used, frees_at, mark_seconds, mark_at, mark_counts,
    taken_at, forget_hour) = (
    with moment as (
      -- A clock that goes back changes nothing.
      select greatest(r.taken_at, excluded.taken_at) as t
    ), kept as (
      select s, at, n
      from moment, unnest(r.mark_seconds, r.mark_at, r.mark_counts) as m (s, at, n)
      where at > t - s * 1000::bigint
    ), windows as (
      select place, s, l, coalesce(sum(n), 0)::integer as used, max(at) as newest,
        (array_agg(n order by at desc))[1] as newest_count
      from unnest(excluded.seconds, excluded.limits) with ordinality as w (s, l, place)
      left join kept using (s)
      group by place, s, l
    ), decision as (
      select greatest(0, least(excluded.wanted, min(l - used))) as granted
      from windows
    ), marks as (
      select s, max(at) as at, sum(n)::integer as n
      from (
        select s, at as mark, at, n
        from kept
        where s = any(excluded.seconds)
        union all
        select s, case when newest_count + granted <= l / 30 then newest else t end, t, granted
        from windows, decision, moment
        where granted > 0
      ) as counted
      group by s, mark
    ), told as (
      select array_agg(used + granted order by place) as used,
        array_agg(coalesce(oldest, t) + s * 1000::bigint order by place) as frees_at
      from windows, decision, moment,
        lateral (select min(at) as oldest from marks where marks.s = windows.s) as o
    )
    select excluded.seconds, excluded.limits, excluded.wanted, decision.granted, told.used,
      told.frees_at, coalesce(array_agg(s), '{}'), coalesce(array_agg(at), '{}'),
      coalesce(array_agg(n), '{}'), t, greatest(r.forget_hour, excluded.forget_hour)
    from moment, decision, told left join marks on true
    group by decision.granted, told.used, told.frees_at, t
  )
  returning subject, granted, used, frees_at, taken_at;
end
$$;
select make_security_definer('take_rate_limits(jsonb, bigint)');

-- Deletes subjects whose windows are empty and, when there are more than `most`, those whose
-- windows will be empty first: a flood of addresses must not fill the disk. At most `most_deleted`
-- at a time. Subjects that are being counted are passed over: they are locked in another order, and
-- waiting for them would be a deadlock.
create function forget_rate_limits(most integer, most_deleted integer, given_now bigint)
returns integer
language plpgsql
as $$
declare
  hour constant integer := coalesce(given_now, extract(epoch from clock_timestamp()) * 1000) / 3600000;
  too_many constant integer := greatest(0, (select count(*) from rate_limits) - most);
  deleted integer;
begin
  delete from rate_limits
  where subject = any(array(
    select subject
    from rate_limits
    where subject = any(array(
      select subject
      from (
        select subject, forget_hour, row_number() over (order by forget_hour) as place
        from rate_limits
        order by forget_hour
        limit most_deleted
      ) as soonest
      where forget_hour < hour or place <= too_many))
    for update skip locked));
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
select make_security_definer('forget_rate_limits(integer, integer, bigint)');

-- Postgres may be restored from a backup. Then Temporal's copy of the newest beat is ahead of this
-- one.
create table ledger_beats (
  ledger uuid primary key default gen_random_uuid(),
  beat bigint not null default 0 check (beat >= 0),
  beat_at timestamptz(3) not null default 'epoch',
  restored_at timestamptz(3)
);
-- One row: a second one is refused.
create unique index ledger_beats_one on ledger_beats ((true));
comment on table ledger_beats is 'whether Postgres was restored: workers count beats here and in Temporal';
comment on column ledger_beats.ledger is 'names this database and its backups: a new one is no restored one';
comment on column ledger_beats.restored_at is
  'when it was last noticed: events of mails that were claimed before it may have come and gone';
grant select, update on ledger_beats to letterloom_worker;
insert into ledger_beats default values;
