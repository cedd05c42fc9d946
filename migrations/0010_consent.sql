-- Who may be mailed: topics, subscriptions, the suppression list, and the record of every change.

alter table contacts
  add column email_verified_at timestamptz(3),
  add column email_left_at timestamptz(3),
  add column resubscribed_at timestamptz(3),
  add column sms_consented_at timestamptz(3),
  add column sms_opted_out_at timestamptz(3);
comment on column contacts.email_left_at is
  'when the person last left all mail by a link of theirs: what they confirmed before that is void';
comment on column contacts.resubscribed_at is
  'when they last became active again: delivery events of an earlier time change nothing any more';
alter table contact_stats add column last_activity_at timestamptz(3);

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

-- A contact and a topic. Whoever changes one locks the contact's row first.
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
  left_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, contact_id, topic_id),
  foreign key (organization_id, contact_id)
    references contacts (organization_id, id) on delete cascade,
  foreign key (organization_id, topic_id) references topics (organization_id, id) on delete cascade
);
create index subscriptions_topic on subscriptions (organization_id, topic_id, status, contact_id);
create index subscriptions_cohort on subscriptions (organization_id, cohort) where cohort is not null;
comment on column subscriptions.generation is
  'raised when the status changes or a confirmation mail is decided, and only then: links, workflows and updates name it';
comment on column subscriptions.cohort is
  'the cohort workflow that asks for this confirmation; null: a workflow of its own';
comment on column subscriptions.mails is
  'confirmation mails of this generation that were decided: written with the mail, so that none is made twice';
comment on column subscriptions.mail_id is
  'the last of them; the outlet sends no other, and none once the confirmation is not awaited';
comment on column subscriptions.confirmed_at is
  'by the person; counts while it is later than left_at and the contact''s email_left_at';
comment on column subscriptions.left_at is 'when the person last left by themself, this topic or all mail';

-- Addresses that are not mailed, whatever becomes of their contacts. Written under a lock on the
-- address (see src/store/suppressions.ts), so that the list and the contacts agree.
create table suppressions (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  pepper text not null,
  address_key bytea not null check (length(address_key) = 32),
  reason text not null check (reason in ('unsubscribed', 'bounced', 'suppressed', 'complained')),
  source text not null check (source in ('link', 'event', 'api', 'import')),
  address text check (address = lower(trim(address)) and length(address) <= 255),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  unique (organization_id, address_key)
);
comment on column suppressions.address_key is
  'HMAC-SHA-256 under the pepper of the first 16 bytes of SHA-256(organization id, address)';
comment on column suppressions.pepper is 'id of the key that the pepper is derived from';
comment on column suppressions.address is 'null once it was erased: the entry holds without it';

-- Addresses whose people left a topic by themselves: known also once the contact is deleted.
create table topic_departures (
  organization_id uuid not null,
  topic_id uuid not null,
  address_key bytea not null check (length(address_key) = 32),
  left_at timestamptz(3) not null,
  primary key (organization_id, topic_id, address_key),
  foreign key (organization_id, topic_id) references topics (organization_id, id) on delete cascade
);
comment on column topic_departures.address_key is 'as in suppressions';

-- How many confirmation mails an address was sent lately, whatever is deleted and made again.
create table confirmation_mails (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null,
  address_key bytea not null check (length(address_key) = 32),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create index confirmation_mails_address on confirmation_mails (organization_id, address_key, created_at);
create index confirmation_mails_age on confirmation_mails (created_at);

-- What became of a contact's consent, when and by what: the proof of it.
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

alter table batches add column topic_id uuid;
comment on column batches.topic_id is
  'only its subscribers are mailed, and the one-click link leaves it; a deleted topic has none';

select protect_tenant_table(name) from unnest(array['topics', 'subscriptions', 'suppressions',
  'topic_departures', 'confirmation_mails', 'consent_events']::regclass[]) as name;

grant select on topics to letterloom_crossing;
create or replace function owner_of(kind text, wanted uuid) returns uuid
language sql stable
return case kind
  when 'api_key' then (select organization_id from api_keys where id = wanted)
  when 'batch' then (select organization_id from batches where id = wanted)
  when 'connection' then (select organization_id from connections where id = wanted)
  when 'contact' then (select organization_id from contacts where id = wanted)
  when 'template' then (select organization_id from templates where id = wanted)
  when 'topic' then (select organization_id from topics where id = wanted)
end;
select make_crossing('owner_of(text, uuid)');
