-- Batches, the ledger of mail, what claims and settles it, and what SES reports.

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
  -- Set when freezing starts; the batch's rows in `messages` live in this bucket.
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
  topic_id uuid,
  duplicates integer not null default 0 check (duplicates >= 0),
  outcome_awaited_until timestamptz(3),
  -- What stops a batch that the provider refuses for its sender's sake, or whose mails take too
  -- long to make.
  sender_refusals integer not null default 0 check (sender_refusals >= 0),
  render_timeouts integer not null default 0 check (render_timeouts >= 0),
  render_timeouts_in_row integer not null default 0 check (render_timeouts_in_row >= 0),
  streak_sent integer not null default 0,
  -- Batches whose run in Temporal is gone are found and go on.
  progressed_at timestamptz(3) not null default now(),
  lost_runs smallint not null default 0,
  lost_after integer,
  primary key (organization_id, id),
  foreign key (organization_id, connection_id) references connections (organization_id, id),
  foreign key (organization_id, content_id) references contents (organization_id, id),
  check ((audience_type = 'contacts') = (contact_ids is not null)),
  check (sent + failed + skipped <= total_recipients)
) with (fillfactor = 50);
-- Few of all batches: what their runs do is compared with them all the time.
create index batches_live on batches (id) where status in ('queued', 'scheduled', 'processing');
comment on column batches.topic_id is
  'only its subscribers are mailed, and the one-click link leaves it; a deleted topic has none';
comment on column batches.duplicates is 'acceptances beyond the first that the provider told us of';
comment on column batches.outcome_awaited_until is
  'set while nothing but mails in doubt is open: when it completes all the same, or they are sent '
  'again';
comment on column batches.sender_refusals is
  'in a row, of this attempt; not the recipients'' fault, whose rows are queued again';
comment on column batches.render_timeouts is 'of this attempt';
comment on column batches.streak_sent is
  'what `sent` was when those in a row were counted last: another by now ends both';
comment on column batches.progressed_at is
  'when the sending itself last came on: frozen, sent, refused; delivery events are none of it';
comment on column batches.lost_runs is
  'runs in a row that ended and left it behind, without progress';
comment on column batches.lost_after is 'recipients that were settled when the last of them ended';
select protect_tenant_table('batches');

-- The only ledger. A frozen recipient is its log row, and so is every other mail.
--
-- The key is (organization, id, bucket): `id` sorts by time and, within a batch, by sequence, so
-- one index serves look-ups, a chunk's range and the log's newest-first pages. `state` is in no
-- index, so that the four or five updates of a mail's life stay heap-only; what is claimed is found
-- through `claims`, single mail that waits through `mail_queue`. The bucket comes last in
-- both keys: with it in front, the planner takes the wrong one for a range of ids while a new
-- partition has no statistics yet, and reads the whole batch for each claim. No foreign key to
-- contacts: a deleted contact's mail stays in the ledger.
create table messages (
  organization_id uuid not null,
  bucket uuid not null,
  id uuid not null,
  dedupe_key uuid not null,
  source text not null
    check (source in ('batch', 'workflow', 'transactional', 'confirmation', 'external')),
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
  execution_id uuid,
  topic_id uuid,
  template_id uuid,
  first_event_at timestamptz(3),
  primary key (organization_id, id, bucket),
  unique (organization_id, dedupe_key, bucket),
  check ((state in ('claimed', 'unknown')) = (claim_id is not null))
) partition by range (bucket);
-- A contact's rows of batches are found by their dedupe key, which is the contact. These two serve
-- the rest: no row of a batch is in either, so that freezing and sending pay nothing for them.
create index messages_contact on messages (organization_id, contact_id, bucket, id)
  where source <> 'batch' and contact_id is not null;
create index messages_recipient on messages (organization_id, recipient, bucket, id)
  where contact_id is null and recipient is not null;
comment on column messages.dedupe_key is
  'contact (batches); a hash of what decided the mail otherwise; else the id: one decision, one '
  'mail';
comment on column messages.state is
  'the ledger: queued, claimed, sent, failed, skipped, unknown (a call may have begun, its '
  'outcome is not known)';
comment on column messages.status is 'what the log shows; by rank once sent, never back';
comment on column messages.claimed_at is
  'of a sent mail: its call was answered; null: only an event tells that it was accepted';
comment on column messages.execution_id is 'the execution whose step decided it (source workflow)';
comment on column messages.topic_id is
  'only its subscribers are sent it (source workflow); null: nobody asked for a topic';
comment on column messages.template_id is 'of single mail; a batch names its own';
comment on column messages.first_event_at is 'when the first event about it was received';
select protect_tenant_table('messages');

-- Tells the planner about a day's mail, which a worker may not do without owning the table.
create function analyze_messages(day date) returns void
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  execute format('analyze %I', 'messages_' || to_char(day, 'YYYYMMDD'));
end
$$;
revoke all on function analyze_messages(date) from public;
grant execute on function analyze_messages(date) to letterloom_worker;

-- What single mail says, kept until it is settled.
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
select protect_tenant_table('message_bodies');

-- Provider message id → row. Partitioned by its hash: it has no bucket to be found by.
create table message_ids (
  organization_id uuid not null,
  message_id text not null,
  connection_id uuid not null,
  bucket uuid not null,
  id uuid not null,
  primary key (organization_id, message_id)
) partition by hash (message_id);
do $$
begin
  for part in 0..15 loop
    execute format(
      'create table message_ids_%s partition of message_ids
        for values with (modulus 16, remainder %s)',
      lpad(part::text, 2, '0'), part);
  end loop;
end
$$;
select protect_tenant_table('message_ids');

-- Single mail that waits: mail outside batches. A row is here exactly while its message is
-- `queued`.
create table mail_queue (
  organization_id uuid not null,
  bucket uuid not null,
  id uuid not null,
  connection_id uuid not null,
  priority smallint not null check (priority between 1 and 3),
  send_at timestamptz(3) not null,
  primary key (organization_id, id, bucket)
);
create index mail_queue_due on mail_queue (connection_id, priority, send_at, id);
comment on column mail_queue.priority is
  '1 transactional, 2 confirmation, 3 flow; batches have their own path';
select protect_tenant_table('mail_queue');

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
  look_at timestamptz(3),
  primary key (organization_id, id)
);
create index claims_age on claims (claimed_at);
create index claims_look on claims (look_at) where state = 'doubt';
comment on column claims.state is
  'live: a worker holds it; doubt: its lease ran out and some outcomes are unknown';
comment on column claims.look_at is
  'when a claim in doubt is judged next; null: it is not in doubt';
select protect_tenant_table('claims');

-- Delivery events as they came, stored before they are answered, applied in sets afterwards. An
-- event that came with a right proof and is not for the applier has `ignored` (it was read and can
-- never be applied) or `error` (it could not be read, as with those that the applier sets aside).
-- Only one with an error may be about a mail of ours.
create sequence inbound_events_position;
grant usage on sequence inbound_events_position
  to letterloom_api, letterloom_worker, letterloom_definer;
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
  ignored text,
  primary key (received_on, position),
  unique (organization_id, connection_id, envelope_id, received_on)
) partition by range (received_on);
create index inbound_events_waiting on inbound_events (position) where applied_at is null;
-- Events that could not be applied keep what they say; the others lose it when they are applied.
create index inbound_events_aside on inbound_events (organization_id, position)
  where error is not null or ignored is not null;
comment on column inbound_events.error is 'why it could not be read or applied; its body stays';
comment on column inbound_events.ignored is
  'why it can never be applied, though it was read; its body stays';
select protect_tenant_table('inbound_events');
create policy storing on inbound_events for insert to letterloom_definer with check (true);
grant select, insert on inbound_events to letterloom_definer;

-- Events of several organizations come in one set; each was proved before. Returns those that are
-- new.
create function store_inbound_events(organizations uuid[], connections uuid[], envelopes text[],
  bodies text[], errors text[], ignorings text[])
returns table (connection_id uuid, envelope_id text)
language sql volatile
begin atomic
  insert into inbound_events (organization_id, connection_id, envelope_id, body, error, ignored,
    applied_at)
  select e.organization_id, e.connection_id, e.envelope_id, e.body::jsonb, e.error, e.ignored,
    case when e.error is not null or e.ignored is not null then clock_timestamp() end
  from unnest(organizations, connections, envelopes, bodies, errors, ignorings)
    as e (organization_id, connection_id, envelope_id, body, error, ignored)
  on conflict do nothing
  returning inbound_events.connection_id, inbound_events.envelope_id;
end;
select make_security_definer(
  'store_inbound_events(uuid[], uuid[], text[], text[], text[], text[])');

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
comment on column delivery_events.fingerprint is
  'hash of what tells two events of one kind apart (feedback id, link, time)';
select protect_tenant_table('delivery_events');

-- What tells whether silence about a mail means that the provider never accepted it: how many mails
-- of a connection were answered and how many of those have an event, the probes sent to make up the
-- number, and when delivery events could not be received.
--
-- Counts, not a row for each mail: at 500 mails a second five minutes are 150,000 of them.
create table answered_counts (
  organization_id uuid not null,
  connection_id uuid not null,
  slot timestamptz(3) not null,
  answered integer not null check (answered > 0),
  arrived integer not null check (arrived between 0 and answered),
  last_arrival_at timestamptz(3),
  primary key (organization_id, connection_id, slot),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade
) with (fillfactor = 50);
create index answered_counts_age on answered_counts (slot);
comment on table answered_counts is
  'mails whose call was answered, by the ten seconds in which they were claimed';
comment on column answered_counts.arrived is 'those of them that have an event';
comment on column answered_counts.last_arrival_at is 'the latest of their first events';
select protect_tenant_table('answered_counts');

create table probes (
  organization_id uuid not null,
  connection_id uuid not null,
  id uuid not null,
  claimed_at timestamptz(3) not null,
  answered_at timestamptz(3),
  first_event_at timestamptz(3),
  primary key (organization_id, connection_id, id),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade
);
create index probes_age on probes (claimed_at);
comment on table probes is
  'mails to the provider''s mailbox simulator, sent when too few others tell whether events arrive';
select protect_tenant_table('probes');

-- No tenant's: every API process receives the events of all connections.
create table receivers (
  id uuid primary key,
  beat_at timestamptz(3) not null,
  interrupted_until timestamptz(3),
  stopped_at timestamptz(3)
);
comment on table receivers is
  'API processes that receive delivery events, and when each last said that it does';
comment on column receivers.interrupted_until is
  'the end of the last interruption that it noticed: nobody received before it, it hung, or it '
  'answered 5xx';
comment on column receivers.stopped_at is
  'it ended as it should; null and an old beat: it was lost';
grant select, insert, update, delete on receivers to letterloom_api, letterloom_worker;
