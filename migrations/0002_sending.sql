-- The ledger of mail, what claims and settles it, what is promised to Temporal, what SES reports.

create table batches (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  status text not null
    check (status in ('queued', 'scheduled', 'processing', 'completed', 'failed', 'cancelled')),
  channel text not null default 'email' check (channel in ('email', 'sms')),
  name text check (length(name) <= 200),
  attempt integer not null default 1,
  audience_type text not null check (audience_type in ('all', 'topic', 'segment', 'contacts')),
  contact_ids uuid[],
  connection_id uuid not null,
  content_id uuid not null,
  template_id uuid,
  subject text not null,
  preview_text text,
  from_address text not null,
  from_name text,
  reply_to text,
  variable_mappings jsonb not null default '[]',
  scheduled_for timestamptz(3),
  unknown_outcome text not null default 'fail' check (unknown_outcome in ('fail', 'retry')),
  failed_reason text,
  -- set when freezing starts; the batch's rows in `messages` live in this bucket
  bucket uuid unique,
  freeze_started_at timestamptz(3),
  freeze_cursor uuid,
  audience_frozen_at timestamptz(3),
  chunk_size integer,
  total_recipients integer not null default 0,
  sent integer not null default 0 check (sent >= 0),
  failed integer not null default 0 check (failed >= 0),
  skipped integer not null default 0 check (skipped >= 0),
  unknown integer not null default 0 check (unknown >= 0),
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  bounced integer not null default 0,
  complained integer not null default 0,
  suppressed integer not null default 0,
  unsubscribed integer not null default 0,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, connection_id) references connections (organization_id, id),
  foreign key (organization_id, content_id) references contents (organization_id, id),
  check ((audience_type = 'contacts') = (contact_ids is not null)),
  check (sent + failed + skipped <= total_recipients)
) with (fillfactor = 50);

-- The only ledger. A frozen recipient is its log row, and so is every other mail.
--
-- The key is (organization, id, bucket): `id` sorts by time and, within a batch, by sequence, so one
-- index serves look-ups, a chunk's range and the log's newest-first pages. `state` is in no index, so
-- that the four or five updates of a mail's life stay heap-only; what is claimed is found through
-- `claims`, what waits outside batches through `outlet_queue`.
-- The bucket comes last in both keys: with it in front, the planner takes the wrong one for a range of
-- ids while a new partition has no statistics yet, and reads the whole batch for each claim.
-- No foreign key to contacts: a deleted contact's mail stays in the ledger.
create table messages (
  organization_id uuid not null,
  bucket uuid not null,
  id uuid not null,
  dedupe_key uuid not null,
  source text not null check (source in ('batch', 'workflow', 'transactional', 'confirmation', 'external')),
  batch_id uuid,
  connection_id uuid not null,
  contact_id uuid,
  recipient text,
  subject text,
  state text not null default 'queued'
    check (state in ('queued', 'claimed', 'sent', 'failed', 'skipped', 'unknown')),
  status text not null default 'queued'
    check (status in ('queued', 'pending', 'sent', 'delivered', 'opened', 'clicked', 'bounced',
      'complained', 'suppressed', 'failed', 'opted_out')),
  reason text,
  error text,
  claim_id uuid,
  claimed_at timestamptz(3),
  message_id text,
  send_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  opened_at timestamptz(3),
  clicked_at timestamptz(3),
  bounced_at timestamptz(3),
  bounce_type text,
  bounce_sub_type text,
  complained_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, id, bucket),
  unique (organization_id, dedupe_key, bucket),
  check ((state in ('claimed', 'unknown')) = (claim_id is not null))
) partition by range (bucket);
comment on column messages.state is
  'the ledger: queued, claimed, sent, failed, skipped, unknown (a call may have begun, its outcome is not known)';
comment on column messages.status is 'what the log shows; by rank once sent, never back';
comment on column messages.dedupe_key is
  'contact (batches); a hash of what decided the mail otherwise; else the id: one decision, one mail';

-- Mail outside batches keeps what it says here until it is settled.
create table message_bodies (
  organization_id uuid not null,
  bucket uuid not null,
  id uuid not null,
  from_address text not null,
  reply_to text,
  subject text not null,
  html text,
  text text,
  headers jsonb not null default '[]',
  primary key (organization_id, id, bucket)
) partition by range (bucket);

-- Provider message id → row. Partitioned by its hash: it has no bucket to be found by.
create table message_ids (
  organization_id uuid not null,
  message_id text not null,
  connection_id uuid not null,
  bucket uuid not null,
  id uuid not null,
  primary key (organization_id, message_id)
) partition by hash (message_id);

-- What waits outside batches. A row is here exactly while its message is `queued`.
create table outlet_queue (
  organization_id uuid not null,
  bucket uuid not null,
  id uuid not null,
  connection_id uuid not null,
  lane smallint not null check (lane between 1 and 3),
  send_at timestamptz(3) not null,
  primary key (organization_id, id, bucket)
);
create index outlet_queue_due on outlet_queue (connection_id, lane, send_at, id);
comment on column outlet_queue.lane is '1 transactional, 2 confirmation, 3 flow; batches have their own path';

-- A lease on messages that are about to be mailed; gone when each of them is settled.
create table claims (
  organization_id uuid not null,
  id uuid not null unique,
  connection_id uuid not null,
  bucket uuid not null,
  batch_id uuid,
  message_ids uuid[] not null,
  state text not null default 'live' check (state in ('live', 'doubt')),
  claimed_at timestamptz(3) not null,
  primary key (organization_id, id)
);
create index claims_age on claims (claimed_at);
comment on column claims.state is 'live: a worker holds it; doubt: its lease ran out and some outcomes are unknown';

-- Delivery events as they came, stored before they are answered, applied in sets afterwards.
create sequence inbound_events_position;
create table inbound_events (
  received_on date not null default current_date,
  position bigint not null default nextval('inbound_events_position'),
  organization_id uuid not null,
  connection_id uuid not null,
  envelope_id text not null,
  body jsonb not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  applied_at timestamptz(3),
  error text,
  primary key (received_on, position),
  unique (organization_id, connection_id, envelope_id, received_on)
) partition by range (received_on);
create index inbound_events_waiting on inbound_events (position) where applied_at is null;

-- What each mail went through, once each however often it was reported.
create table delivery_events (
  organization_id uuid not null,
  bucket uuid not null,
  log_id uuid not null,
  kind text not null,
  fingerprint bytea not null check (length(fingerprint) = 16),
  occurred_at timestamptz(3) not null,
  data jsonb not null,
  primary key (organization_id, bucket, log_id, kind, fingerprint)
) partition by range (bucket);
comment on column delivery_events.fingerprint is 'hash of what tells two events of one kind apart (feedback id, link, time)';

-- What is promised to Temporal, written in the transaction that causes it.
create sequence outbox_position;
create table outbox (
  created_on date not null default current_date,
  position bigint not null default nextval('outbox_position'),
  organization_id uuid not null,
  kind text not null,
  payload jsonb not null,
  available_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  last_error text,
  done_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (created_on, position)
) partition by range (created_on);
create index outbox_waiting on outbox (available_at, position) where done_at is null;
comment on column outbox.available_at is 'not before; a relay that takes a row moves it on, which is its lease';

do $$
begin
  for part in 0..15 loop
    execute format(
      'create table message_ids_%s partition of message_ids for values with (modulus 16, remainder %s)',
      lpad(part::text, 2, '0'), part);
  end loop;
end
$$;

-- 403 or 404: the one look-up that crosses organizations by id, and it tells only whose it is.
create function owner_of(kind text, wanted uuid) returns uuid
language sql stable
return case kind
  when 'batch' then (select organization_id from batches where id = wanted)
  when 'connection' then (select organization_id from connections where id = wanted)
  when 'contact' then (select organization_id from contacts where id = wanted)
  when 'template' then (select organization_id from templates where id = wanted)
end;
