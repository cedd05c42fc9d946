-- The ways of delivery events: a queue in the customer's account, and an alarm when none come.
alter table connections
  add column event_queue_url text check (length(event_queue_url) <= 300),
  add column events_missing_since timestamptz(3);
comment on column connections.event_queue_url is
  'the queue that workers take delivery events from; null: events are posted to us';
comment on column connections.events_missing_since is
  'when it was found that mail leaves and nothing is heard of it; an event that is later ends it';

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
