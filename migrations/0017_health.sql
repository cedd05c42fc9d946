-- What the hourly sweep found out about each connected account, and what owners were told by mail.

create table account_health (
  organization_id uuid not null,
  connection_id uuid not null,
  status text not null default 'unknown' check (status in ('healthy', 'at_risk', 'in_danger', 'unknown')),
  reasons text[] not null default '{}',
  checked_at timestamptz(3),
  asked_at timestamptz(3),
  refusal text check (refusal in ('denied', 'throttled', 'failed')),
  production_access_enabled boolean,
  sending_enabled boolean,
  enforcement_status text check (length(enforcement_status) <= 100),
  max_24_hour double precision,
  sent_last_24_hours double precision,
  max_send_rate double precision,
  bounce_rate double precision,
  complaint_rate double precision,
  primary key (organization_id, connection_id),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade,
  check (status <> 'unknown' or reasons = '{}')
);
comment on column account_health.checked_at is 'when the provider last answered: what the figures and the verdict are of';
comment on column account_health.refusal is 'why the last question, of asked_at, was not answered; null: it was';
select protect_tenant_table('account_health');

-- One row is one thing told to an organization's owners, once: the key says what must not be told twice.
create table notices (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  kind text not null check (length(kind) between 1 and 50),
  subject text not null check (length(subject) <= 100),
  period text not null check (length(period) <= 50),
  data jsonb not null,
  created_at timestamptz(3) not null,
  primary key (organization_id, id),
  unique (organization_id, kind, subject, period)
);
comment on column notices.subject is 'what it is about, such as a connection''s id; empty: the organization itself';
comment on column notices.period is 'told once in it: a day and a verdict, a month and a threshold';
select protect_tenant_table('notices');

-- Its mails, one per owner. The address is read when the mail is sent and kept nowhere here.
create table notice_mails (
  organization_id uuid not null,
  notice_id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  state text not null default 'queued'
    check (state in ('queued', 'claimed', 'sent', 'failed', 'skipped', 'unknown')),
  reason text check (length(reason) <= 500),
  claim_id uuid,
  claimed_at timestamptz(3),
  message_id text,
  settled_at timestamptz(3),
  primary key (organization_id, notice_id, user_id),
  foreign key (organization_id, notice_id) references notices (organization_id, id) on delete cascade,
  check ((state in ('claimed', 'unknown')) = (claim_id is not null)),
  check ((state = 'sent') = (message_id is not null))
);
create index notice_mails_user on notice_mails (user_id);
comment on column notice_mails.state is
  'as of messages; unknown is an end here: nobody reports what became of the operator''s mail, and none goes twice';
select protect_tenant_table('notice_mails');
