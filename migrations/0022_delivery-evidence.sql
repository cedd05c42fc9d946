-- What tells whether silence about a mail means that the provider never accepted it: how many mails of a
-- connection were answered and how many of those have an event, the probes sent to make up the number,
-- and when delivery events could not be received.

-- Counts, not rows: at 500 mails a second five minutes are 150,000 of them.
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
comment on table answered_counts is 'mails whose call was answered, by the ten seconds in which they were claimed';
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
comment on table probes is 'mails to the provider''s mailbox simulator, sent when too few others tell whether events arrive';
select protect_tenant_table('probes');

-- No tenant's: every API process receives the events of all connections.
create table receivers (
  id uuid primary key,
  beat_at timestamptz(3) not null,
  interrupted_until timestamptz(3),
  stopped_at timestamptz(3)
);
comment on table receivers is 'API processes that receive delivery events, and when each last said that it does';
comment on column receivers.interrupted_until is 'the end of the last interruption that it noticed: nobody received before it, it hung, or it answered 5xx';
comment on column receivers.stopped_at is 'it ended as it should; null and an old beat: it was lost';
grant select, insert, update, delete on receivers to letterloom_api, letterloom_worker;

alter table connections
  drop column event_watermark,
  drop column probed_at,
  add column probes_wanted smallint not null default 0 check (probes_wanted between 0 and 20),
  add column events_refused_at timestamptz(3);
comment on column connections.probe_requested_at is 'when the claim reconciler last asked for probes';
comment on column connections.probes_wanted is 'that the dispatcher is to send: too few mails tell whether events arrive';
comment on column connections.events_refused_at is 'the latest answer to an event of this connection that the event bus takes for a failure';

alter table claims add column look_at timestamptz(3);
create index claims_look on claims (look_at) where state = 'doubt';
comment on column claims.look_at is 'when a claim in doubt is judged next; null: it is not in doubt';

alter table messages add column first_event_at timestamptz(3);
comment on column messages.first_event_at is 'when the first event about it was received';
comment on column messages.claimed_at is 'of a sent mail: its call was answered; null: only an event tells that it was accepted';

alter table batches
  add column duplicates integer not null default 0 check (duplicates >= 0),
  add column outcome_awaited_until timestamptz(3);
comment on column batches.duplicates is 'acceptances beyond the first that the provider told us of';
comment on column batches.outcome_awaited_until is 'set while nothing but mails in doubt is open: when it completes all the same, or they are sent again';
