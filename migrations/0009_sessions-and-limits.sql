-- What went wrong when two did it at once, or two releases.

-- Sessions: whoever opens, switches or ends one, or changes the password, locks the person in a statement
-- of its own. The next one sees what was committed while it waited; a single statement would not: a session
-- opened meanwhile would outlive the ending of all. Setting a password by the operator starts with the
-- same lock.

create or replace function open_session(person uuid, organization uuid, verified_hash text, session uuid,
  token_hash bytea, at timestamptz, until timestamptz, idle_since timestamptz)
returns boolean
language sql volatile
begin atomic
  select from users where id = person for no key update;
  delete from sessions s
  where s.user_id = person
    and (s.revoked_at is not null or s.expires_at <= at or s.last_seen_at <= idle_since
      or s.id in (
        select n.id from sessions n where n.user_id = person order by n.last_seen_at desc, n.id desc offset 99));
  with made as (
    insert into sessions (organization_id, id, user_id, hash, created_at, last_seen_at, expires_at)
    select m.organization_id, session, u.id, token_hash, at, at, until
    from users u
    join memberships m on m.user_id = u.id and m.organization_id = organization
    where u.id = person and u.password_hash = verified_hash
    returning organization_id, user_id),
  entered as (
    update memberships m
    set entered_at = at, given_name = null
    from made
    where m.organization_id = made.organization_id and m.user_id = made.user_id and m.entered_at is null)
  select exists (select from made);
end;
select make_crossing('open_session(uuid, uuid, text, uuid, bytea, timestamptz, timestamptz, timestamptz)');

create or replace function switch_session(old_session uuid, organization uuid, session uuid, token_hash bytea,
  at timestamptz)
returns timestamptz(3)
language sql volatile
begin atomic
  select from users u
  join sessions s on s.user_id = u.id
  where s.id = old_session
  for no key update of u;
  with ended as (
    update sessions s
    set revoked_at = at
    where s.id = old_session
      and s.revoked_at is null
      and exists (select from memberships m where m.organization_id = organization and m.user_id = s.user_id)
    returning s.user_id, s.expires_at),
  made as (
    insert into sessions (organization_id, id, user_id, hash, created_at, last_seen_at, expires_at)
    select organization, session, ended.user_id, token_hash, at, at, ended.expires_at
    from ended
    returning user_id, expires_at),
  entered as (
    update memberships m
    set entered_at = at, given_name = null
    from made
    where m.organization_id = organization and m.user_id = made.user_id and m.entered_at is null)
  select expires_at from made;
end;
select make_crossing('switch_session(uuid, uuid, uuid, bytea, timestamptz)');

create or replace function end_sessions(person uuid, only_session uuid, kept_session uuid, at timestamptz)
returns bigint
language sql volatile
begin atomic
  select from users where id = person for no key update;
  with ended as (
    update sessions s
    set revoked_at = at
    where s.user_id = person
      and s.revoked_at is null
      and (only_session is null or s.id = only_session)
      and s.id is distinct from kept_session
    returning s.id)
  select count(*) from ended;
end;
select make_crossing('end_sessions(uuid, uuid, uuid, timestamptz)');

create or replace function change_password(person uuid, verified_hash text, new_hash text,
  kept_session uuid, at timestamptz)
returns boolean
language sql volatile
begin atomic
  select from users where id = person for no key update;
  with changed as (
    update users u
    set password_hash = new_hash, password_changed_at = at
    where u.id = person and u.password_hash = verified_hash
    returning u.id),
  ended as (
    update sessions s
    set revoked_at = at
    from changed
    where s.user_id = changed.id and s.revoked_at is null and s.id is distinct from kept_session)
  select exists (select from changed);
end;
select make_crossing('change_password(uuid, text, text, uuid, timestamptz)');

-- Forgetting passes over who is being counted: it locks in another order, and waiting would be a deadlock.
create or replace function forget_rate_limits(most integer, most_deleted integer, given_now bigint) returns integer
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
select make_crossing('forget_rate_limits(integer, integer, bigint)');

-- A later release may count in other windows: a subject begins again with the first request that says so.
-- One that was counted otherwise failed with all that were asked about together.
create or replace function take_rate_limits(holder uuid, asks jsonb, given_now bigint)
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
      delete from rate_limit_marks where subject = ask.subject;
      head.seconds := ask.seconds;
      head.used := array_fill(0, array[windows]);
      head.oldest := head.used;
      head.newest := head.used;
      head.newest_count := head.used;
      head.oldest_at := array_fill(0::bigint, array[windows]);
      head.newest_at := head.oldest_at;
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
    set seconds = head.seconds, used = head.used, oldest = head.oldest, newest = head.newest,
      oldest_at = head.oldest_at, newest_at = head.newest_at, newest_count = head.newest_count,
      lease_holders = head.lease_holders, lease_counts = head.lease_counts, lease_until = head.lease_until,
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
