-- Plans as data, an organization's own figures, and what the rate limiter remembers.

-- A figure that is null has no limit.
create table plans (
  name text primary key,
  rank smallint not null unique,
  requests_per_minute integer not null check (requests_per_minute > 0),
  requests_per_day integer not null check (requests_per_day >= requests_per_minute),
  events_per_month bigint check (events_per_month > 0),
  connections integer check (connections > 0),
  workflows integer check (workflows > 0),
  segments boolean not null,
  retention_days integer not null check (retention_days > 0)
);
comment on column plans.rank is 'a plan has at least what every plan of a lower rank has';
comment on column plans.retention_days is 'logs and events older than this are not shown';

insert into plans (name, rank, requests_per_minute, requests_per_day, events_per_month, connections,
  workflows, segments, retention_days)
values
  ('free', 1, 50, 1000, 5000, 1, 2, false, 30),
  ('starter', 2, 500, 50000, 50000, 3, null, true, 90),
  ('growth', 3, 2000, 200000, 250000, null, null, true, 180),
  ('scale', 4, 5000, 500000, 1000000, null, null, true, 365),
  ('enterprise', 5, 10000, 2000000, null, null, null, true, 730);
grant select on plans to letterloom_api, letterloom_worker;

alter table organizations drop constraint organizations_plan_check;
alter table organizations add foreign key (plan) references plans (name);

-- Figures of an organization's own. Null: as its plan says.
create table plan_overrides (
  organization_id uuid primary key references organizations (id) on delete cascade,
  requests_per_minute integer check (requests_per_minute > 0),
  requests_per_day integer check (requests_per_day > 0),
  events_per_month bigint check (events_per_month > 0),
  connections integer check (connections > 0),
  workflows integer check (workflows > 0),
  segments boolean,
  retention_days integer check (retention_days > 0)
);
select protect_tenant_table('plan_overrides');
-- Nobody raises their own limits: the operator does.
revoke insert, update, delete on plan_overrides from letterloom_api;

-- One row for whom requests are counted: an organization, an address, a token. The arrays have one
-- entry for each window. Requests are counted in marks, each a number of requests and the time of the
-- last of them; a mark leaves its window whole. The newest mark is here, older ones are in
-- rate_limit_marks. Times are milliseconds since 1970.
create table rate_limits (
  subject text primary key,
  seconds integer[] not null,
  used integer[] not null,
  oldest integer[] not null,
  newest integer[] not null,
  oldest_at bigint[] not null,
  newest_at bigint[] not null,
  newest_count integer[] not null,
  lease_holders uuid[] not null default '{}',
  lease_counts integer[] not null default '{}',
  lease_until bigint[] not null default '{}',
  forget_hour integer not null default 0
) with (fillfactor = 50);
create index rate_limits_forget on rate_limits (forget_hour);
comment on column rate_limits.lease_counts is 'requests that a process may let through on its own; they count until it says how many it did, or lease_until';
comment on column rate_limits.forget_hour is 'hour since 1970 after which no window holds anything; by the hour, so that the index is seldom written';

create table rate_limit_marks (
  subject text not null references rate_limits (subject) on delete cascade,
  seconds integer not null,
  number integer not null,
  at bigint not null,
  count integer not null,
  primary key (subject, seconds, number)
);
grant select, insert, update, delete on rate_limits, rate_limit_marks to letterloom_crossing;

-- Counts requests of several subjects, each at most once in `asks`:
--   {place, subject, seconds[], limits[], want, settled, settledAt, lease}
-- `granted` of `want` fit into every window and are counted, the others are not. `settled` requests were
-- let through under the holder's lease, the last of them at `settledAt`; what else was leased is given
-- back. `leased` more may be let through by the holder itself within half a second; `on_lease` is what
-- others have out. `used` counts both. `frees_at` is when the oldest requests leave each window.
--
-- How exact it is: a mark holds at most 1/500 of the limit, or one lease; 6/1000 of a limit is leased at
-- most, half of what is left to each process, and nothing once nine tenths are used. What is leased counts:
-- at most 9/1000 of a limit is refused too early, and it is passed only when a holder says too late what it
-- let through (it was stopped or killed), then by what it had leased at most.
create function take_rate_limits(holder uuid, asks jsonb, given_now bigint)
returns table (place integer, granted integer, leased integer, on_lease integer, used integer[],
  frees_at bigint[], taken_at bigint)
language plpgsql
as $$
#variable_conflict use_column
declare
  lease_ms constant bigint := 500;
  least_leasable constant integer := 1000;
  ask record;
  head rate_limits;
  t bigint;
  windows integer;
  cutoff bigint;
  gone integer;
  out_on_lease integer;
  room integer;
  share integer;
  added integer[];
  added_at bigint[];
begin
  -- Counts may lose the last half second when Postgres crashes; waiting for the disk each time costs more.
  perform set_config('synchronous_commit', 'off', true);
  for ask in
    select * from jsonb_to_recordset(asks) as a (place integer, subject text, seconds integer[],
      limits integer[], want integer, settled integer, "settledAt" bigint, lease boolean)
    order by subject collate "C"
  loop
    windows := cardinality(ask.seconds);
    select * into head from rate_limits where subject = ask.subject for update;
    if not found then
      insert into rate_limits (subject, seconds, used, oldest, newest, oldest_at, newest_at, newest_count)
      values (ask.subject, ask.seconds, array_fill(0, array[windows]), array_fill(0, array[windows]),
        array_fill(0, array[windows]), array_fill(0::bigint, array[windows]),
        array_fill(0::bigint, array[windows]), array_fill(0, array[windows]))
      on conflict do nothing;
      select * into head from rate_limits where subject = ask.subject for update;
    end if;
    if head.seconds <> ask.seconds then
      raise exception 'the windows of a subject never change';
    end if;
    t := coalesce(given_now, floor(extract(epoch from clock_timestamp()) * 1000));
    t := greatest(t, head.newest_at[1]);

    -- Leases that ran out count no more; the holder's own is settled.
    select coalesce(array_agg(h), '{}'), coalesce(array_agg(c), '{}'), coalesce(array_agg(u), '{}'),
      coalesce(sum(c), 0)
    into head.lease_holders, head.lease_counts, head.lease_until, out_on_lease
    from unnest(head.lease_holders, head.lease_counts, head.lease_until) as l (h, c, u)
    where u > t and h <> holder;

    room := ask.want;
    for i in 1..windows loop
      cutoff := t - ask.seconds[i] * 1000::bigint;
      if head.used[i] > 0 and head.newest_at[i] <= cutoff then
        delete from rate_limit_marks where subject = ask.subject and seconds = ask.seconds[i];
        head.used[i] := 0;
        head.newest_count[i] := 0;
        head.oldest[i] := head.newest[i];
      end if;
      while head.used[i] > 0 and head.oldest_at[i] <= cutoff loop
        delete from rate_limit_marks
        where subject = ask.subject and seconds = ask.seconds[i] and number = head.oldest[i]
        returning count into gone;
        head.used[i] := head.used[i] - gone;
        head.oldest[i] := head.oldest[i] + 1;
        if head.oldest[i] = head.newest[i] then
          head.oldest_at[i] := head.newest_at[i];
        else
          head.oldest_at[i] := (select at from rate_limit_marks
            where subject = ask.subject and seconds = ask.seconds[i] and number = head.oldest[i]);
        end if;
      end loop;
      room := least(room, ask.limits[i] - head.used[i] - out_on_lease - ask.settled);
    end loop;
    granted := greatest(room, 0);

    -- What was let through under the lease, then what is granted now.
    added := array[ask.settled, granted];
    added_at := array[least(coalesce(ask."settledAt", t), t), t];
    for k in 1..2 loop
      continue when added[k] = 0;
      for i in 1..windows loop
        if head.used[i] > 0 and head.newest_at[i] < added_at[k]
          and head.newest_count[i] + added[k] > greatest(1, ask.limits[i] / 500) then
          insert into rate_limit_marks (subject, seconds, number, at, count)
          values (ask.subject, ask.seconds[i], head.newest[i], head.newest_at[i], head.newest_count[i]);
          head.newest[i] := head.newest[i] + 1;
          head.newest_count[i] := 0;
        end if;
        head.newest_at[i] := greatest(head.newest_at[i], added_at[k]);
        if head.oldest[i] = head.newest[i] then head.oldest_at[i] := head.newest_at[i]; end if;
        head.newest_count[i] := head.newest_count[i] + added[k];
        head.used[i] := head.used[i] + added[k];
      end loop;
    end loop;

    leased := 0;
    on_lease := out_on_lease;
    if ask.lease and granted = ask.want then
      select min(case
          when l <= least_leasable or u + out_on_lease >= l / 10 * 9 then 0
          else (l * 6 / 1000 - out_on_lease + 1) / 2
        end)
      into share
      from unnest(ask.limits, head.used) as w (l, u);
      if share > 1 then
        leased := share;
        head.lease_holders := head.lease_holders || holder;
        head.lease_counts := head.lease_counts || leased;
        head.lease_until := head.lease_until || t + lease_ms;
      end if;
    end if;

    update rate_limits
    set used = head.used, oldest = head.oldest, newest = head.newest, oldest_at = head.oldest_at,
      newest_at = head.newest_at, newest_count = head.newest_count, lease_holders = head.lease_holders,
      lease_counts = head.lease_counts, lease_until = head.lease_until,
      forget_hour = (t + (select max(s) from unnest(ask.seconds) as s) * 1000::bigint) / 3600000 + 1
    where subject = ask.subject;

    place := ask.place;
    used := (select array_agg(u + out_on_lease + leased order by n)
      from unnest(head.used) with ordinality as w (u, n));
    frees_at := (select array_agg(case when u > 0 then o + s * 1000::bigint else t + s * 1000::bigint end order by n)
      from unnest(head.used, head.oldest_at, ask.seconds) with ordinality as w (u, o, s, n));
    taken_at := t;
    return next;
  end loop;
end
$$;
select make_crossing('take_rate_limits(uuid, jsonb, bigint)');

-- Forgets whom no window holds any more, and, when there are more than `most`, those who will be
-- forgotten first: a flood of addresses must not fill the disk. At most `most_deleted` at a time.
create function forget_rate_limits(most integer, most_deleted integer, given_now bigint) returns integer
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
    from (
      select subject, forget_hour, row_number() over (order by forget_hour) as place
      from rate_limits
      order by forget_hour
      limit most_deleted
    ) as soonest
    where forget_hour < hour or place <= too_many));
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
select make_crossing('forget_rate_limits(integer, integer, bigint)');
