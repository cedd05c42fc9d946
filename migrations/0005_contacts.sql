-- Contacts, how they are searched and imported; who of them may be mailed: topics, subscriptions,
-- the suppression list, and the record of every change; and how a person is erased.

create table contacts (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  external_id text check (length(external_id) between 1 and 255),
  email text check (email = lower(trim(email)) and length(email) <= 255),
  phone text check (length(phone) <= 50),
  first_name text check (length(first_name) <= 100),
  last_name text check (length(last_name) <= 100),
  company text check (length(company) <= 200),
  job_title text check (length(job_title) <= 200),
  email_status text
    check (email_status in ('active', 'unsubscribed', 'bounced', 'complained', 'suppressed')),
  email_status_changed_at timestamptz(3) not null default now(),
  sms_status text check (sms_status in ('pending_consent', 'opted_in', 'opted_out', 'invalid')),
  preferred_channel text check (preferred_channel in ('email', 'sms')),
  properties jsonb not null default '{}',
  email_unsubscribed_at timestamptz(3),
  email_bounced_at timestamptz(3),
  email_complained_at timestamptz(3),
  email_suppressed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  email_verified_at timestamptz(3),
  email_opted_out_at timestamptz(3),
  resubscribed_at timestamptz(3),
  sms_consented_at timestamptz(3),
  sms_opted_out_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, external_id),
  unique (organization_id, email),
  unique (organization_id, phone),
  check (email is not null or phone is not null)
);

-- Parts of words are looked for by pg_trgm; keys of our own made imports slower by a quarter. It
-- comes with Postgres, and who owns the database may create it. Where it is there already, it may
-- be in another schema.
do $$
declare
  place name;
begin
  if not exists (select from pg_available_extensions where name = 'pg_trgm') then
    raise exception using
      message = 'this Postgres has no pg_trgm, by which contacts are searched',
      hint = 'Install the contributed modules of Postgres (on many systems the package postgresql-contrib), then migrate again.';
  end if;
  create extension if not exists pg_trgm;
  select nspname into place
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
  where extname = 'pg_trgm';
  -- Threes are of all organizations, so that each row has its own as well. It is an array because
  -- GIN knows arrays, and because no other index serves a query that asks for it so.
  execute format(
    'create index contacts_parts on contacts
     using gin ((array[organization_id]), email %1$I.gin_trgm_ops, phone %1$I.gin_trgm_ops)',
    place);
exception when insufficient_privilege then
  raise exception using
    message = 'the role that migrates may not create the extension pg_trgm',
    hint = 'Let a superuser run "create extension pg_trgm" in this database, or make the role its owner.';
end
$$;

comment on column contacts.email_opted_out_at is
  'when the person last unsubscribed from all mail by a link of theirs: what they confirmed before '
  'that is void';
comment on column contacts.resubscribed_at is
  'when they last became active again: delivery events of an earlier time change nothing any more';
select protect_tenant_table('contacts');
select make_resource('contacts', 'contact');

-- Beside the contact, not in it: every mail and open would rewrite the contact and its indexes.
create table contact_stats (
  organization_id uuid not null,
  contact_id uuid not null,
  emails_sent integer not null default 0,
  emails_opened integer not null default 0,
  emails_clicked integer not null default 0,
  sms_sent integer not null default 0,
  sms_clicked integer not null default 0,
  last_email_sent_at timestamptz(3),
  last_email_opened_at timestamptz(3),
  last_email_clicked_at timestamptz(3),
  last_activity_at timestamptz(3),
  primary key (organization_id, contact_id),
  foreign key (organization_id, contact_id)
    references contacts (organization_id, id) on delete cascade
) with (fillfactor = 70);
comment on column contact_stats.emails_opened is 'by people: see src/domain/delivery/engagement.ts';
comment on column contact_stats.emails_clicked is 'by people: see src/domain/delivery/engagement.ts';
select protect_tenant_table('contact_stats');

-- What an import received waits in pages until a workflow has written it.
create table imports (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  status text not null default 'receiving'
    check (status in ('receiving', 'pending', 'running', 'completed', 'failed', 'cancelled',
      'aborted')),
  attempt integer not null default 1,
  format text not null check (format in ('csv', 'ndjson')),
  on_duplicate text not null check (on_duplicate in ('update', 'skip')),
  dry_run boolean not null,
  may_lift boolean not null,
  has_topics boolean not null default false,
  rows integer not null default 0,
  pages integer not null default 0,
  next_page integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  email_status_kept integer not null default 0,
  error text,
  request_id text,
  received_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  phones_left_out integer not null default 0,
  primary key (organization_id, id),
  check (next_page <= pages),
  check (created + updated + skipped + failed <= rows),
  check (status <> 'completed'
    or (next_page = pages and created + updated + skipped + failed = rows)),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'cancelled', 'aborted')))
);
create index imports_open on imports (organization_id) where finished_at is null;
create index imports_carried on imports (id) where status in ('pending', 'running');
create index imports_finished on imports (finished_at) where finished_at is not null;
comment on column imports.attempt is
  'of the upload: one that took over from another has a higher number, and only its pages count';
comment on column imports.may_lift is
  'who asked may resubscribe people whose address is suppressed or who complained';
comment on column imports.next_page is 'the first page that was not written yet';
comment on column imports.received_at is 'when the last page came in';
comment on column imports.phones_left_out is
  'rows that were written without their number; they are in import_errors, too';
select protect_tenant_table('imports');
select make_resource('imports', 'import');

-- Rows of personal data: a page is gone as soon as it was written.
create table import_chunks (
  organization_id uuid not null,
  import_id uuid not null,
  page integer not null,
  rows text not null,
  primary key (organization_id, import_id, page),
  foreign key (organization_id, import_id)
    references imports (organization_id, id) on delete cascade
);
-- Read once, a moment later: not worth compressing.
alter table import_chunks alter column rows set storage external;
select protect_tenant_table('import_chunks');

create table import_errors (
  organization_id uuid not null,
  import_id uuid not null,
  row integer not null,
  message text not null,
  record text not null,
  primary key (organization_id, import_id, row),
  foreign key (organization_id, import_id)
    references imports (organization_id, id) on delete cascade
);
comment on column import_errors.record is 'the fields of the row, as JSON';
select protect_tenant_table('import_errors');

-- Who of them may be mailed.

create table topics (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  name text not null check (length(name) between 1 and 100),
  slug text not null check (slug ~ '^[a-z0-9-]{1,100}$'),
  description text check (length(description) <= 1000),
  double_opt_in boolean not null default false,
  public boolean not null default true,
  template_id uuid,
  from_address text,
  from_name text,
  connection_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  unique (organization_id, slug),
  foreign key (organization_id, template_id)
    references templates (organization_id, id) on delete set null (template_id),
  foreign key (organization_id, connection_id) references connections (organization_id, id),
  check (from_address is not null or not double_opt_in)
);
comment on column topics.public is 'shown on the preferences page';
comment on column topics.template_id is 'of the confirmation mail; a plain one of ours without it';
select protect_tenant_table('topics');
select make_resource('topics', 'topic');

-- A contact's subscription to a topic. A transaction that changes one locks the contact's row
-- first.
create table subscriptions (
  organization_id uuid not null,
  contact_id uuid not null,
  topic_id uuid not null,
  status text not null check (status in ('pending', 'subscribed', 'unsubscribed')),
  generation integer not null default 1,
  cohort uuid,
  requested_at timestamptz(3),
  mailed_at timestamptz(3),
  mails smallint not null default 0,
  mail_id uuid,
  subscribed_at timestamptz(3),
  confirmed_at timestamptz(3),
  opted_out_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, contact_id, topic_id),
  foreign key (organization_id, contact_id)
    references contacts (organization_id, id) on delete cascade,
  foreign key (organization_id, topic_id) references topics (organization_id, id) on delete cascade
);
create index subscriptions_topic on subscriptions (organization_id, topic_id, status, contact_id);
create index subscriptions_cohort on subscriptions (organization_id, cohort)
  where cohort is not null;
-- When a confirmation that is awaited is to be mailed, reminded of or given up. In UTC, since only
-- so the sum depends on nothing but the row.
create index subscriptions_due on subscriptions (
    ((requested_at at time zone 'UTC') + case mails
      when 0 then interval '0'
      when 1 then interval '72 hours'
      else interval '720 hours'
    end),
    contact_id,
    topic_id
  )
  where status = 'pending';
comment on column subscriptions.generation is
  'raised when the status changes or a confirmation mail is decided, and only then: links, '
  'workflows and updates name it';
comment on column subscriptions.cohort is
  'the cohort workflow that asks for this confirmation; null: a workflow of its own';
comment on column subscriptions.mails is
  'confirmation mails of this generation that were decided: written with the mail, so that none '
  'is made twice';
comment on column subscriptions.mail_id is
  'the last of them; the mail queue sends no other, and none once the confirmation is not awaited';
comment on column subscriptions.confirmed_at is
  'by the person; counts while it is later than opted_out_at and the contact''s email_opted_out_at';
comment on column subscriptions.opted_out_at is
  'when the person last unsubscribed by themself, from this topic or from all mail';
select protect_tenant_table('subscriptions');

-- Addresses that are not mailed, whatever becomes of their contacts. Written under a lock on the
-- address (see src/store/consent/suppressions.ts), so that the list and the contacts agree.
create table suppressions (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  key_id text not null,
  address_key bytea not null check (length(address_key) = 32),
  reason text not null check (reason in ('unsubscribed', 'bounced', 'suppressed', 'complained')),
  source text not null check (source in ('link', 'event', 'api', 'import')),
  address text check (address = lower(trim(address)) and length(address) <= 255),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  unique (organization_id, address_key)
);
comment on column suppressions.key_id is 'id of the key that the HMAC key is derived from';
comment on column suppressions.address_key is
  'HMAC-SHA-256, under the key of key_id, of the first 16 bytes of '
  'SHA-256(organization id, address)';
comment on column suppressions.address is 'null once it was erased: the entry holds without it';
select protect_tenant_table('suppressions');

-- Addresses whose people unsubscribed from a topic by themselves: known also once the contact is
-- deleted.
create table topic_opt_outs (
  organization_id uuid not null,
  topic_id uuid not null,
  address_key bytea not null check (length(address_key) = 32),
  opted_out_at timestamptz(3) not null,
  primary key (organization_id, topic_id, address_key),
  foreign key (organization_id, topic_id) references topics (organization_id, id) on delete cascade
);
comment on column topic_opt_outs.address_key is 'as in suppressions';
select protect_tenant_table('topic_opt_outs');

-- Confirmation mails that an address was sent lately, counted also when its contact was deleted and
-- made again.
create table confirmation_mails (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  address_key bytea not null check (length(address_key) = 32),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create index confirmation_mails_address
  on confirmation_mails (organization_id, address_key, created_at);
create index confirmation_mails_age on confirmation_mails (created_at);
select protect_tenant_table('confirmation_mails');

-- Every change of a contact's consent, when and by what: the proof of it.
create table consent_events (
  organization_id uuid not null,
  contact_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('requested', 'subscribed', 'unsubscribed', 'expired',
    'resubscribed', 'bounced', 'suppressed', 'complained')),
  topic_id uuid,
  source text not null check (source in ('api', 'import', 'link', 'preferences', 'confirmation',
    'event', 'expiry', 'workflow')),
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, contact_id, id),
  foreign key (organization_id, contact_id)
    references contacts (organization_id, id) on delete cascade
);
comment on column consent_events.topic_id is 'null: all mail';
select protect_tenant_table('consent_events');

-- Tells the planner what an import has just written, which a worker may not do without owning the
-- tables. Waits for nobody: whoever holds them may be autovacuum, which would be cancelled.
create function analyze_contacts() returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  analyze (skip_locked) contacts, subscriptions;
end
$$;
revoke all on function analyze_contacts() from public;
grant execute on function analyze_contacts() to letterloom_worker;

-- The erasure of a person: what is asked for, and how the mails of one contact are found.
create table erasures (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  contact_id uuid not null,
  contact_ids uuid[] not null
    check (contact_id = any (contact_ids) and cardinality(contact_ids) <= 1000),
  status text not null default 'running' check (status in ('running', 'completed')),
  email text,
  phone text,
  external_id text,
  horizon xid8,
  mails integer not null default 0 check (mails >= 0),
  requested_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, contact_id),
  check ((status = 'completed') = (completed_at is not null)),
  check (status = 'running' or (email is null and phone is null and external_id is null))
);
create index erasures_running on erasures (id) where status = 'running';
comment on table erasures is 'the proof: no address is left in it once it is completed';
comment on column erasures.contact_ids is
  'the contact, and those who were deleted before with the same address: their logs are the same '
  'person''s';
comment on column erasures.email is 'what is still searched for; null when everything is erased';
comment on column erasures.horizon is
  'transactions from before this one may still have seen the contact, and write its address';
select protect_tenant_table('erasures');
select make_resource('erasures', 'erasure');

-- An erasure finds every address and number that a contact had here, not the present ones only.
create function address_hash(organization_id uuid, address text) returns bytea
language sql
immutable
strict
parallel safe
as $$
  select substr(sha256(convert_to(organization_id::text || address, 'UTF8')), 1, 16)
$$;
comment on function address_hash(uuid, text) is
  'first 16 bytes of SHA-256(organization id, address), as in public links';

-- No foreign key: deleting a contact leaves its logs, which name it by its id alone. Importing the
-- same person again makes another id: so that an erasure finds the earlier ones too, their
-- addresses are remembered.
create table former_addresses (
  organization_id uuid not null,
  contact_id uuid not null,
  address_hash bytea not null check (length(address_hash) = 16),
  kind text not null check (kind in ('email', 'phone')),
  left_at timestamptz(3) not null default now(),
  is_last boolean not null default false,
  contact_deleted_at timestamptz(3),
  primary key (organization_id, contact_id, address_hash),
  check (contact_deleted_at is not null or not is_last)
);
comment on column former_addresses.address_hash is 'of an address or a number that the contact had';
comment on column former_addresses.left_at is
  'whoever had the address later is another person';
comment on column former_addresses.is_last is 'the contact had it when it was deleted';
comment on column former_addresses.contact_deleted_at is 'null: the contact is there';
-- Contacts are found by it that were deleted before.
create index former_addresses_hash on former_addresses (organization_id, address_hash)
  where kind = 'email' and contact_deleted_at is not null;
create index former_addresses_age on former_addresses (contact_deleted_at)
  where contact_deleted_at is not null;
select protect_tenant_table('former_addresses');

create function remember_changed_address() returns trigger
language plpgsql
as $$
begin
  insert into former_addresses (organization_id, contact_id, address_hash, kind)
  select old.organization_id, old.id, address_hash(old.organization_id, former.address), former.kind
  from (values ('email', old.email, new.email), ('phone', old.phone, new.phone))
    as former (kind, address, present)
  where former.address is distinct from former.present and former.address is not null
  on conflict (organization_id, contact_id, address_hash) do update
  set left_at = excluded.left_at;
  return null;
end
$$;
revoke all on function remember_changed_address() from public;
create trigger remember_changed_address after update on contacts
for each row
when (old.email is distinct from new.email or old.phone is distinct from new.phone)
execute function remember_changed_address();

create function remember_deleted_contacts() returns trigger
language plpgsql
as $$
begin
  update former_addresses f
  set contact_deleted_at = now()
  from gone
  where f.organization_id = gone.organization_id and f.contact_id = gone.id;
  insert into former_addresses as f (organization_id, contact_id, address_hash, kind, is_last,
    contact_deleted_at)
  select gone.organization_id, gone.id, address_hash(gone.organization_id, last.address), last.kind,
    true, now()
  from gone
  cross join lateral (values ('email', gone.email), ('phone', gone.phone)) as last (kind, address)
  where last.address is not null
  on conflict (organization_id, contact_id, address_hash) do update
  set is_last = true, left_at = excluded.left_at;
  return null;
end
$$;
revoke all on function remember_deleted_contacts() from public;
create trigger remember_deleted_contacts after delete on contacts
referencing old table as gone
for each statement execute function remember_deleted_contacts();
