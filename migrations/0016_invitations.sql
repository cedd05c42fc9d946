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
grant select on invitations to letterloom_definer;

-- A notice goes to owners, or to somebody who is invited: one of the two ids.
alter table notice_mails
  drop constraint notice_mails_pkey,
  alter column user_id drop not null,
  add column invitation_id uuid;
alter table notice_mails
  add column recipient_id uuid not null
    generated always as (coalesce(user_id, invitation_id)) stored;
alter table notice_mails
  add primary key (organization_id, notice_id, recipient_id),
  add foreign key (organization_id, invitation_id)
    references invitations (organization_id, id) on delete cascade,
  add check (num_nonnulls(user_id, invitation_id) = 1);
create index notice_mails_invitation on notice_mails (organization_id, invitation_id)
  where invitation_id is not null;
comment on column notice_mails.recipient_id is 'of the owner or the invitation';

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

create or replace function owner_of(kind text, wanted uuid) returns uuid
language sql stable
return case kind
  when 'api_key' then (select organization_id from api_keys where id = wanted)
  when 'batch' then (select organization_id from batches where id = wanted)
  when 'connection' then (select organization_id from connections where id = wanted)
  when 'contact' then (select organization_id from contacts where id = wanted)
  when 'erasure' then (select organization_id from erasures where id = wanted)
  when 'execution' then (select organization_id from executions where id = wanted)
  when 'flow' then (select organization_id from flows where id = wanted)
  when 'import' then (select organization_id from imports where id = wanted)
  when 'invitation' then (select organization_id from invitations where id = wanted)
  when 'template' then (select organization_id from templates where id = wanted)
  when 'topic' then (select organization_id from topics where id = wanted)
end;
select make_security_definer('owner_of(text, uuid)');
