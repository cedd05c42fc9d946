-- Who may be mailed: topics, subscriptions, the suppression list, and the record of every change.

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
