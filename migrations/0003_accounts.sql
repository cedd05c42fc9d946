-- Connected AWS accounts: how they are reached and verified, what they may send, what they
-- answered, how healthy they are, and what their owners were told.

create table connections (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  account_id text not null check (account_id ~ '^[0-9]{12}$'),
  region text not null,
  name text check (length(name) <= 200),
  features jsonb not null default '{}',
  external_id text not null,
  is_verified boolean not null default false,
  verification_error text,
  last_verified_at timestamptz(3),
  last_event_received_at timestamptz(3),
  probe_requested_at timestamptz(3),
  disconnected_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  sns_topic_arn text check (length(sns_topic_arn) <= 400),
  checks jsonb,
  check_begun_at timestamptz(3),
  checked_at timestamptz(3),
  probes_wanted smallint not null default 0 check (probes_wanted between 0 and 20),
  events_refused_at timestamptz(3),
  max_send_rate double precision check (max_send_rate > 0),
  -- Named in every mail once a verification saw one accepted with it: no step of the customer's
  -- decides whether events come.
  configuration_set text check (length(configuration_set) <= 64),
  configuration_set_tried_at timestamptz(3),
  event_queue_url text check (length(event_queue_url) <= 300),
  events_missing_since timestamptz(3),
  configuration_set_since timestamptz(3),
  first_verified_at timestamptz(3),
  primary key (organization_id, id),
  unique (organization_id, account_id, region),
  constraint connections_sns_topic_is_its_own check (sns_topic_arn is null
    or (split_part(sns_topic_arn, ':', 4) = region
      and split_part(sns_topic_arn, ':', 5) = account_id))
);
create index connections_account on connections (account_id);
create index connections_probes on connections (id) where probes_wanted > 0;
create index connections_unchecked on connections (id)
  where checked_at is null and disconnected_at is null;
comment on column connections.probe_requested_at is
  'when the claim reconciler last asked for probes';
comment on column connections.sns_topic_arn is 'the only topic whose notifications are believed';
comment on column connections.checks is
  'what the last verification found, one entry a permission: [{name, ok, error?}]';
comment on column connections.check_begun_at is
  'when somebody began to verify: while it is later than checked_at, others wait for what he finds';
comment on column connections.checked_at is
  'when checks were found; last_verified_at moves only when they decided something';
comment on column connections.probes_wanted is
  'that the dispatcher is to send: too few mails tell whether events arrive';
comment on column connections.events_refused_at is
  'the latest answer to an event of this connection that the event bus takes for a failure';
comment on column connections.max_send_rate is
  'mails a second, as the last verification was told; sending_limits has it for all who share the '
  'account';
comment on column connections.configuration_set is
  'the configuration set that mail names; null: none was seen to be accepted, and mail goes '
  'without';
comment on column connections.configuration_set_tried_at is
  'when a verification last sent a mail with it, or SES last said that it does not exist';
comment on column connections.event_queue_url is
  'the queue that workers take delivery events from; null: events are posted to us';
comment on column connections.events_missing_since is
  'when it was found that mail leaves and nothing is heard of it; an event that is later ends it';
comment on column connections.configuration_set_since is
  'since when its mail has named the configuration set without a break; null: it goes without';
comment on column connections.first_verified_at is 'null: it was never found in order';
select protect_tenant_table('connections');
grant select on connections to letterloom_definer;
select make_resource('connections', 'connection');

-- A secret is the present one (valid_until is null) or was replaced and is good for another day:
-- someone who registers an account twice in an hour must not lose the events that still carry the
-- first secret.
create table connection_secrets (
  organization_id uuid not null,
  connection_id uuid not null,
  hash bytea not null check (length(hash) = 32),
  valid_until timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, connection_id, hash),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade
);
create unique index connection_secrets_present
  on connection_secrets (organization_id, connection_id)
  where valid_until is null;
comment on column connection_secrets.hash is
  'SHA-256 of the secret, which is shown once and never stored';
select protect_tenant_table('connection_secrets');
grant select on connection_secrets to letterloom_definer;

-- Finds the connections of an account with their good webhook secrets: asked before the
-- organization is known.
create function webhook_proofs(account text)
returns table (organization_id uuid, id uuid, account_id text, region text, secret_hash bytea,
  valid_until timestamptz(3))
language sql stable
begin atomic
  select c.organization_id, c.id, c.account_id, c.region, s.hash, s.valid_until
  from connections c
  join connection_secrets s on s.organization_id = c.organization_id and s.connection_id = c.id
  where c.account_id = account and c.disconnected_at is null
    and (s.valid_until is null or s.valid_until > now())
  order by c.id, s.hash;
end;
select make_security_definer('webhook_proofs(text)');

-- The topic whose signed messages are delivery events of a connection.
create function sns_topic(connection uuid)
returns table (organization_id uuid, id uuid, account_id text, region text, topic_arn text)
language sql stable
begin atomic
  select c.organization_id, c.id, c.account_id, c.region, c.sns_topic_arn
  from connections c
  where c.id = connection and c.disconnected_at is null and c.sns_topic_arn is not null;
end;
select make_security_definer('sns_topic(uuid)');

-- Whether a connection has ever been found in order: one that never was has a limit of requests.
create function was_ever_verified(connection uuid) returns boolean
language sql stable
begin atomic
  select c.is_verified or c.first_verified_at is not null
  from connections c
  where c.id = connection;
end;
select make_security_definer('was_ever_verified(uuid)');

-- One row per AWS account and region, whatever organizations share it: the provider counts there.
-- How an account is slowed down stands in src/domain/delivery/throttling.ts.
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
  answered integer not null default 0,
  throttled integer not null default 0,
  judged_from timestamptz(3),
  tolerated double precision not null default 0 check (tolerated between 0 and 1),
  trial_factor double precision,
  trial_share double precision,
  -- Mail of a lower lane gives way to what a higher one asked for and did not get.
  transactional_short_at timestamptz(3),
  confirmation_short_at timestamptz(3),
  workflow_short_at timestamptz(3),
  floor_at timestamptz(3) not null default now(),
  others_24_hour double precision not null default 0 check (others_24_hour >= 0),
  quota_until timestamptz(3),
  primary key (account_id, region),
  check ((trial_factor is null) = (trial_share is null))
);
comment on table sending_limits is
  'no personal data: transactional_short_at confirmation_short_at workflow_short_at floor_at '
  'others_24_hour quota_until';
comment on column sending_limits.granted is
  'permits given by the last update: an update cannot return what it read';
comment on column sending_limits.factor is
  'share of max_send_rate in use: falls by the share of calls that the provider throttles, '
  'recovers with time';
comment on column sending_limits.answered is 'calls accepted or throttled since judged_from';
comment on column sending_limits.judged_from is
  'answers since then are judged together; null while nothing is throttled, and nothing is counted';
comment on column sending_limits.tolerated is
  'share of throttled calls that slowing down did not change';
comment on column sending_limits.trial_factor is
  'the factor before the slowing down that is on trial';
comment on column sending_limits.transactional_short_at is
  'when transactional mail last got fewer permits than it asked for';
comment on column sending_limits.confirmation_short_at is 'the same of confirmations';
comment on column sending_limits.workflow_short_at is 'the same of mail of flows';
comment on column sending_limits.floor_at is
  'when batches last got permits: while they give way, a share of the rate gathers since then';
comment on column sending_limits.others_24_hour is
  'mails of the last 24 hours that the provider knew when it was last asked and we did not';
comment on column sending_limits.quota_until is
  'batches wait until then, because what is left of the 24-hour quota is for single mail';
grant select, insert, update, delete on sending_limits to letterloom_worker;

-- What an account has sent in the last 24 hours, counted as permits are given: the provider's own
-- figure is read once an hour, and a mail that it refuses for its quota was a call for nothing.
create table sending_usage (
  account_id text not null,
  region text not null,
  period timestamptz(3) not null,
  mails integer not null,
  primary key (account_id, region, period),
  foreign key (account_id, region) references sending_limits (account_id, region) on delete cascade
) with (fillfactor = 50);
comment on table sending_usage is 'no personal data: account_id region period mails';
comment on column sending_usage.period is 'when its quarter of an hour began, in UTC';
comment on column sending_usage.mails is
  'permits given less those given back; below 0 where they were given in the period before';
create index sending_usage_age on sending_usage (period);
grant select, insert, update, delete on sending_usage to letterloom_worker;

-- One row for each connection with a queue: who polls it, and how that goes. Apart from the
-- connections, which would else be written with every poll.
create table event_queue_polls (
  organization_id uuid not null,
  connection_id uuid not null,
  due_at timestamptz(3) not null default clock_timestamp(),
  held_by uuid,
  held_until timestamptz(3),
  failures integer not null default 0 check (failures >= 0),
  problem text check (problem in ('denied', 'missing', 'throttled', 'failed')),
  polled_at timestamptz(3) not null default clock_timestamp(),
  emptied_at timestamptz(3),
  primary key (organization_id, connection_id),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade,
  check ((held_by is null) = (held_until is null)),
  check ((failures = 0) = (problem is null))
) with (fillfactor = 50);
-- What is asked for many times a second is found by its time, whatever waits for a later one.
create index event_queue_polls_due on event_queue_polls (due_at);
comment on table event_queue_polls is
  'no personal data: organization_id connection_id due_at held_by held_until failures problem '
  'polled_at emptied_at';
comment on column event_queue_polls.held_by is
  'the worker that polls until held_until; two at once would be harmless, and cost twice';
comment on column event_queue_polls.problem is 'why the last poll got no answer; null: it did';
comment on column event_queue_polls.polled_at is
  'end of the last poll that was answered; at first, when the queue was set';
comment on column event_queue_polls.emptied_at is
  'beginning of the last poll that found the queue empty';
select protect_tenant_table('event_queue_polls');
select vacuum_as_queue('event_queue_polls');

-- What accounts answered when somebody asked live: kept for a minute, because nothing that a
-- provider answers may enter a Temporal history. Never shared between connections: anybody may
-- register a stranger's number.
create table provider_readings (
  organization_id uuid not null,
  connection_id uuid not null,
  what text not null check (length(what) between 1 and 80),
  subject text check (length(subject) between 1 and 253),
  asking_until timestamptz(3),
  begun_at timestamptz(3),
  outcome text check (outcome in ('read', 'missing', 'denied', 'throttled', 'failed')),
  answered_at timestamptz(3),
  version uuid,
  read_at timestamptz(3),
  touched_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, connection_id, what),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade,
  check ((outcome is null) = (answered_at is null)),
  check ((version is null) = (read_at is null))
);
create index provider_readings_asking on provider_readings (organization_id, asking_until)
  where asking_until is not null;
create index provider_readings_age on provider_readings (touched_at);
comment on column provider_readings.what is
  '`identities`, or `identity/` and a hash of the name; also the end of the workflow''s id';
comment on column provider_readings.subject is
  'what is asked for by name: it stays out of ids, inputs and histories';
comment on column provider_readings.asking_until is 'somebody asks until then; null: nobody does';
comment on column provider_readings.begun_at is
  'when a worker took the question up; null: none has yet';
comment on column provider_readings.outcome is 'how the latest question ended; null: it has not';
comment on column provider_readings.version is 'of the pages that are complete';
select protect_tenant_table('provider_readings');

create table provider_reading_pages (
  organization_id uuid not null,
  connection_id uuid not null,
  what text not null,
  version uuid not null,
  page integer not null check (page >= 0),
  body jsonb not null,
  primary key (organization_id, connection_id, what, version, page),
  foreign key (organization_id, connection_id, what)
    references provider_readings (organization_id, connection_id, what) on delete cascade
);
comment on column provider_reading_pages.body is
  'identities of a customer''s account; some are addresses';
select protect_tenant_table('provider_reading_pages');

-- Which version of the console policy an account's role carries, as it was found last.
create table console_policies (
  organization_id uuid not null,
  connection_id uuid not null,
  version integer check (version > 0),
  checked_at timestamptz(3),
  probed_at timestamptz(3),
  primary key (organization_id, connection_id),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade,
  check (version is null or checked_at is not null)
);
comment on column console_policies.version is
  'null: never read, or the role has no policy that says one';
comment on column console_policies.checked_at is 'of the last probe that found out';
comment on column console_policies.probed_at is
  'when the last probe began, whatever came of it: the next waits a minute';
select protect_tenant_table('console_policies');

-- What the hourly sweep found out about each connected account. What an account pays for each mail
-- depends on its pricing plan: costs are estimated by it.
create table account_health (
  organization_id uuid not null,
  connection_id uuid not null,
  status text not null default 'unknown'
    check (status in ('healthy', 'at_risk', 'in_danger', 'unknown')),
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
  pricing_plan text check (length(pricing_plan) <= 100),
  primary key (organization_id, connection_id),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade,
  check (status <> 'unknown' or reasons = '{}')
);
comment on column account_health.checked_at is
  'when the provider last answered: what the figures and the verdict are of';
comment on column account_health.refusal is
  'why the last question, of asked_at, was not answered; null: it was';
comment on column account_health.pricing_plan is
  'as SES last wrote it (NONE: à la carte); null: it never said. It stays when an account is silent';
select protect_tenant_table('account_health');

-- One row is one thing told to an organization's owners by mail, once: the key says what must not
-- be told twice.
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
comment on column notices.subject is
  'what it is about, such as a connection''s id; empty: the organization itself';
comment on column notices.period is 'told once in it: a day and a verdict, a month and a threshold';
select protect_tenant_table('notices');

-- The mails of a notice, one for each owner, or one for somebody who is invited: it has one of the
-- two ids. The address is read when the mail is sent and kept nowhere here.
create table notice_mails (
  organization_id uuid not null,
  notice_id uuid not null,
  user_id uuid references users (id) on delete cascade,
  state text not null default 'queued'
    check (state in ('queued', 'claimed', 'sent', 'failed', 'skipped', 'unknown')),
  reason text check (length(reason) <= 500),
  claim_id uuid,
  claimed_at timestamptz(3),
  message_id text,
  settled_at timestamptz(3),
  invitation_id uuid,
  recipient_id uuid not null generated always as (coalesce(user_id, invitation_id)) stored,
  primary key (organization_id, notice_id, recipient_id),
  foreign key (organization_id, notice_id)
    references notices (organization_id, id) on delete cascade,
  foreign key (organization_id, invitation_id)
    references invitations (organization_id, id) on delete cascade,
  check ((state in ('claimed', 'unknown')) = (claim_id is not null)),
  check ((state = 'sent') = (message_id is not null)),
  check (num_nonnulls(user_id, invitation_id) = 1)
);
create index notice_mails_user on notice_mails (user_id);
create index notice_mails_invitation on notice_mails (organization_id, invitation_id)
  where invitation_id is not null;
create index notice_mails_open on notice_mails (notice_id) where state in ('queued', 'claimed');
comment on column notice_mails.state is
  'as of messages; unknown is an end here: nobody reports what became of the operator''s mail, '
  'and none goes twice';
comment on column notice_mails.recipient_id is 'of the owner or the invitation';
select protect_tenant_table('notice_mails');
