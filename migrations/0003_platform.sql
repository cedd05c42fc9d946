-- What every domain uses: messages to Temporal, answers to repeated requests, the rate limiter.

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

-- Leases due messages of a lane. They are read in the index's order without a sort: the planner
-- knows nothing of a crowd that came a moment ago, would take it for a handful, and would sort all
-- of it each time.
create function lease_outbox_messages(wanted_lane integer, most integer, lease_ms integer)
returns table (created_on date, "position" bigint, organization_id uuid, kind text, payload jsonb,
  attempts integer, request_id text)
language sql
set enable_sort = off
as $$
  update outbox o
  set available_at = clock_timestamp() + lease_ms * interval '1 millisecond',
    attempts = o.attempts + 1
  where (o.created_on, o.position) in (
    select due.created_on, due.position
    from outbox due
    where due.done_at is null
      and case when due.kind = 'start_execution' then 1 else 0 end = wanted_lane
      and due.available_at <= now()
    order by due.available_at, due.position
    limit most
    for update skip locked
  )
  returning o.created_on, o.position, o.organization_id, o.kind, o.payload, o.attempts, o.request_id
$$;
revoke execute on function lease_outbox_messages(integer, integer, integer) from public;
grant execute on function lease_outbox_messages(integer, integer, integer) to letterloom_worker;

-- Responses to POSTs with an Idempotency-Key, kept 24 hours. A row is written by the transaction
-- that did the work, so that a crash leaves both or neither.
create table idempotency_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null check (length(fingerprint) = 32),
  status smallint,
  answer text,
  lease_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, key),
  check ((status is null) = (answer is null)),
  check ((status is null) = (lease_until is not null))
);
create index idempotency_keys_age on idempotency_keys (created_at);
comment on column idempotency_keys.fingerprint is
  'SHA-256 over method, path, query and the hash of the body';
comment on column idempotency_keys.answer is
  'JSON as it was sent, secrets as null; null while work of several transactions is being done';
comment on column idempotency_keys.lease_until is
  'who does that work has it until then; afterwards another may take it up';
select protect_tenant_table('idempotency_keys');

-- One row for each subject whose requests are counted: an organization, an address, a token. The
-- arrays have one entry for each window. Requests are counted in marks, each a number of requests
-- and the time of the last of them; a mark leaves its window whole. The newest mark is here, older
-- ones are in rate_limit_marks. Times are milliseconds since 1970.
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
comment on column rate_limits.lease_counts is
  'requests that a process may let through on its own; they count until it says how many it did, '
  'or lease_until';
comment on column rate_limits.forget_hour is
  'hour since 1970 after which no window holds anything; by the hour, so that the index is seldom '
  'written';

create table rate_limit_marks (
  subject text not null references rate_limits (subject) on delete cascade,
  seconds integer not null,
  number integer not null,
  at bigint not null,
  count integer not null,
  primary key (subject, seconds, number)
);
grant select, insert, update, delete on rate_limits, rate_limit_marks to letterloom_definer;

-- Counts requests of several subjects, each at most once in `asks`:
--   {place, subject, seconds[], limits[], want, settled, settledAt, lease}
-- `granted` of `want` fit into every window and are counted, the others are not. `settled` requests
-- were let through under the holder's lease, the last of them at `settledAt`; what else was leased
-- is given back. `leased` more may be let through by the holder itself within half a second;
-- `on_lease` is what others have out. `used` counts both. `frees_at` is when the oldest requests
-- leave each window.
--
-- How exact it is: a mark holds at most 1/500 of the limit, or one lease; 6/1000 of a limit is
-- leased at most, and nothing once nine tenths are used. A process that counts an organization's
-- requests alone leases all that may be leased: half as many round trips as with half of it. One
-- that gets nothing, since another has it all, is noted as well: from then on each leases half of
-- what is left. What is leased counts: at most 9/1000 of a limit is refused too early, and it is
-- passed only when a holder says too late what it let through (it was stopped or killed), then by
-- what it had leased at most.
--
-- A later release may count in other windows: a subject begins again with the first request that
-- says so. An error would refuse all that were asked about together.
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
select make_security_definer('take_rate_limits(uuid, jsonb, bigint)');

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
