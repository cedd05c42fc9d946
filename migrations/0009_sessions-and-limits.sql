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
