-- Organizations, their people and keys, their cloud accounts, contacts, templates.
--
-- `organization_id` leads every tenant table's keys: that keeps tenants apart, lets a table be
-- hash-partitioned by tenant later, and makes moving one tenant a range copy. `unique (id)` beside it
-- serves `owner_of`, which tells "not yours" (403) from "not there" (404).
-- Every time is timestamptz(3): JavaScript has milliseconds, and a cursor or `ifUnmodifiedSince`
-- made of microseconds would never match again.

create table organizations (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  plan text not null default 'free' check (plan in ('free', 'starter', 'growth', 'scale', 'enterprise')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table users (
  id uuid primary key,
  email text not null unique check (email = lower(trim(email)) and length(email) <= 255),
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz(3) not null default now()
);

create table memberships (
  organization_id uuid not null references organizations (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, user_id)
);

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
comment on column api_keys.hash is 'SHA-256 of the whole key; the key itself is shown once and never stored';

create table connections (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  account_id text not null check (account_id ~ '^[0-9]{12}$'),
  region text not null,
  name text check (length(name) <= 200),
  features jsonb not null default '{}',
  external_id text not null,
  secret_hash bytea check (length(secret_hash) = 32),
  previous_secret_hash bytea check (length(previous_secret_hash) = 32),
  previous_secret_until timestamptz(3),
  is_verified boolean not null default false,
  verification_error text,
  last_verified_at timestamptz(3),
  event_watermark timestamptz(3),
  last_event_received_at timestamptz(3),
  probe_requested_at timestamptz(3),
  probed_at timestamptz(3),
  disconnected_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  unique (organization_id, account_id, region)
);
create index connections_account on connections (account_id);
comment on column connections.event_watermark is
  'latest mail.timestamp of any Send event applied: past it, silence about a mail means it was never accepted';
comment on column connections.probe_requested_at is
  'set by the claim reconciler when rows are in doubt and nothing was accepted since: the dispatcher sends one probe';

-- One row per AWS account and region, whatever organizations share it: the provider counts there.
create table sending_limits (
  account_id text not null,
  region text not null,
  max_send_rate double precision not null check (max_send_rate > 0),
  max_24_hour double precision not null,
  tokens double precision not null default 0,
  granted integer not null default 0,
  refilled_at timestamptz(3) not null default now(),
  factor double precision not null default 1 check (factor > 0 and factor <= 1),
  slowed_at timestamptz(3),
  paused_until timestamptz(3),
  paused_reason text,
  primary key (account_id, region)
);
comment on column sending_limits.granted is 'permits given by the last update: an update cannot return what it read';
comment on column sending_limits.factor is 'share of max_send_rate in use: halved when the provider throttles, recovers with time';

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
  email_status text check (email_status in ('active', 'unsubscribed', 'bounced', 'complained', 'suppressed')),
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
  primary key (organization_id, id),
  unique (organization_id, external_id),
  unique (organization_id, email),
  unique (organization_id, phone),
  check (email is not null or phone is not null)
);

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
  primary key (organization_id, contact_id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade
) with (fillfactor = 70);

-- What a mail says, immutable once written: a template version or the inline content of a batch.
create table contents (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  subject text,
  preview_text text,
  html text not null,
  text text not null,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id)
);

create table templates (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  name text not null check (length(name) between 1 and 200),
  slug text not null check (slug ~ '^[a-z0-9-]{1,100}$'),
  subject text,
  preview_text text,
  source_type text not null check (source_type in ('html', 'mjml')),
  source text not null,
  email_type text not null check (email_type in ('marketing', 'transactional')),
  variables jsonb not null default '[]',
  status text not null check (status in ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
  version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  published_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, slug)
);

create table template_versions (
  organization_id uuid not null,
  template_id uuid not null,
  version integer not null,
  content_id uuid not null,
  published_at timestamptz(3) not null default now(),
  primary key (organization_id, template_id, version),
  foreign key (organization_id, template_id) references templates (organization_id, id) on delete cascade,
  foreign key (organization_id, content_id) references contents (organization_id, id)
);
