-- Whoever may add members could find out who is a user, and read of their logins elsewhere: until a
-- person has come in themselves, an organization sees the name it gave them and none of their events.
alter table memberships
  add column given_name text check (length(given_name) between 1 and 200),
  -- Who is a member already, has come in.
  add column entered_at timestamptz(3) default now();
alter table memberships alter column entered_at drop default;
comment on column memberships.given_name is 'what the organization calls a person who has not come in yet; null: by their own name';
comment on column memberships.entered_at is 'when the person first had a session in this organization';
create policy signing_in on memberships for update to letterloom_crossing using (true) with check (true);
grant update (given_name, entered_at) on memberships to letterloom_crossing;

create or replace function open_session(person uuid, organization uuid, verified_hash text, session uuid,
  token_hash bytea, at timestamptz, until timestamptz, idle_since timestamptz)
returns boolean
language sql volatile
begin atomic
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
    for share of u
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

-- What concerns a person and no one organization is noted in each that they have come in to. The ids
-- differ from `base`, a UUIDv7, in their last 48 bits only.
create or replace function audit_person(base uuid, person uuid, noted_actor_kind text, noted_actor uuid,
  noted_action text, noted_request text, at timestamptz)
returns void
language sql volatile
begin atomic
  insert into audit_events (organization_id, id, actor_kind, actor_id, action, subject_kind, subject_id,
    request_id, created_at)
  select m.organization_id, (left(base::text, 24) || left(md5(base::text || m.organization_id::text), 12))::uuid,
    noted_actor_kind, noted_actor, noted_action, 'user', person::text, noted_request, at
  from memberships m
  where m.user_id = person and m.entered_at is not null;
end;
select make_crossing('audit_person(uuid, uuid, text, uuid, text, text, timestamptz)');

-- Old rows are deleted by a loop of the worker, also when nobody fails any more.
create or replace function note_login_failure(asked_account bytea, at timestamptz, since timestamptz) returns void
language sql volatile
begin atomic
  insert into login_failures as f (account, failures, last_failed_at)
  values (asked_account, 1, at)
  on conflict (account) do update
  set failures = case when f.last_failed_at > since then least(f.failures, 1000) + 1 else 1 end,
    last_failed_at = excluded.last_failed_at;
end;
select make_crossing('note_login_failure(bytea, timestamptz, timestamptz)');
grant select, delete on login_failures to letterloom_worker;
comment on column login_failures.account is 'of a keyed hash of the address; the row goes a day after the last failure';
-- Made of hashes without a key: nobody is delayed by them any more.
delete from login_failures;

-- The API renames organizations; their plan is the operator's to say.
revoke update on organizations from letterloom_api;
grant update (name, updated_at) on organizations to letterloom_api;

comment on column plans.retention_days is 'for how long the plan promises logs and events; nothing is hidden or deleted by it yet';
