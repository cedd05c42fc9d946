-- Organizations and their plans, people and how they prove who they are, API keys, the record of
-- who did what, and the answers to repeated requests.

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
  retention_days integer not null check (retention_days > 0),
  stored_bytes bigint check (stored_bytes > 0)
);
comment on column plans.rank is 'a plan has at least what every plan of a lower rank has';
comment on column plans.retention_days is
  'for how long the plan promises logs and events: reads show nothing older, and it is deleted';
comment on column plans.stored_bytes is 'null: no limit';
grant select on plans to letterloom_api, letterloom_worker;

-- A GB has 1024 * 1024 * 1024 bytes here.
insert into plans (name, rank, requests_per_minute, requests_per_day, events_per_month, connections,
  workflows, segments, retention_days, stored_bytes)
values
  ('free', 1, 50, 1000, 5000, 1, 2, false, 30, pg_size_bytes('2 GB')),
  ('starter', 2, 500, 50000, 50000, 3, null, true, 90, pg_size_bytes('20 GB')),
  ('growth', 3, 2000, 200000, 250000, null, null, true, 180, pg_size_bytes('100 GB')),
  ('scale', 4, 5000, 500000, 1000000, null, null, true, 365, pg_size_bytes('500 GB')),
  ('enterprise', 5, 10000, 2000000, null, null, null, true, 730, null);

create table organizations (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  plan text not null default 'free' references plans (name),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  accent_color text check (accent_color ~ '^#[0-9a-f]{6}$'),
  background_color text check (background_color ~ '^#[0-9a-f]{6}$'),
  language text not null default 'en' check (language in ('en', 'de', 'fr', 'es')),
  postal_address text check (length(postal_address) between 1 and 300),
  texts jsonb not null default '{}'
    check (jsonb_typeof(texts) = 'object' and length(texts::text) <= 60000),
  rows_deleted_before date
);
comment on column organizations.accent_color is 'of the buttons on public pages; null: ours';
comment on column organizations.background_color is 'behind the text of public pages; null: ours';
comment on column organizations.language is 'ISO 639-1, of mails and pages that recipients read';
comment on column organizations.postal_address is
  'in every marketing mail; lines are separated by line feeds';
comment on column organizations.texts is 'its own texts in the place of ours, by name';
comment on column organizations.rows_deleted_before is
  'rows of days before this one were looked through and deleted; null: never yet';
alter table organizations enable row level security;
alter table organizations force row level security;
create policy tenant on organizations to letterloom_api
  using (id = current_setting('letterloom.organization')::uuid);
create policy everything on organizations to letterloom_worker using (true) with check (true);
create policy reading on organizations for select to letterloom_search, letterloom_definer
  using (true);
-- The API renames organizations; the operator decides about their plan.
grant select,
  update (name, accent_color, background_color, language, postal_address, texts, updated_at)
  on organizations to letterloom_api;
grant select, insert, update on organizations to letterloom_worker;
grant select on organizations to letterloom_search, letterloom_definer;

-- An organization's own figures, where they differ from its plan. Null: as the plan says.
create table plan_overrides (
  organization_id uuid primary key references organizations (id) on delete cascade,
  requests_per_minute integer check (requests_per_minute > 0),
  requests_per_day integer check (requests_per_day > 0),
  events_per_month bigint check (events_per_month > 0),
  connections integer check (connections > 0),
  workflows integer check (workflows > 0),
  segments boolean,
  retention_days integer check (retention_days > 0),
  stored_bytes bigint check (stored_bytes > 0)
);
select protect_tenant_table('plan_overrides');
-- Nobody raises their own limits: the operator does.
revoke insert, update, delete on plan_overrides from letterloom_api;

create table users (
  id uuid primary key,
  email text not null unique check (email = lower(trim(email)) and length(email) <= 255),
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz(3) not null default now(),
  password_hash text check (password_hash like '$argon2id$%'),
  password_changed_at timestamptz(3)
);
comment on column users.password_hash is
  'argon2id, in PHC form; null: cannot log in. letterloom_api cannot read it';

-- Until a person has come in themselves, an organization sees the name that it gave them and none
-- of their events: otherwise somebody who may add members could find out who is a user, and read of
-- their logins elsewhere.
create table memberships (
  organization_id uuid not null references organizations (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  created_at timestamptz(3) not null default now(),
  given_name text check (length(given_name) between 1 and 200),
  entered_at timestamptz(3),
  primary key (organization_id, user_id)
);
create index memberships_user on memberships (user_id);
comment on column memberships.given_name is
  'what the organization calls a person who has not come in yet; null: by their own name';
comment on column memberships.entered_at is
  'when the person first had a session in this organization';
select protect_tenant_table('memberships');
create policy signing_in on memberships for update to letterloom_definer
  using (true) with check (true);
grant select, update (given_name, entered_at) on memberships to letterloom_definer;

-- A person is seen by the organizations they are a member of, without their password's hash.
alter table users enable row level security;
alter table users force row level security;
create policy tenant on users for select to letterloom_api
  using (exists (
    select from memberships m
    where m.organization_id = current_setting('letterloom.organization')::uuid
      and m.user_id = users.id));
create policy everything on users to letterloom_worker using (true) with check (true);
create policy signing_in on users to letterloom_definer using (true) with check (true);
grant select (id, email, name, created_at) on users to letterloom_api;
-- The operator's command line works as letterloom_worker: it makes people and sets passwords, and
-- reads none.
grant insert,
  select (id, email, name, created_at, password_changed_at),
  update (email, name, password_hash, password_changed_at) on users to letterloom_worker;
grant select, insert, update on users to letterloom_definer;

create table api_keys (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  name text not null check (length(name) between 1 and 200),
  prefix text not null,
  hash bytea not null unique check (length(hash) = 32),
  scopes text[] not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (organization_id, id)
);
comment on column api_keys.hash is
  'SHA-256 of the whole key; the key itself is shown once and never stored';
select protect_tenant_table('api_keys');
grant select on api_keys to letterloom_definer;
select make_resource('api_keys', 'api_key');

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
  foreign key (organization_id, user_id)
    references memberships (organization_id, user_id) on delete cascade
);
create index sessions_member on sessions (organization_id, user_id);
create index sessions_user on sessions (user_id, id);
comment on column sessions.hash is 'SHA-256 of the token, which is shown once and never stored';
comment on column sessions.last_seen_at is
  'to the minute; a session that was not seen for 14 days has ended';
comment on column sessions.expires_at is
  'the end, however much it is used; a switch of organization keeps it';
select protect_tenant_table('sessions');
create policy signing_in on sessions to letterloom_definer using (true) with check (true);
grant select, insert, update, delete on sessions to letterloom_definer;

-- Keyed by a hash of the address that was tried, known or not: the delay must not tell which
-- addresses have a user. A loop of the worker deletes old rows, also when nobody fails any more.
create table login_failures (
  account bytea primary key check (length(account) = 32),
  failures integer not null,
  last_failed_at timestamptz(3) not null
);
create index login_failures_age on login_failures (last_failed_at);
comment on column login_failures.account is
  'of a keyed hash of the address; the row goes a day after the last failure';
grant select, insert, update, delete on login_failures to letterloom_definer;
grant select, delete on login_failures to letterloom_worker;

-- People are invited to an organization and become members when they accept. Until then nothing of
-- them is here but the address that was typed, whether it has an account or not.
create table invitations (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  email text not null check (email = lower(trim(email)) and length(email) <= 255),
  name text check (length(name) between 1 and 200),
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  invited_by uuid references users (id) on delete set null,
  generation integer not null default 1 check (generation > 0),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (organization_id, id),
  check (accepted_at is null or revoked_at is null)
);
create unique index invitations_open on invitations (organization_id, email)
  where accepted_at is null and revoked_at is null;
create index invitations_inviter on invitations (invited_by);
comment on column invitations.name is 'what a new account is called unless the person says otherwise';
comment on column invitations.invited_by is 'null: the operator';
comment on column invitations.generation is
  'of the newest link, which names it; links of earlier ones no longer work';
select protect_tenant_table('invitations');
select make_resource('invitations', 'invitation');

-- An organization's audit trail holds what was done in its own sessions and by its own keys. What a
-- person does elsewhere, and who fails to be them, is none of its business: failed logins are
-- counted in login_failures and noted nowhere else.
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
create index audit_events_subject on audit_events (organization_id, subject_id, id);
comment on column audit_events.subject_id is 'an id, never an address';
comment on column audit_events.detail is 'a few words: no secrets, no addresses';
select protect_tenant_table('audit_events');
-- Audit events are never changed.
revoke update, delete on audit_events from letterloom_api, letterloom_worker;

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

-- Finds a key and its organization: asked before the organization is known.
create function live_api_key(wanted bytea)
returns table (organization_id uuid, id uuid, scopes text[], expires_at timestamptz(3),
  last_used_at timestamptz(3))
language sql stable
begin atomic
  select k.organization_id, k.id, k.scopes, k.expires_at, k.last_used_at
  from api_keys k
  where k.hash = wanted
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now());
end;
select make_security_definer('live_api_key(bytea)');

-- The functions of signing in. Times come from the caller: its clock decides.
--
-- Whoever opens, switches or ends a session, or changes the password, locks the person in a
-- statement of its own. The next one sees what was committed while it waited; a single statement
-- would not: a session opened meanwhile would outlive the ending of all. Setting a password by the
-- operator starts with the same lock.

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
select make_security_definer('live_session(bytea)');

-- Returns one row for every address, so that only its nulls tell a known one from another.
create function login_lookup(address text, asked_account bytea, since timestamptz)
returns table (user_id uuid, name text, password_hash text, failures integer)
language sql stable
begin atomic
  select u.id, u.name, u.password_hash, coalesce(f.failures, 0)
  from (values (address)) as asked (email)
  left join users u on u.email = asked.email
  left join login_failures f on f.account = asked_account and f.last_failed_at > since;
end;
select make_security_definer('login_lookup(text, bytea, timestamptz)');

create function note_login_failure(asked_account bytea, at timestamptz, since timestamptz)
returns void
language sql volatile
begin atomic
  insert into login_failures as f (account, failures, last_failed_at)
  values (asked_account, 1, at)
  on conflict (account) do update
  set failures = case when f.last_failed_at > since then least(f.failures, 1000) + 1 else 1 end,
    last_failed_at = excluded.last_failed_at;
end;
select make_security_definer('note_login_failure(bytea, timestamptz, timestamptz)');

create function forget_login_failures(asked_account bytea) returns void
language sql volatile
begin atomic
  delete from login_failures where account = asked_account;
end;
select make_security_definer('forget_login_failures(bytea)');

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
select make_security_definer('person_organizations(uuid)');

-- Opens a session for somebody who knows the password that is valid now: a change of the password
-- waits for the lock, or this function waits for the change and finds another hash. Deletes the
-- person's ended sessions, and the oldest above a hundred.
create function open_session(person uuid, organization uuid, verified_hash text, session uuid,
  token_hash bytea, at timestamptz, until timestamptz, idle_since timestamptz)
returns boolean
language sql volatile
begin atomic
  select from users where id = person for no key update;
  delete from sessions s
  where s.user_id = person
    and (s.revoked_at is not null or s.expires_at <= at or s.last_seen_at <= idle_since
      or s.id in (
        select n.id
        from sessions n
        where n.user_id = person
        order by n.last_seen_at desc, n.id desc
        offset 99));
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
    where m.organization_id = made.organization_id
      and m.user_id = made.user_id
      and m.entered_at is null)
  select exists (select from made);
end;
select make_security_definer(
  'open_session(uuid, uuid, text, uuid, bytea, timestamptz, timestamptz, timestamptz)');

-- Replaces a session by one in another organization, with another token; it ends when the first
-- would have. Returns null when the person is not a member or the session has ended.
create function switch_session(old_session uuid, organization uuid, session uuid, token_hash bytea,
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
      and exists (
        select from memberships m
        where m.organization_id = organization and m.user_id = s.user_id)
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
    where m.organization_id = organization
      and m.user_id = made.user_id
      and m.entered_at is null)
  select expires_at from made;
end;
select make_security_definer('switch_session(uuid, uuid, uuid, bytea, timestamptz)');

create function person_sessions(person uuid, at timestamptz, idle_since timestamptz, before uuid,
  most integer)
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
select make_security_definer('person_sessions(uuid, timestamptz, timestamptz, uuid, integer)');

-- Ends one session of a person, or all but one. Returns how many were live until now.
create function end_sessions(person uuid, only_session uuid, kept_session uuid, at timestamptz)
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
select make_security_definer('end_sessions(uuid, uuid, uuid, timestamptz)');

-- Changes the password only if the stored hash is the one that was verified; ends every other
-- session of the person.
create function change_password(person uuid, verified_hash text, new_hash text,
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
select make_security_definer('change_password(uuid, text, text, uuid, timestamptz)');

-- Returns the person with this address, or a new one. A known person keeps their name.
create function find_or_add_person(person uuid, address text, called text) returns uuid
language sql volatile
begin atomic
  insert into users (id, email, name)
  values (person, address, called)
  on conflict (email) do update set email = excluded.email
  returning id;
end;
select make_security_definer('find_or_add_person(uuid, text, text)');

-- Returns the person who accepts an invitation to their address. With `verified_hash` it is who has
-- that password now. With `new_hash` it is a new person, or one without a password who is nobody's
-- member: a link of one organization must not open an account that another one relies on. Null: the
-- account is another than the caller saw.
create function person_accepting(person uuid, address text, called text, verified_hash text,
  new_hash text, at timestamptz)
returns uuid
language sql volatile
begin atomic
  select from users where email = address for no key update;
  insert into users (id, email, name, password_hash, password_changed_at)
  select person, address, called, new_hash, at
  where new_hash is not null
  on conflict (email) do update
  set name = excluded.name,
    password_hash = excluded.password_hash,
    password_changed_at = excluded.password_changed_at
  where users.password_hash is null
    and not exists (select from memberships m where m.user_id = users.id);
  select u.id
  from users u
  where u.email = address and u.password_hash = coalesce(verified_hash, new_hash);
end;
select make_security_definer('person_accepting(uuid, text, text, text, text, timestamptz)');
