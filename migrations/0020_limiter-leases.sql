-- A process that counts an organization's requests alone leases all that may be leased, not half of it:
-- half as many round trips. One that gets nothing, since another has it all, is noted as well: from then
-- on they share. How exact it is does not change (see 0005).
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
  others boolean;
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
      others := cardinality(head.lease_holders) > 0;
      select min(case
          when l <= least_leasable or u + out_on_lease >= l / 10 * 9 then 0
          when others then (l * 6 / 1000 - out_on_lease + 1) / 2
          else l * 6 / 1000
        end)
      into share
      from unnest(ask.limits, head.used) as w (l, u);
      leased := case when share > 1 then share else 0 end;
      head.lease_holders := head.lease_holders || holder;
      head.lease_counts := head.lease_counts || leased;
      head.lease_until := head.lease_until || t + lease_ms;
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
