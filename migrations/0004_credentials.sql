-- People and how they prove who they are: passwords, sessions, failed tries; and the record of who did what.

alter table users
  add password_hash text check (password_hash like '$argon2id$%'),
  add password_changed_at timestamptz(3);
comment on column users.password_hash is 'argon2id, in PHC form; null: cannot log in. letterloom_api cannot read it';

create index memberships_user on memberships (user_id);

-- A person is seen by the organizations they are a member of, without their password's hash.
alter table users enable row level security;
alter table users force row level security;
create policy tenant on users for select to letterloom_api
  using (exists (
    select from memberships m
    where m.organization_id = current_setting('letterloom.organization')::uuid and m.user_id = users.id));
create policy everything on users to letterloom_worker using (true) with check (true);
create policy signing_in on users to letterloom_crossing using (true) with check (true);
grant select (id, email, name, created_at) on users to letterloom_api;
-- The operator's command line works as letterloom_worker: it makes people and sets passwords, and reads none.
revoke select, update on users from letterloom_worker;
grant select (id, email, name, created_at, password_changed_at),
  update (email, name, password_hash, password_changed_at) on users to letterloom_worker;
grant select, insert, update on users to letterloom_crossing;
grant select on organizations, memberships to letterloom_crossing;

create table sessions (
  organization_id uuid not null,
  id uuid not null unique,
  user_id uuid not null,
  hash bytea not null unique check (length(hash) = 32),
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  primary key (organization_id, id),
  foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade
);
create index sessions_member on sessions (organization_id, user_id);
create index sessions_user on sessions (user_id, id);
comment on column sessions.hash is 'SHA-256 of the token, which is shown once and never stored';
comment on column sessions.last_seen_at is 'to the minute; a session that was not seen for 14 days has ended';
comment on column sessions.expires_at is 'the end, however much it is used; a switch of organization keeps it';
select protect_tenant_table('sessions');
create policy signing_in on sessions to letterloom_crossing using (true) with check (true);
grant select, insert, update, delete on sessions to letterloom_crossing;

create table audit_events (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  actor_kind text not null check (actor_kind in ('key', 'user', 'operator', 'unknown')),
  actor_id uuid,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  subject_kind text check (subject_kind ~ '^[a-z_]+$'),
  subject_id text check (length(subject_id) <= 255),
  request_id text check (length(request_id) <= 128),
  detail jsonb not null default '{}',
  created_at timestamptz(3) not null,
  primary key (organization_id, id),
  check ((actor_kind in ('key', 'user')) = (actor_id is not null)),
  check ((subject_kind is null) = (subject_id is null))
);
create index audit_events_action on audit_events (organization_id, action, id);
create index audit_events_actor on audit_events (organization_id, actor_id, id);
comment on column audit_events.subject_id is 'an id, never an address';
comment on column audit_events.detail is 'a few words: no secrets, no addresses';
select protect_tenant_table('audit_events');
create policy noting on audit_events for insert to letterloom_crossing with check (true);
grant insert on audit_events to letterloom_crossing;
-- What was noted stays as it was.
revoke update, delete on audit_events from letterloom_api, letterloom_worker;

-- By the hash of the address that was tried, known or not: the delay must not tell who is.
create table login_failures (
  account bytea primary key check (length(account) = 32),
  failures integer not null,
  last_failed_at timestamptz(3) not null
);
create index login_failures_age on login_failures (last_failed_at);
comment on column login_failures.account is 'SHA-256 of the address; the row goes after a day';
grant select, insert, update, delete on login_failures to letterloom_crossing;

-- The crossings of signing in. Times come from the caller: its clock decides.

create function live_session(wanted bytea)
returns table (organization_id uuid, id uuid, user_id uuid, role text, last_seen_at timestamptz(3),
  expires_at timestamptz(3))
language sql stable
begin atomic
  select s.organization_id, s.id, s.user_id, m.role, s.last_seen_at, s.expires_at
  from sessions s
  join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id
  where s.hash = wanted and s.revoked_at is null;
end;
select make_crossing('live_session(bytea)');

-- One row for every address, so that nothing but its nulls tells a known one from another.
create function login_lookup(address text, asked_account bytea, since timestamptz)
returns table (user_id uuid, name text, password_hash text, failures integer)
language sql stable
begin atomic
  select u.id, u.name, u.password_hash, coalesce(f.failures, 0)
  from (values (address)) as asked (email)
  left join users u on u.email = asked.email
  left join login_failures f on f.account = asked_account and f.last_failed_at > since;
end;
select make_crossing('login_lookup(text, bytea, timestamptz)');

create function note_login_failure(asked_account bytea, at timestamptz, since timestamptz) returns void
language sql volatile
begin atomic
  delete from login_failures
  where account in (
    select l.account
    from login_failures l
    where l.last_failed_at < at - interval '1 day'
    limit 100
    for update skip locked);
  insert into login_failures as f (account, failures, last_failed_at)
  values (asked_account, 1, at)
  on conflict (account) do update
  set failures = case when f.last_failed_at > since then least(f.failures, 1000) + 1 else 1 end,
    last_failed_at = excluded.last_failed_at;
end;
select make_crossing('note_login_failure(bytea, timestamptz, timestamptz)');

create function forget_login_failures(asked_account bytea) returns void
language sql volatile
begin atomic
  delete from login_failures where account = asked_account;
end;
select make_crossing('forget_login_failures(bytea)');

create function person_organizations(person uuid)
returns table (id uuid, name text, role text)
language sql stable
begin atomic
  select o.id, o.name, m.role
  from memberships m
  join organizations o on o.id = m.organization_id
  where m.user_id = person
  order by m.created_at, o.id;
end;
select make_crossing('person_organizations(uuid)');

-- A session for who knows the password that is valid now: a change of it waits for this row, or this
-- for the change and finds another hash. Ended sessions of the person go, and the oldest above a hundred.
create function open_session(person uuid, organization uuid, verified_hash text, session uuid, token_hash bytea,
  at timestamptz, until timestamptz, idle_since timestamptz)
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
    returning id)
  select exists (select from made);
end;
select make_crossing('open_session(uuid, uuid, text, uuid, bytea, timestamptz, timestamptz, timestamptz)');

-- Another organization, another token; it ends when the first would have. False: not a member, or ended.
create function switch_session(old_session uuid, organization uuid, session uuid, token_hash bytea, at timestamptz)
returns timestamptz(3)
language sql volatile
begin atomic
  with ended as (
    update sessions s
    set revoked_at = at
    where s.id = old_session
      and s.revoked_at is null
      and exists (select from memberships m where m.organization_id = organization and m.user_id = s.user_id)
    returning s.user_id, s.expires_at)
  insert into sessions (organization_id, id, user_id, hash, created_at, last_seen_at, expires_at)
  select organization, session, ended.user_id, token_hash, at, at, ended.expires_at
  from ended
  returning expires_at;
end;
select make_crossing('switch_session(uuid, uuid, uuid, bytea, timestamptz)');

create function person_sessions(person uuid, at timestamptz, idle_since timestamptz, before uuid, most integer)
returns table (id uuid, organization_id uuid, organization_name text, created_at timestamptz(3),
  last_seen_at timestamptz(3), expires_at timestamptz(3))
language sql stable
begin atomic
  select s.id, s.organization_id, o.name, s.created_at, s.last_seen_at, s.expires_at
  from sessions s
  join organizations o on o.id = s.organization_id
  where s.user_id = person
    and s.revoked_at is null
    and s.expires_at > at
    and s.last_seen_at > idle_since
    and (before is null or s.id < before)
  order by s.id desc
  limit most;
end;
select make_crossing('person_sessions(uuid, timestamptz, timestamptz, uuid, integer)');

-- Of one person: one session, or all but one. Answers how many were live until now.
create function end_sessions(person uuid, only_session uuid, kept_session uuid, at timestamptz) returns bigint
language sql volatile
begin atomic
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

-- Only over the hash that was verified; every other session of the person ends with it.
create function change_password(person uuid, verified_hash text, new_hash text, kept_session uuid, at timestamptz)
returns boolean
language sql volatile
begin atomic
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

-- The person with this address, or a new one. A known one keeps their name.
create function find_or_add_person(person uuid, address text, called text) returns uuid
language sql volatile
begin atomic
  insert into users (id, email, name)
  values (person, address, called)
  on conflict (email) do update set email = excluded.email
  returning id;
end;
select make_crossing('find_or_add_person(uuid, text, text)');

-- What concerns a person and no one organization is noted in each of theirs. The ids differ from
-- `base`, a UUIDv7, in their last 48 bits only.
create function audit_person(base uuid, person uuid, noted_actor_kind text, noted_actor uuid, noted_action text,
  noted_request text, at timestamptz)
returns void
language sql volatile
begin atomic
  insert into audit_events (organization_id, id, actor_kind, actor_id, action, subject_kind, subject_id,
    request_id, created_at)
  select m.organization_id, (left(base::text, 24) || left(md5(base::text || m.organization_id::text), 12))::uuid,
    noted_actor_kind, noted_actor, noted_action, 'user', person::text, noted_request, at
  from memberships m
  where m.user_id = person;
end;
select make_crossing('audit_person(uuid, uuid, text, uuid, text, text, timestamptz)');

-- Keys join what "not yours" is told of.
create or replace function owner_of(kind text, wanted uuid) returns uuid
language sql stable
return case kind
  when 'api_key' then (select organization_id from api_keys where id = wanted)
  when 'batch' then (select organization_id from batches where id = wanted)
  when 'connection' then (select organization_id from connections where id = wanted)
  when 'contact' then (select organization_id from contacts where id = wanted)
  when 'template' then (select organization_id from templates where id = wanted)
end;
select make_crossing('owner_of(text, uuid)');
