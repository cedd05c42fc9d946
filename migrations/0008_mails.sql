-- Batches; the ledger of all mail, and what claims and settles it; single mail; and what SES
-- reports: delivery events, the mails of others that they tell of, and what silence proves.

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
  segment_id uuid,
  excluded_topic_ids uuid[] not null default '{}' check (cardinality(excluded_topic_ids) <= 100),
  excluded_segment_ids uuid[] not null default '{}'
    check (cardinality(excluded_segment_ids) <= 20),
  paused_reason text check (paused_reason in ('requested', 'duplicated')),
  throttle_per_second integer check (throttle_per_second between 1 and 10000),
  throttle_tokens float8 not null default 0,
  throttle_refilled_at timestamptz(3),
  timezone_aware boolean not null default false,
  timezone text check (length(timezone) <= 64),
  ab_test jsonb,
  ab_decide_at timestamptz(3),
  ab_winner smallint,
  ab_decision jsonb,
  quota_awaited_until timestamptz(3),
  primary key (organization_id, id),
  foreign key (organization_id, connection_id) references connections (organization_id, id),
  foreign key (organization_id, content_id) references contents (organization_id, id),
  check ((audience_type = 'contacts') = (contact_ids is not null)),
  check (sent + failed + skipped <= total_recipients),
  constraint batches_segment_id_check check (segment_id is null or audience_type = 'segment'),
  constraint batches_paused_lives_check
    check (paused_reason is null or status in ('queued', 'scheduled', 'processing')),
  constraint batches_local_time_check
    check (case when timezone_aware then timezone is not null and scheduled_for is not null
      else timezone is null end),
  constraint batches_ab_test_check check (
    case when ab_test is null
      then num_nonnulls(ab_decide_at, ab_winner, ab_decision) = 0
      else not timezone_aware and num_nulls(ab_winner, ab_decision) in (0, 2)
    end)
) with (fillfactor = 50);
-- Few of all batches: what their runs do is compared with them all the time.
create index batches_live on batches (id) where status in ('queued', 'scheduled', 'processing');
-- A batch is found by what it was, and its rows by its bucket.
create index batches_template on batches (organization_id, template_id, bucket)
  where template_id is not null;
create index batches_bucket on batches (organization_id, bucket) where bucket is not null;
-- Tests of batches that have nothing left to send, until their winner is named.
create index batches_undecided on batches (ab_decide_at)
  where status = 'completed' and ab_winner is null and ab_decide_at is not null;
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
comment on column batches.segment_id is
  'its members at the time of freezing are mailed; while the batch is live nobody can delete it';
comment on column batches.excluded_topic_ids is
  'their subscribers at the time of freezing are left out; while the batch is live nobody can '
  'delete one';
comment on column batches.excluded_segment_ids is
  'the same for the members of segments';
comment on column batches.paused_reason is
  'set while it is paused: nothing of it is claimed; only batches that live are paused';
comment on column batches.throttle_tokens is
  'mails that may be claimed at once by its own rate, at throttle_refilled_at';
comment on column batches.timezone is
  'scheduled_for, read in it, is the local time of all; and that of contacts without one';
comment on column batches.ab_test is 'what the caller asked for; a variant says what it says otherwise than the batch';
comment on column batches.ab_decide_at is
  'set when all of the share have been mailed; null: that is still to come, or a person decides';
comment on column batches.ab_winner is 'position of the variant that the rest gets';
comment on column batches.ab_decision is 'how the winner was found, and the figures of that moment';
comment on column batches.quota_awaited_until is
  'set when the quota of its account was used up: when sending is tried again';
select protect_tenant_table('batches');
select make_resource('batches', 'batch');

-- A batch that is sent at several times: which rows at which. Without rows here all are sent at
-- once. Rows are numbered as in the ids of its messages.
create table batch_parts (
  organization_id uuid not null,
  batch_id uuid not null,
  from_row integer not null check (from_row >= 0),
  to_row integer not null,
  send_at timestamptz(3) not null,
  is_test boolean not null default false,
  primary key (organization_id, batch_id, from_row),
  foreign key (organization_id, batch_id) references batches (organization_id, id)
    on delete cascade,
  check (to_row > from_row)
);
comment on table batch_parts is
  'no personal data: organization_id batch_id from_row to_row send_at is_test';
comment on column batch_parts.is_test is 'the share that decides; the rest waits for it';
select protect_tenant_table('batch_parts');

-- A/B tests of batches: variants to a share of the audience, the better one to the rest. A test is
-- decided by its share: mails to the rest of the audience are counted beside it.
create table batch_variants (
  organization_id uuid not null,
  batch_id uuid not null,
  position smallint not null check (position between 0 and 4),
  content_id uuid not null,
  template_id uuid,
  subject text not null,
  preview_text text,
  from_name text,
  sent integer not null default 0 check (sent >= 0),
  delivered integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  bounced integer not null default 0,
  complained integer not null default 0,
  rest_sent integer not null default 0,
  rest_delivered integer not null default 0,
  rest_opened integer not null default 0,
  rest_clicked integer not null default 0,
  rest_bounced integer not null default 0,
  rest_complained integer not null default 0,
  primary key (organization_id, batch_id, position),
  foreign key (organization_id, batch_id) references batches (organization_id, id)
    on delete cascade,
  foreign key (organization_id, content_id) references contents (organization_id, id)
) with (fillfactor = 50);
-- Batches whose test has a template, for the log's filter.
create index batch_variants_template on batch_variants (organization_id, template_id)
  where template_id is not null;
comment on table batch_variants is 'no personal data: organization_id batch_id position content_id '
  'template_id sent delivered opened clicked bounced complained rest_sent rest_delivered '
  'rest_opened rest_clicked rest_bounced rest_complained';
comment on column batch_variants.sent is 'of the share that the variants are compared by, as the other figures';
comment on column batch_variants.rest_sent is 'of the rest of the audience, which got the winner';
select protect_tenant_table('batch_variants');

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
  variant smallint,
  from_domain text,
  human_opened_at timestamptz(3),
  unsubscribed_at timestamptz(3),
  retried boolean not null default false,
  is_refused boolean
    generated always as (nullif(status in ('failed', 'suppressed', 'opted_out'), false)) stored,
  human_clicked_at timestamptz(3),
  primary key (organization_id, id, bucket),
  unique (organization_id, dedupe_key, bucket),
  check ((state in ('claimed', 'unknown')) = (claim_id is not null))
) partition by range (bucket);
-- A contact's rows of batches are found by their dedupe key, which is the contact. This one serves
-- the rest: no row of a batch is in it, so that freezing and sending pay nothing for it.
create index messages_contact on messages (organization_id, contact_id, bucket, id)
  where source <> 'batch' and contact_id is not null;
-- Mail that names no contact is found by the hash that former_addresses has.
create index messages_unnamed on messages (organization_id, address_hash(organization_id, recipient))
  where contact_id is null and recipient is not null;
-- Filters of email logs, each with an index. None has a column that changes before a mail is sent.
create index messages_recipient on messages (organization_id, recipient, id)
  where recipient is not null;
create index messages_source on messages (organization_id, source, id) where source <> 'batch';
create index messages_template on messages (organization_id, template_id, id)
  where template_id is not null;
-- Few mails bounce or are clicked, and only those are moved to new places by it.
create index messages_opened on messages (organization_id, id) where opened_at is not null;
create index messages_clicked on messages (organization_id, id) where clicked_at is not null;
create index messages_bounced on messages (organization_id, id) where bounced_at is not null;
create index messages_complained on messages (organization_id, id) where complained_at is not null;
-- Few mails fail or are not sent, and only those are moved to new places by it: a mail that is
-- claimed, sent and delivered changes no indexed column, and stays where it is.
create index messages_refused on messages (organization_id, id) where is_refused;
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
comment on column messages.first_event_at is
  'when the first event that carried our tag was received; others say nothing about silence';
comment on column messages.variant is
  'which of the batch''s variants it is; of the rest of the audience null until it is claimed';
comment on column messages.from_domain is
  'of the From address of single mail; a batch has its own; null: another program''s mail';
comment on column messages.human_opened_at is
  'the first open or click by something that is not on the list of bots; opened_at: by anything';
comment on column messages.human_clicked_at is
  'the first click by something that is not on the list of bots; clicked_at: by anything';
comment on column messages.unsubscribed_at is 'when its recipient first unsubscribed by its link';
comment on column messages.retried is 'another batch mails this contact instead';
comment on column messages.is_refused is
  'by us, or by the provider; null: it is not, so that their index has nothing else';
select protect_tenant_table('messages');

-- A mail in the logs is no row of `resources`: no index begins with its id, which would make every
-- mail that is sent dearer. It is looked for by the primary key, organization by organization and
-- on a miss only; `limit` keeps the planner from doing that in another way.
create function owner_of_log(wanted uuid, buckets uuid[]) returns uuid
language sql
stable
as $$
  select found.organization_id
  from organizations o
  cross join lateral (
    select m.organization_id
    from messages m
    where m.organization_id = o.id and m.id = wanted and m.bucket = any(buckets)
    limit 1
  ) found
  limit 1
$$;
comment on function owner_of_log(uuid, uuid[]) is
  'of a mail with this id in one of these buckets; tells 403 from 404';
grant select (organization_id, bucket, id) on messages to letterloom_definer;
select make_security_definer('owner_of_log(uuid, uuid[])');

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
    perform analyze_after_500_changes(format('message_ids_%s', lpad(part::text, 2, '0'))::regclass);
  end loop;
end
$$;
-- Rows come in the order of their time, so that it costs next to nothing to keep.
create index message_ids_age on message_ids using brin (bucket) with (autosummarize = on);
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
-- Connections with due mail are found from the mail that is due: one look, not one for each
-- connection.
create index mail_queue_times on mail_queue (send_at, connection_id);
comment on column mail_queue.priority is
  '1 transactional, 2 confirmation, 3 flow; batches have their own path';
select protect_tenant_table('mail_queue');
select vacuum_as_queue('mail_queue');

-- Single mail that callers hand in through the API, beside its row in the ledger.
create table transactional_mails (
  organization_id uuid not null references organizations (id) on delete cascade,
  id uuid not null unique,
  tags jsonb not null default '[]',
  retain_body boolean not null,
  sealed bytea,
  sealed_until timestamptz(3),
  primary key (organization_id, id),
  check ((sealed is null) = (sealed_until is null))
);
-- Encrypted, so that compressing it is work for nothing.
alter table transactional_mails alter column sealed set storage external;
create index transactional_mails_sealed on transactional_mails (sealed_until)
  where sealed_until is not null;
comment on table transactional_mails is
  'no personal data: organization_id id retain_body sealed_until';
comment on column transactional_mails.sealed is
  'its parts, headers and attachments, encrypted for this row; null: not kept any more, or it was '
  'never to be sent';
comment on column transactional_mails.sealed_until is
  'when the janitor looks whether the mail is settled and what it says can go';
select protect_tenant_table('transactional_mails');
select vacuum_as_queue('transactional_mails');
select make_resource('transactional_mails', 'email');

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
select vacuum_as_queue('claims');

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
  look_at timestamptz(3),
  primary key (received_on, position),
  unique (organization_id, connection_id, envelope_id, received_on)
) partition by range (received_on);
-- Delivery events that are put off are not walked past.
create index inbound_events_waiting on inbound_events (position)
  where applied_at is null and look_at is null;
create index inbound_events_put_off on inbound_events (look_at)
  where applied_at is null and look_at is not null;
-- Events that could not be applied keep what they say; the others lose it when they are applied.
create index inbound_events_aside on inbound_events (organization_id, position)
  where error is not null or ignored is not null;
comment on column inbound_events.error is 'why it could not be read or applied; its body stays';
comment on column inbound_events.ignored is
  'why it can never be applied, though it was read; its body stays';
comment on column inbound_events.look_at is
  'set while it waits for the answer to a call of ours, whose mail it may speak of';
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

-- Delivery events that are not applied, counted for each connection and day. Up to a limit they are
-- kept in inbound_events; beyond it they are only counted, so that a caller who knows a webhook
-- secret cannot fill the disk.
create table unapplied_events (
  organization_id uuid not null,
  connection_id uuid not null,
  day date not null,
  kept_rows integer not null default 0 check (kept_rows >= 0),
  kept_bytes bigint not null default 0 check (kept_bytes >= 0),
  dropped jsonb not null default '{}',
  unread_dropped_at timestamptz(3),
  primary key (organization_id, connection_id, day)
) with (fillfactor = 50);
comment on column unapplied_events.dropped is 'how many events were counted only, by reason';
comment on column unapplied_events.unread_dropped_at is
  'when an event that could not be read was counted only: silence about a mail from before proves nothing';
comment on table unapplied_events is 'no personal data: organization_id connection_id day kept_rows '
  'kept_bytes dropped unread_dropped_at';
create index unapplied_events_day on unapplied_events (day);
select protect_tenant_table('unapplied_events');
select vacuum_as_queue('unapplied_events');
create policy counting on unapplied_events to letterloom_definer using (true) with check (true);
grant select, insert, update on unapplied_events to letterloom_definer;

-- Finds room for events of several organizations; each was proved before. Returns the places in the
-- arrays (from 1) of those that may be kept, and counts the others. An event whose rows are there
-- already (`are_stored`) is always counted as kept.
create function take_room_for_events(organizations uuid[], connections uuid[], reasons text[],
  row_counts integer[], sizes bigint[], are_unread boolean[], are_stored boolean[],
  most_rows integer, most_bytes bigint)
returns setof bigint
language plpgsql
as $$
begin
  insert into unapplied_events (organization_id, connection_id, day)
  select distinct g.organization_id, g.connection_id, current_date
  from unnest(organizations, connections) as g (organization_id, connection_id)
  order by 1, 2
  on conflict do nothing;

  perform
  from unapplied_events u
  where u.day = current_date and (u.organization_id, u.connection_id) in (
    select g.organization_id, g.connection_id
    from unnest(organizations, connections) as g (organization_id, connection_id)
  )
  order by u.organization_id, u.connection_id
  for update;

  return query
  with given as (
    select *
    from unnest(organizations, connections, reasons, row_counts, sizes, are_unread, are_stored)
      with ordinality as g (organization_id, connection_id, reason, row_count, size, is_unread,
        is_stored, place)
  ), summed as (
    select g.*, u.kept_rows + sum(g.row_count) over earlier as rows_then,
      u.kept_bytes + sum(g.size) over earlier as bytes_then
    from given g
    join unapplied_events u on u.organization_id = g.organization_id
      and u.connection_id = g.connection_id and u.day = current_date
    window earlier as (partition by g.organization_id, g.connection_id
      order by g.is_stored desc, g.place)
  ), decided as materialized (
    select s.*, s.is_stored or (s.rows_then <= most_rows and s.bytes_then <= most_bytes) as is_kept
    from summed s
  ), sums as (
    select d.organization_id, d.connection_id,
      coalesce(sum(d.row_count) filter (where d.is_kept), 0) as added_rows,
      coalesce(sum(d.size) filter (where d.is_kept), 0) as added_bytes,
      bool_or(d.is_unread and not d.is_kept) as is_unread_dropped
    from decided d
    group by 1, 2
  ), counted as (
    update unapplied_events u
    set kept_rows = u.kept_rows + s.added_rows, kept_bytes = u.kept_bytes + s.added_bytes,
      unread_dropped_at = case when s.is_unread_dropped then clock_timestamp()
        else u.unread_dropped_at end,
      dropped = (
        select coalesce(jsonb_object_agg(both_counts.reason, both_counts.events), '{}')
        from (
          select each_count.reason, sum(each_count.events) as events
          from (
            select before.key as reason, before.value::bigint as events
            from jsonb_each_text(u.dropped) as before
            union all
            select d.reason, 1
            from decided d
            where d.organization_id = u.organization_id and d.connection_id = u.connection_id
              and not d.is_kept
          ) each_count
          group by each_count.reason
        ) both_counts
      )
    from sums s
    where u.organization_id = s.organization_id and u.connection_id = s.connection_id
      and u.day = current_date
  )
  select d.place
  from decided d
  where d.is_kept;
end
$$;
select make_security_definer('take_room_for_events(uuid[], uuid[], text[], integer[], bigint[], boolean[], boolean[], integer, bigint)');

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
-- Clicks of a batch are few among its events.
create index delivery_events_clicks on delivery_events (organization_id, bucket)
  where kind = 'click';
comment on column delivery_events.fingerprint is
  'hash of what tells two events of one kind apart (feedback id, link, time)';
select protect_tenant_table('delivery_events');

-- Mails that were sent through a connected account by somebody else, known from their events alone.
-- The rows themselves are in `messages`; this finds them again. Partitioned like `message_ids`.
create table external_mails (
  organization_id uuid not null,
  message_id text not null,
  connection_id uuid not null,
  address_hash bytea not null check (length(address_hash) = 16),
  bucket uuid not null,
  id uuid not null,
  look_at timestamptz(3),
  primary key (organization_id, message_id, connection_id, address_hash)
) partition by hash (message_id);
do $$
begin
  for part in 0..15 loop
    execute format(
      'create table external_mails_%s partition of external_mails
        for values with (modulus 16, remainder %s)',
      lpad(part::text, 2, '0'), part);
    perform analyze_after_500_changes(format('external_mails_%s', lpad(part::text, 2, '0'))::regclass);
    perform vacuum_as_queue(format('external_mails_%s', lpad(part::text, 2, '0'))::regclass);
  end loop;
end
$$;
create index external_mails_look on external_mails (look_at) where look_at is not null;
create index external_mails_age on external_mails using brin (bucket) with (autosummarize = on);
comment on column external_mails.address_hash is
  'first 16 bytes of SHA-256(organization id, address): a mail has a row for each recipient';
comment on column external_mails.look_at is
  'when its message id is next looked for among our own mails; null: not any more';
select protect_tenant_table('external_mails');

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

-- Where mail names no configuration set, each identity's default set decides where its events go:
-- that others are heard of says nothing of a mail in doubt, unless one is of the same sender.
create table probes (
  organization_id uuid not null,
  connection_id uuid not null,
  id uuid not null,
  claimed_at timestamptz(3) not null,
  answered_at timestamptz(3),
  first_event_at timestamptz(3),
  from_address text,
  primary key (organization_id, connection_id, id),
  foreign key (organization_id, connection_id)
    references connections (organization_id, id) on delete cascade
);
create index probes_age on probes (claimed_at);
comment on table probes is
  'mails to the provider''s mailbox simulator, sent when too few others tell whether events arrive';
comment on column probes.from_address is 'the sender of the mail in doubt that it asks about';
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
