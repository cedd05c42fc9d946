-- The rate limiter anew: one row a subject, one statement a set of requests.
-- What was counted before is forgotten.
drop function take_rate_limits(uuid, jsonb, bigint);
drop function forget_rate_limits(integer, integer, bigint);
drop table rate_limit_marks;
drop table rate_limits;

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
